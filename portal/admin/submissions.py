"""Submissions, deciding on several at once, and their evaluations and scores."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html_join

from portal.admin.base import OfSubmissions, ReadOnly
from portal.errors import StateError
from portal.models import Action, Evaluation, Submission, TaskScore
from portal.permissions.access import user_of
from portal.review.facts.summary import ReviewSummary, prefetch_for_review, review_summaries
from portal.review.facts.warnings import critical_warnings, has_critical_flags, review_warnings
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import ReasonForm, ReviewedForm
from portal.review.services import hide_entry, publish_submission, reject_submission, restore_entry


class Decision(NamedTuple):
    """An action on the selected rows in the list of submissions."""

    title: str
    decide: Callable[..., Submission]  # a service of portal.review.services
    fields: tuple[str, ...] = ()  # of ReviewedForm, which the service takes besides the reason


DECISIONS: dict[Action, Decision] = {
    Action.PUBLISH: Decision(
        "Publish", publish_submission, ("seen", "maker_confirmed", "flags_answer")
    ),
    Action.REJECT: Decision("Reject", reject_submission),
    Action.HIDE: Decision("Hide from leaderboard", hide_entry),
    Action.RESTORE: Decision("Restore to leaderboard", restore_entry, ("seen",)),
}


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ("language_model", "owner", "release", "state", "origin", "created")
    list_filter = ("state", "origin", "release")
    list_select_related = ("language_model", "owner", "release")
    search_fields = ("language_model__name", "owner__username", "=files__original__hash")

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return ["pages", *super().get_readonly_fields(request, obj)]

    @admin.display(description="pages")
    def pages(self, submission: Submission) -> str:
        """Where to go from here: on the site, and to what the admin has about it."""
        number = submission.pk
        query = f"?q={number}"
        links = (
            (reverse("submission", args=[number]), "Submission"),
            (reverse("review-submission", args=[number]), "Review"),
            (reverse("admin:portal_evaluation_changelist") + query, "Evaluations"),
            (reverse("admin:portal_taskscore_changelist") + query, "Scores"),
            (reverse("admin:portal_auditentry_changelist") + query, "History"),
        )
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        decisions = {name: (_ask_or_decide, name, one.title) for name, one in DECISIONS.items()}
        return super().get_actions(request) | decisions


def _ask_or_decide(
    model_admin: SubmissionAdmin, request: HttpRequest, chosen: "QuerySet[Submission]"
) -> HttpResponse | None:
    """Show a page with the flags of each submission, which asks for the reason; then decide on each
    submission that has not changed since that page was shown."""
    action, user = Action(request.POST["action"]), user_of(request)
    decision = DECISIONS[action]
    data = request.POST if "decided" in request.POST else None
    reason = ReasonForm(data)
    forms = {
        pk: ReviewedForm(data, prefix=str(pk), initial={"seen": review_fingerprint(pk)})
        for pk in chosen.values_list("pk", flat=True)
    }  # with the fingerprints, which are computed before the rows are read
    if not all(form.is_valid() for form in (reason, *forms.values())):
        summaries = review_summaries(list(prefetch_for_review(chosen.filter(pk__in=forms))), user)
        context = {
            **model_admin.admin_site.each_context(request),
            "opts": model_admin.opts,
            "title": decision.title,
            "rows": [_row(summary, forms[summary.submission.pk]) for summary in summaries],
            "form": reason,
            "action": action,
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        status = 422 if reason.is_bound else 200
        return TemplateResponse(request, "admin/decide.html", context, status=status)
    for submission in chosen.filter(pk__in=forms):
        given = forms[submission.pk].cleaned_data
        fields = {name: given[name] for name in decision.fields}
        try:
            done = decision.decide(
                submission, by=user, reason=reason.cleaned_data["reason"], **fields
            )
        except StateError as error:  # the others go on
            messages.error(request, f"{submission}: {error}", extra_tags=error.code)
        else:
            messages.success(request, f"{submission} is now “{done.get_state_display()}”.")
    return None


def _row(summary: ReviewSummary, form: ReviewedForm) -> dict[str, object]:
    return {
        "summary": summary,
        "warnings": review_warnings(summary),
        "critical": critical_warnings(summary),
        "is_critical": has_critical_flags(summary),
        "form": form,
    }


@admin.register(Evaluation)
class EvaluationAdmin(OfSubmissions):
    long = ("problems", "question", "signature", "failure_details")
    list_display = ("id", "submission", "state", "attempt", "failure", "created", "finished")
    list_filter = ("state", "failure", "sandbox_level")
    list_select_related = ("submission__language_model",)
    search_fields = ("submission__language_model__name", "=predictions_hash")


@admin.register(TaskScore)
class TaskScoreAdmin(OfSubmissions):
    submission = "evaluation__submission"
    list_display = ("evaluation", "task", "metric_set", "mean", "stderr", "answered", "size")
    list_filter = ("task", "metric_set")
    list_select_related = ("evaluation",)
    search_fields = ("evaluation__submission__language_model__name",)
