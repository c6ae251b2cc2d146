"""The pages of disputes. Whoever may see a label may read its disputes and file one; reviewers
decide."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import StateError, UserError
from portal.models import Outcome
from portal.permissions.access import reviewer_of, user_of
from portal.review.disputes.consequences import consequences_of
from portal.review.disputes.corrections import corrections_of
from portal.review.disputes.data_set import proposed_lines
from portal.review.disputes.forms import DecisionForm, DisputeForm
from portal.review.disputes.queries import (
    decided_disputes,
    find_dispute,
    find_disputed,
    find_proposal,
    open_disputes,
    proposal_links,
)
from portal.review.disputes.services import decide_dispute, file_dispute, why_not_decide
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.file_responses import stream_attachment
from portal.web.form_views import post_only, posted_data, render_form
from portal.web.throttle import count_expensive, throttled
from scoring.metrics import PAPER_SET

_JSON_LINES = "application/x-ndjson"


@require_safe
def disputes(request: HttpRequest) -> HttpResponse:
    context = {
        "open": open_disputes(request.user),
        "decided": decided_disputes(request.user),
        "proposals": proposal_links(request.user),
    }
    return render(request, "disputes/list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def dispute_new(request: HttpRequest) -> HttpResponse:
    """The form for a dispute about the example that the query string names."""
    user = user_of(request)
    about = find_disputed(user, request.GET)
    form = DisputeForm(posted_data(request), task=about.task, example=about.example)
    if form.is_valid():
        try:
            filed = file_dispute(
                about.release,
                about.example,
                proposed_label=form.proposed_label,
                reason=form.cleaned_data["reason"],
                by=user,
            )
        except UserError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            messages.success(request, "The dispute is filed. A reviewer decides about it.")
            return redirect("dispute", filed.pk)
    return render_form(request, "disputes/new.html", form, {"about": about})


@require_safe
@throttled
def dispute(request: HttpRequest, number: int) -> HttpResponse:
    return _dispute_page(request, number, DecisionForm())


@login_required
@post_only("dispute", "number")
def dispute_decide(request: HttpRequest, number: int) -> HttpResponse:
    user = reviewer_of(request)
    shown = find_dispute(user, number)
    form = DecisionForm(request.POST)
    if form.is_valid():
        outcome = Outcome(form.cleaned_data["outcome"])
        try:
            decide_dispute(shown.dispute, outcome, reason=form.cleaned_data["reason"], by=user)
        except StateError as error:
            form.add_error(None, ValidationError(str(error), error.code))
        else:
            messages.success(request, f"The dispute is decided: {outcome.label}.")
            return redirect("dispute", number)
    return _dispute_page(request, number, form)


def _dispute_page(request: HttpRequest, number: int, form: DecisionForm) -> HttpResponse:
    shown = find_dispute(request.user, number)
    about, dispute = shown.about, shown.dispute
    count_expensive(request)  # answers are judged and boards are built
    metric_set = _metric_set(request.GET)
    context: dict[str, Any] = {
        "shown": shown,
        "refusal": why_not_decide(dispute, request.user),
        "consequences": consequences_of(
            request.user, about.release, about.task, [dispute], metric_set
        ),
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "metric_set": METRIC_SET_TITLES[metric_set],
    }
    return render_form(request, "disputes/page.html", form, context)


@require_safe
@throttled
def proposal(request: HttpRequest, slug: str, task_id: str) -> HttpResponse:
    """The scores and ranks of a task with all of its accepted corrections."""
    found = find_proposal(request.user, slug, task_id)
    count_expensive(request)
    metric_set = _metric_set(request.GET)
    accepted = [one.dispute for one in found.disputes]
    context = {
        "proposal": found,
        "consequences": consequences_of(
            request.user, found.release, found.task, accepted, metric_set
        ),
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "metric_set": METRIC_SET_TITLES[metric_set],
    }
    return render(request, "disputes/proposal.html", context)


@require_safe
def proposal_file(request: HttpRequest, slug: str, task_id: str) -> HttpResponseBase:
    """The proposed data set in the official format."""
    found = find_proposal(request.user, slug, task_id)
    corrections = corrections_of([one.dispute for one in found.disputes])
    lines = proposed_lines(found.data_set, corrections[found.data_set.pk])
    return stream_attachment(
        request, lines, f"{task_id}.jsonl", content_type=_JSON_LINES, cache="private, no-store"
    )


def _metric_set(query: QueryDict) -> str:
    chosen = query.get("metric_set", "")
    return chosen if chosen in METRIC_SET_TITLES else PAPER_SET
