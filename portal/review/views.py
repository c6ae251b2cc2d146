"""What waits for a reviewer, and everything about one submission that a decision needs."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from portal.audit.history import history_of
from portal.models import Submission, SubmissionState, User
from portal.permissions import (
    PUBLICATION_ACTIONS,
    actors,
    allowed_actions,
    reviewer_of,
    with_predictions_of,
)
from portal.review.comparison import tasks_beside
from portal.review.decisions import decided_lately
from portal.review.facts import facts_of, with_what_facts_read
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import ReasonForm
from portal.review.warnings import grave, unusual
from portal.web.form_views import render_form
from scoring.metrics import METRIC_SETS

_ON_A_PAGE = 25


@login_required
@require_safe
def review(request: HttpRequest) -> HttpResponse:
    user = reviewer_of(request)
    waiting = with_what_facts_read(Submission.objects.waiting_for_review())
    page = Paginator(waiting, _ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(facts, unusual(facts), grave(facts)) for facts in facts_of(list(page), user)]
    hidden = Submission.objects.filter(state=SubmissionState.HIDDEN)
    found = {
        "page": page,
        "rows": rows,
        "metric_sets": list(METRIC_SETS),
        "decided": decided_lately(user),
        "off_the_board": hidden.select_related("language_model", "release", "owner"),
    }
    return render(request, "review/list.html", found)


@login_required
@require_safe
def review_submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    return review_page(request, reviewer_of(request), submission_id)


def review_page(
    request: HttpRequest, user: User, submission_id: UUID, form: ReasonForm | None = None
) -> HttpResponse:
    """One submission in whatever state, with a form where this person can decide something."""
    form = form or ReasonForm(initial={"seen": review_fingerprint(submission_id)})
    everything = with_what_facts_read(Submission.objects.all())
    submission = get_object_or_404(everything, pk=submission_id)
    [facts] = facts_of([submission], user)
    also = {
        "facts": facts,
        "unusual": unusual(facts),
        "grave": grave(facts),
        "beside": tasks_beside(facts),
        "history": history_of(submission, user),
        "actions": allowed_actions(user, submission, among=PUBLICATION_ACTIONS),
        "mine": "owner" in actors(submission, user),
        "my_answers": bool(with_predictions_of(user, [submission])),
        "metric_sets": list(METRIC_SETS),
    }
    return render_form(request, "review/page.html", form, also)
