"""The pages on which admins oversee all endpoint runs, and pause or stop one that does harm. They
show neither questions nor answers, and no key."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from portal.endpoint_runs.progress.forms import ReasonForm
from portal.endpoint_runs.progress.overseen_runs import (
    RUNNING_FIRST,
    overseen_runs,
    started_runs,
)
from portal.endpoint_runs.services import pause_run_as_admin, stop_run_as_admin, why_not
from portal.models import EndpointRun, RunAction, User
from portal.permissions.access import admin_of
from portal.web.form_views import posted_data, render_form, user_errors_as_messages

_PAGE_SIZE = 25


@login_required
@require_safe
def all_runs(request: HttpRequest) -> HttpResponse:
    """Running ones first."""
    user = admin_of(request)
    started = started_runs().order_by(RUNNING_FIRST, "-started", "pk")
    page = Paginator(started, _PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"page": page, "rows": overseen_runs(list(page), user)}
    return render(request, "endpoint_runs/all.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def admin_pause(request: HttpRequest, run_id: UUID) -> HttpResponse:
    return _act(request, run_id, RunAction.PAUSE, pause_run_as_admin)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def admin_stop(request: HttpRequest, run_id: UUID) -> HttpResponse:
    return _act(request, run_id, RunAction.STOP, stop_run_as_admin)


def _act(
    request: HttpRequest,
    run_id: UUID,
    action: RunAction,
    carry_out: Callable[[EndpointRun, User, str], EndpointRun],
) -> HttpResponse:
    user = admin_of(request)
    run = started_runs().filter(pk=run_id).first()
    if run is None:
        raise Http404
    if refusal := why_not(run, action, user):
        messages.error(request, str(refusal), extra_tags=refusal.code)
        return redirect("review-runs")
    form = ReasonForm(posted_data(request))
    if not form.is_valid():
        context: Mapping[str, object] = {"run": run, "stops": action == RunAction.STOP}
        return render_form(request, "endpoint_runs/admin_action.html", form, context)
    with user_errors_as_messages(request):
        carry_out(run, user, form.cleaned_data["reason"])
        messages.success(request, "Done. The author sees your reason.")
    return redirect("review-runs")
