"""The list of my submissions, the page of one and its actions, and the accepted formats."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from portal.models import Action, HubFetch, Submission
from portal.permissions.access import get_fetch, get_submission, user_of
from portal.permissions.actions import can
from portal.scores.titles import METRIC_SET_TITLES
from portal.submissions.pages.detail import current_evaluation, submission_page
from portal.submissions.pages.formats import formats
from portal.submissions.pages.listing import ListFilter, submission_rows
from portal.submissions.pages.progress import progress_of
from portal.submissions.services import (
    answer_question,
    delete_submission,
    edit_settings,
    fixed_settings,
    score_again,
    try_again,
)
from portal.submissions.submit.forms import AnswerForm, SettingsForm
from portal.web.form_views import (
    post_only,
    posted_data,
    render_form,
    user_errors_as_messages,
)
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.limits import LIMITS, MIB

_PAGE_SIZE = 25


@login_required
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    own = Submission.objects.owned_by(user_of(request))
    chosen = ListFilter.from_query(request.GET, own)
    page = Paginator(chosen.apply(own), _PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "filter": chosen,
        "page": page,
        "rows": submission_rows(list(page)),
        "fetches": HubFetch.objects.owned_by(user_of(request)).missing(),
        "metric_sets": list(METRIC_SET_TITLES.values()),
    }
    return render(request, "submissions/list.html", context)


@login_required
@require_safe
def submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    try:
        found = get_submission(user, submission_id)
    except Http404:
        get_fetch(user, submission_id)  # its files have not arrived
        return redirect("submission-fetch", submission_id)
    page = submission_page(user, found, current_evaluation(found), request.GET)
    return render(request, "submissions/page.html", {"page": page})


@require_safe
def submission_status(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The part of the page that changes, or 204 if the page already shows this progress.

    If the session has ended or the submission was deleted, the script reloads the page, which leads
    to the sign-in page or a 404.
    """
    if "HX-Request" not in request.headers:
        return redirect("submission", submission_id)
    if not request.user.is_authenticated:
        return HttpResponseClientRefresh()
    user = user_of(request)
    try:
        found = get_submission(user, submission_id)
    except Http404:
        return HttpResponse(status=404, headers={"HX-Refresh": "true"})
    current = current_evaluation(found)
    progress = progress_of(current)
    if progress and progress.etag == request.GET.get("etag"):
        return HttpResponse(status=204)
    page = submission_page(user, found, current, request.GET)
    return render(request, "submissions/status.html", {"page": page})


@login_required
@post_only("submission", "submission_id")
def submission_answer(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the options.", extra_tags="no_answer")
        return redirect("submission", submission_id)
    with user_errors_as_messages(request):
        answer_question(current_evaluation(found), by=user, **form.answer)
    return redirect("submission", submission_id)


@login_required
@post_only("submission", "submission_id")
def submission_try_again(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    with user_errors_as_messages(request):
        try_again(current_evaluation(found), by=user)
    return redirect("submission", submission_id)


@login_required
@post_only("submission", "submission_id")
def submission_score_again(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    with user_errors_as_messages(request):
        score_again(found, by=user)
    return redirect("submission", submission_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_edit(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    if not can(user, Action.EDIT_SETTINGS, found):
        messages.error(
            request, "Only the owner can change this, and only while it is private or rejected."
        )
        return redirect("submission", submission_id)
    form = SettingsForm(posted_data(request), instance=get_submission(user, submission_id))
    form.fix(fixed_settings(found))
    if not form.is_valid():
        return render_form(request, "submissions/edit.html", form, {"submission": found})
    with user_errors_as_messages(request):
        edit_settings(found, form.editable_settings, by=user)
        messages.success(request, "Saved.")
    return redirect("submission", submission_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_delete(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    if request.method != "POST":
        files = [one.original.name for one in found.files.select_related("original")]
        context = {
            "submission": found,
            "allowed": can(user, Action.DELETE, found),
            "files": files,
        }
        return render(request, "submissions/delete.html", context)
    with user_errors_as_messages(request):
        delete_submission(found, by=user)
        messages.success(request, "Submission deleted.")
        return redirect("submissions")
    return redirect("submission", submission_id)


@require_safe
def prediction_formats(request: HttpRequest) -> HttpResponse:
    context = {
        "formats": formats(),
        "tasks": [TASKS[task] for task in BOARD_ORDER],
        "limits": LIMITS,
        "megabytes": LIMITS.bytes_in // MIB,
        "megabytes_unpacked": LIMITS.bytes_out // MIB,
    }
    return render(request, "submit/formats.html", context)
