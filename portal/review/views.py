"""The pages of reviewers, and what reviewers, admins and authors do about publication."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from portal.audit.history import history_of, reasons_of_states
from portal.errors import StateError
from portal.language_models.renaming import accept_rename, refuse_rename
from portal.models import Action, RenameRequest, Submission, User
from portal.permissions.access import (
    get_submission,
    may_see_verdicts,
    owns,
    reviewer_of,
    scored_evaluation,
    user_of,
    with_predictions_of,
)
from portal.permissions.actions import (
    PUBLICATION_ACTIONS,
    REQUESTED,
    actors,
    allowed_actions,
    can,
    why_not,
)
from portal.review.answers.agreement import chosen_task, shared_page, tasks_to_compare
from portal.review.answers.checks import read_checks
from portal.review.answers.lengths import answer_lengths
from portal.review.answers.samples import AnswerChoice, choices_of, draw_answers
from portal.review.answers.shares import answer_shares, flag_counts, flags_of
from portal.review.doubts.example_queue import example_queue
from portal.review.facts.side_by_side import chosen_column, offered_entries, side_by_side
from portal.review.facts.summary import (
    prefetch_for_review,
    recent_decisions,
    review_summaries,
)
from portal.review.facts.task_scores import task_standings
from portal.review.facts.warnings import critical_warnings, has_critical_flags, review_warnings
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import REASON_CAP, ReasonForm, ReplyForm, RequestForm, ScheduleForm
from portal.review.schedule import reschedule
from portal.review.services import (
    ask_author,
    cancel_request,
    claim_request,
    hide_entry,
    publish_submission,
    reject_submission,
    reply_to_reviewer,
    request_publication,
    restore_entry,
    show_account,
    undo_decision,
    withdraw_submission,
)
from portal.scores.titles import METRIC_SET_TITLES
from portal.submissions.files.held_tasks import file_rows
from portal.web.form_views import post_only, posted_data, render_form, user_errors_as_messages

_PAGE_SIZE = 25

# What reviewers read


@login_required
@require_safe
def review(request: HttpRequest) -> HttpResponse:
    user = reviewer_of(request)
    waiting = prefetch_for_review(Submission.objects.waiting_for_review())
    page = Paginator(waiting, _PAGE_SIZE).get_page(request.GET.get("page"))
    others = Submission.objects.select_related("language_model", "release", "owner")
    context = {
        "page": page,
        "rows": [
            (summary, review_warnings(summary), critical_warnings(summary))
            for summary in review_summaries(list(page), user)
        ],
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "decisions": recent_decisions(user),
        "questions": others.with_question(),
        "scheduled": others.scheduled(),
        "hidden": others.hidden(),
        "renames": RenameRequest.objects.select_related("language_model__owner"),
    }
    return render(request, "review/list.html", context)


@login_required
@require_safe
def review_submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _review_page(request, reviewer_of(request), submission_id)


def _review_page(
    request: HttpRequest, user: User, submission_id: UUID, form: ReasonForm | None = None
) -> HttpResponse:
    """A submission in any state, with a form if this reviewer can decide about it."""
    form = form or ReasonForm(initial={"seen": review_fingerprint(submission_id)})
    submissions = prefetch_for_review(Submission.objects.all())
    submission = get_object_or_404(submissions, pk=submission_id)
    [summary] = review_summaries([submission], user)
    verdicts = may_see_verdicts(user, submission)
    choice = AnswerChoice.from_query(request.GET, verdicts=verdicts)
    beside = request.GET.get("beside", "")
    scored = summary.evaluation
    shares = answer_shares(scored, verdicts=verdicts) if scored else []
    lengths = answer_lengths(shares)
    drawn = draw_answers(submission, scored, choice, verdicts=verdicts) if scored else []
    context = {
        "summary": summary,
        "verdicts": verdicts,
        "shares": list(zip(shares, lengths.histograms, strict=True)),
        "lengths": lengths,
        "drawn": drawn,
        "choices": choices_of(choice, verdicts=verdicts),
        "flags": flags_of(flag_counts(shares), verdicts=verdicts),
        "is_waiting": submission.state in REQUESTED,
        "warnings": review_warnings(summary),
        "critical": critical_warnings(summary),
        "is_critical": has_critical_flags(summary),
        "comparison": side_by_side(summary, chosen_column(user, submission, beside)),
        "standings": task_standings(summary),
        "offered": offered_entries(submission),
        "beside": beside,
        "history": history_of(submission, user),
        "files": file_rows(submission),
        "actions": allowed_actions(user, submission, among=PUBLICATION_ACTIONS | {Action.CLAIM}),
        "is_owner": owns(user, submission),
        "has_same_predictions": bool(with_predictions_of(user, [submission])),
        "metric_sets": list(METRIC_SET_TITLES.values()),
    }
    return render_form(request, "review/page.html", form, context)


@login_required
@require_safe
def review_examples(request: HttpRequest) -> HttpResponse:
    """A queue of examples, the most informative first."""
    queue = example_queue(reviewer_of(request), request.GET)
    return render(request, "review/examples.html", {"queue": queue})


@login_required
@require_safe
def review_shared(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """Wrong answers to one task that the submission shares with others."""
    user = reviewer_of(request)
    submission = get_submission(user, submission_id)
    verdicts = may_see_verdicts(user, submission)
    scored = scored_evaluation(submission) if verdicts else None
    tasks = tasks_to_compare(scored) if scored else []
    task = chosen_task(tasks, request.GET.get("task", ""))
    checked = read_checks(user, [scored]).get(scored.pk) if scored else None
    copies = checked.copies if checked else []
    near = {copy.submission.pk for copy in copies}
    found = shared_page(user, scored, tasks, task, near) if scored and task else None
    context = {
        "submission": submission,
        "verdicts": verdicts,
        "found": found,
        "copies": copies,
    }
    return render(request, "review/shared.html", context)


# What reviewers and admins decide

Decide = Callable[..., Submission]  # a service of portal.review.services


@login_required
@post_only("review-submission", "submission_id")
def review_publish(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    fields = ("seen", "maker_confirmed", "flags_answer")
    return _decide(request, submission_id, publish_submission, *fields)


@login_required
@post_only("review-submission", "submission_id")
def review_ask(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decide(request, submission_id, ask_author)


@login_required
@post_only("review-submission", "submission_id")
def review_reject(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decide(request, submission_id, reject_submission)


@login_required
@post_only("review-submission", "submission_id")
def entry_hide(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decide(request, submission_id, hide_entry)


@login_required
@post_only("review-submission", "submission_id")
def entry_restore(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return _decide(request, submission_id, restore_entry, "seen")


def _decide(
    request: HttpRequest, submission_id: UUID, decide: Decide, *fields: str
) -> HttpResponse:
    """Decide with the given reason, and go back to the list. ``fields``: further fields of the form
    that the service takes."""
    user = reviewer_of(request)
    submission = get_submission(user, submission_id)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _review_page(request, user, submission_id, form)
    asked = {name: form.cleaned_data[name] for name in ("reason", *fields)}
    try:
        decided = decide(submission, by=user, **asked)
    except StateError as error:
        # Show the updated page, with the input and with what was done meanwhile.
        data = request.POST.copy()
        data["seen"] = review_fingerprint(submission_id)
        form = ReasonForm(data)
        form.add_error(None, ValidationError(str(error), error.code))
        last = history_of(submission, user)[-1]
        if last.reason:
            form.add_error(None, format_html("{}: {}", last.sentence, last.reason))
        return _review_page(request, user, submission_id, form)
    except ObjectDoesNotExist as error:
        raise Http404 from error
    names = {"model": submission.language_model.name, "state": decided.get_state_display()}
    messages.success(request, "{model} is now “{state}”.".format(**names))
    return redirect("review")


@login_required
@post_only("review-submission", "submission_id")
def review_claim(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = reviewer_of(request)
    with user_errors_as_messages(request):
        claim_request(get_submission(user, submission_id), by=user)
    return redirect("review-submission", submission_id)


@login_required
@post_only("review-submission", "submission_id")
def review_undo(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = reviewer_of(request)
    with user_errors_as_messages(request):
        undo_decision(get_submission(user, submission_id), by=user)
        messages.success(request, "The decision is undone.")
    return redirect("review-submission", submission_id)


@login_required
@post_only("review")
def rename_accept(request: HttpRequest, number: int) -> HttpResponse:
    user = reviewer_of(request)
    with user_errors_as_messages(request):
        model = accept_rename(number, by=user)
        messages.success(request, f"The model is called {model.name} now.")
    return redirect("review")


@login_required
@post_only("review")
def rename_refuse(request: HttpRequest, number: int) -> HttpResponse:
    user = reviewer_of(request)
    with user_errors_as_messages(request):
        model = refuse_rename(number, reason=request.POST.get("reason", "")[:REASON_CAP], by=user)
        messages.success(request, f"{model.name} keeps its name.")
    return redirect("review")


# What authors do


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_request(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The request for publication, with what reviewers need to know about the run."""
    user = user_of(request)
    submission = get_submission(user, submission_id)
    form = RequestForm(posted_data(request), instance=get_submission(user, submission_id))
    if form.is_valid():
        with user_errors_as_messages(request):
            request_publication(
                submission,
                by=user,
                settings=form.editable_settings,
                unknown_confirmed=form.cleaned_data.get("unknown_confirmed", False),
                by_maker=form.cleaned_data["by_maker"],
                publish_on=form.cleaned_data["publish_on"],
                show_account=form.cleaned_data["show_account"],
            )
            messages.success(request, "Sent for review. We will email you the decision.")
        return redirect("submission", submission_id)
    refusal = why_not(user, Action.REQUEST_PUBLICATION, submission)
    context = {"submission": submission, "refusal": refusal, "now": now()}
    return render_form(request, "review/request.html", form, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_schedule(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """Change the day on which it becomes public. For its author, or for an admin, who has to give a
    reason."""
    user = user_of(request)
    submission = get_submission(user, submission_id)
    needed = "owner" not in actors(submission, user)
    form = ScheduleForm(posted_data(request), submission=submission, needs_reason=needed)
    if form.is_valid():
        reason = form.cleaned_data.get("reason", "")
        with user_errors_as_messages(request):
            reschedule(submission, form.cleaned_data["publish_on"], by=user, reason=reason)
            messages.success(request, "The day is changed.")
        return redirect("submission", submission_id)
    context = {
        "submission": submission,
        "refusal": why_not(user, Action.RESCHEDULE, submission),
        "now": now(),
    }
    return render_form(request, "review/schedule.html", form, context)


@login_required
@post_only("submission", "submission_id")
def submission_show_account(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """Show the name of the account on the entry, or hide it, as ``shown`` says."""
    user, shown = user_of(request), request.POST.get("shown") == "1"
    with user_errors_as_messages(request):
        show_account(get_submission(user, submission_id), shown=shown, by=user)
        messages.success(request, f"The entry {'shows' if shown else 'hides'} your account.")
    return redirect("submission", submission_id)


@login_required
@post_only("submission", "submission_id")
def submission_cancel_request(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    user = user_of(request)
    with user_errors_as_messages(request):
        cancel_request(get_submission(user, submission_id), by=user)
        messages.success(request, "The request is cancelled. The submission is private again.")
    return redirect("submission", submission_id)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_reply(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The author's answer to a reviewer's question."""
    user = user_of(request)
    submission = get_submission(user, submission_id)
    form = ReplyForm(posted_data(request))
    if form.is_valid():
        with user_errors_as_messages(request):
            reply_to_reviewer(submission, by=user, reason=form.cleaned_data["reply"])
            messages.success(request, "Your reply was sent to the reviewers.")
        return redirect("submission", submission_id)
    context = {
        "submission": submission,
        "refusal": why_not(user, Action.REPLY, submission),
        "question": reasons_of_states([submission]).get(submission.pk, ""),
    }
    return render_form(request, "review/reply.html", form, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_withdraw(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """For its author, or for an admin, who has to give a reason."""
    user = user_of(request)
    submission = get_submission(user, submission_id)
    form = ReasonForm(posted_data(request), needed="owner" not in actors(submission, user))
    if form.is_valid():
        with user_errors_as_messages(request):
            withdraw_submission(submission, by=user, reason=form.cleaned_data["reason"])
            messages.success(request, "Submission withdrawn.")
        return redirect("submission", submission_id)
    context = {
        "submission": submission,
        "allowed": can(user, Action.WITHDRAW, submission),
        "may_delete": can(user, Action.DELETE, submission),
    }
    return render_form(request, "review/withdraw.html", form, context)
