"""The page with a form that submits, and its response if a quota is used up; the same for uploads
and for the Hub."""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date

from portal.errors import QuotaError
from portal.models import Submission
from portal.permissions.access import user_of
from portal.submissions.quotas import quota_of
from portal.submissions.submit.forms import SubmitForms, initial_from
from portal.submissions.versions import versions_of
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.limits import LIMITS, MIB
from scoring.predictions.dialects import NAMES, TASK_NAMES
from scoring.predictions.formats import FORMATS, LFS_POINTER

QUEUE_RETRY_AFTER_SECONDS = 60  # when too many evaluations are queued
_FORMATS = {**FORMATS, LFS_POINTER: "Git LFS"}
# For the page's script: the scorer's own patterns, so that the page promises exactly what is read.
# JavaScript writes named groups without the P.
FILE_NAMES = json.dumps(
    {
        "patterns": [pattern.pattern.replace("(?P<", "(?<") for pattern in NAMES],
        "tasks": TASK_NAMES,
        "titles": {task: TASKS[task].title for task in BOARD_ORDER},  # in the order of the list
        "formats": {start.decode("latin-1"): name for start, name in _FORMATS.items()},
    }
)


def form_page(
    request: HttpRequest,
    forms: SubmitForms,
    *,
    status: int = 200,
    refusal: QuotaError | None = None,
) -> HttpResponse:
    """Without the form if nothing may be submitted at present. ``refusal``: of a POST."""
    quota = quota_of(user_of(request))
    earlier = forms.earlier
    context = {
        "forms": forms,
        "form": forms.form,
        "model_form": forms.model_form,
        "choice": forms.model_choice(request.GET.get("models", "")),
        "earlier": earlier,
        "earlier_version": earlier and versions_of([earlier])[earlier.pk],
        "quota": quota,
        "refusal": refusal or quota.refusal(),
        "cap": LIMITS.bytes_in,
        "cap_mb": LIMITS.bytes_in // MIB,
        "most_files": LIMITS.entries,
        "names": FILE_NAMES,
    }
    return render(request, forms.template, context, status=status)


def refused_page(request: HttpRequest, forms: SubmitForms, error: QuotaError) -> HttpResponse:
    page = form_page(request, forms, status=429, refusal=error)
    opens = error.opens
    page["Retry-After"] = http_date(opens.timestamp()) if opens else str(QUEUE_RETRY_AFTER_SECONDS)
    return page


def initial_of_version(request: HttpRequest) -> dict[str, Any] | None:
    """Initial values for a new version of the submission that the URL names. Raises ``Http404``."""
    named = id_in_query(request, "from")
    if named is None:
        return None
    earlier = Submission.objects.owned_by(user_of(request)).filter(pk=named).first()
    if earlier is None:
        raise Http404
    return initial_from(earlier)


def id_in_query(request: HttpRequest, name: str) -> UUID | None:
    """Raises ``Http404``."""
    if name not in request.GET:
        return None
    try:
        return UUID(request.GET[name])
    except ValueError as error:
        raise Http404 from error
