"""What reviewers, admins and authors do about publication: an address for each action."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from portal.audit.history import history_of
from portal.errors import StateError
from portal.models import Action, Submission, User
from portal.permissions import actors, can, get_submission, reviewer_of, user_of
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import ReasonForm
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    request_publication,
    restore_entry,
    withdraw_submission,
)
from portal.review.views import review_page
from portal.web.form_views import post_only, posted_data, render_form, user_errors_as_messages

Decide = Callable[..., Submission]  # a service of portal.review.services


@login_required
@post_only("review-submission", "submission_id")
def review_publish(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decided(request, submission_id, publish_submission, "seen")


@login_required
@post_only("review-submission", "submission_id")
def review_reject(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decided(request, submission_id, reject_submission)


@login_required
@post_only("review-submission", "submission_id")
def entry_hide(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decided(request, submission_id, hide_entry)


@login_required
@post_only("review-submission", "submission_id")
def entry_restore(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decided(request, submission_id, restore_entry, "seen")


@login_required
@post_only("submission", "submission_id")
def submission_ask(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    with user_errors_as_messages(request):
        request_publication(found, by=user)
        messages.success(request, _("It is in review. You are told what becomes of it."))
    return redirect("submission", submission_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_withdraw(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_submission(user, submission_id)
    needed = "owner" not in actors(found, user)
    form = ReasonForm(posted_data(request), needed=needed)
    if form.is_valid():
        with user_errors_as_messages(request):
            withdraw_submission(found, by=user, reason=form.cleaned_data["reason"])
            messages.success(request, _("It is withdrawn."))
        return redirect("submission", submission_id)
    also = {
        "submission": found,
        "allowed": can(user, Action.WITHDRAW, found),
        "may_delete": can(user, Action.DELETE, found),
    }
    return render_form(request, "review/withdraw.html", form, also)


def _decided(request: HttpRequest, submission_id: UUID, decide: Decide, *also: str) -> HttpResponse:
    """Ask for a reason where there is none; otherwise decide, and go back to what waits.

    ``also`` names what of the form the service takes beside the reason.
    """
    user = reviewer_of(request)
    found = get_submission(user, submission_id)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return review_page(request, user, submission_id, form)
    asked = {name: form.cleaned_data[name] for name in ("reason", *also)}
    try:
        decided = decide(found, by=user, **asked)
    except StateError as error:
        return _refused(request, found, user, str(error))
    except ObjectDoesNotExist as error:
        raise Http404 from error
    names = {"model": found.language_model.name, "state": decided.get_state_display()}
    messages.success(request, _("%(model)s is now “%(state)s”.") % names)
    return redirect("review")


def _refused(request: HttpRequest, found: Submission, user: User, why: str) -> HttpResponse:
    """The page as it is now, with what was typed, and with what somebody has done meanwhile."""
    data = request.POST.copy()
    data["seen"] = review_fingerprint(found.pk)
    form = ReasonForm(data)
    form.add_error(None, why)
    last = history_of(found, user)[-1]
    if last.reason:
        form.add_error(None, f"{last.who} {last.did}: {last.reason}")
    return review_page(request, user, found.pk, form)
