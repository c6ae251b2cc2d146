"""Query parameters that several pages have in common."""

from django.http import Http404, HttpRequest

from scoring.metrics import METRIC_SETS, PAPER_SET


def metric_set_of(request: HttpRequest) -> str:
    """The paper's unless another one is named. Raises ``Http404`` for an unknown one."""
    name = request.GET.get("metric_set", PAPER_SET)
    if name not in METRIC_SETS:
        raise Http404
    return name
