"""What the query strings of several pages have in common."""

from django.http import Http404, HttpRequest

from scoring.metrics import METRIC_SETS, PAPER_SET


def metric_set_of(request: HttpRequest) -> str:
    """That of the paper unless another is named. Raises ``Http404`` for one that there is not."""
    name = request.GET.get("metric_set", PAPER_SET)
    if name not in METRIC_SETS:
        raise Http404
    return name
