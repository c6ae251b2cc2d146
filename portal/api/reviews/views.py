"""What reviewers and admins do about publication: the queue, what they see, what they decide.

The scope ``review`` counts only while the owner of the token is a reviewer (``IsInScope``).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import F, Max, Q
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.actions import ActionView, action, conflicts_of
from portal.api.authentication import TokenView, owner_of
from portal.api.errors import valid
from portal.api.pages import CURSOR, Pages
from portal.api.reviews.serializers import (
    ReviewDetailSerializer,
    ReviewPageSerializer,
    ReviewSerializer,
    SentDecisionSerializer,
    SentSeenDecisionSerializer,
    review_detail,
)
from portal.errors import NotAllowedError
from portal.models import Action, Scope, Submission, SubmissionState, User
from portal.permissions.access import get_submission, owns
from portal.review.facts.summary import prefetch_for_review, review_summaries
from portal.review.fingerprint import review_fingerprint
from portal.review.forms import ReasonForm
from portal.review.services import (
    ask_author,
    claim_request,
    hide_entry,
    publish_submission,
    reject_submission,
    restore_entry,
    undo_decision,
    withdraw_submission,
)
from portal.web.problems import problems

PAGE_SIZE = 25
_TAGS = ["Reviews"]
_LISTED = (SubmissionState.IN_REVIEW, SubmissionState.QUESTION, SubmissionState.HIDDEN)
_NOT_A_REVIEWER = {403: ["no_reviewer", "not_allowed"]}


class ReviewsView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.REVIEW}

    @extend_schema(
        operation_id="list_reviews",
        summary="What waits for review",
        description="25 at a time, those first whose publication was requested first.",
        tags=_TAGS,
        parameters=[
            CURSOR,
            OpenApiParameter(
                "state",
                enum=[state.value for state in _LISTED],
                description="“in review” (the default); “question”: the author has to reply; "
                "“hidden”: taken off the leaderboard.",
            ),
        ],
        responses={
            200: ReviewPageSerializer,
            **problems({400: ["unknown_state", "bad_cursor"], **_NOT_A_REVIEWER}),
        },
    )
    def get(self, request: Request) -> Response:
        state = request.query_params.get("state", SubmissionState.IN_REVIEW)
        if state not in _LISTED:
            raise ParseError("“state” is one of " + ", ".join(_LISTED) + ".", "unknown_state")
        asking = Q(audit_entries__action=Action.REQUEST_PUBLICATION)
        asked = Coalesce(Max("audit_entries__at", filter=asking), F("created"))
        rows = prefetch_for_review(Submission.objects.filter(state=state).annotate(asked=asked))
        pages = Pages("reviews", ordering=("asked", "pk"), page_size=PAGE_SIZE)
        found: Any = pages.paginate_queryset(rows, request)
        summaries: Any = review_summaries(found, owner_of(request))
        return pages.get_paginated_response(ReviewSerializer(summaries, many=True).data)


def _document(user: User, submission_id: UUID) -> dict[str, Any]:
    seen = review_fingerprint(submission_id)  # first, so that a change in between counts as unseen
    rows = prefetch_for_review(Submission.objects.all())
    [summary] = review_summaries([get_object_or_404(rows, pk=submission_id)], user)
    return dict(ReviewDetailSerializer(review_detail(summary, user, seen)).data)


class ReviewView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.REVIEW}

    @extend_schema(
        operation_id="get_review",
        summary="One submission for reviewers",
        description="In any state: its scores and settings, what stands out in its answers, what "
        "is unusual about it, what was done so far, what you may do, and `seen`.",
        tags=_TAGS,
        responses={200: ReviewDetailSerializer, **problems(_NOT_A_REVIEWER)},
    )
    def get(self, request: Request, submission_id: UUID) -> Response:
        return Response(_document(owner_of(request), submission_id))


_action = partial(action, tag="Reviews", answer=ReviewDetailSerializer, refusals=_NOT_A_REVIEWER)


class _ReviewActionView(ActionView[Submission]):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.REVIEW}

    def find(self, user: User, record_id: UUID) -> Submission:
        submission = get_submission(user, record_id)
        if owns(user, submission):  # withdrawing one's own needs another scope
            raise NotAllowedError
        return submission

    def document(self, user: User, record_id: UUID) -> dict[str, Any]:
        return _document(user, record_id)


def _reason(fields: dict[str, Any], *, needs_seen: bool = False) -> dict[str, Any]:
    """Raises ``InvalidFields``. ``needs_seen``: the decision names what the reviewer has seen."""
    form = ReasonForm(fields)
    form.fields["seen"].required = needs_seen
    names = ("reason", "seen") if needs_seen else ("reason",)
    return {name: valid(form).cleaned_data[name] for name in names}


@_action(
    "claim_review",
    "Claim a review",
    "Shows other reviewers that you are at it; it replaces an earlier claim.",
    conflicts=conflicts_of(Action.CLAIM),
)
class ClaimView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        claim_request(submission, by=user)


@_action(
    "ask_author",
    "Ask the author",
    "`reason` is the question. It waits for the reply.",
    SentDecisionSerializer,
    conflicts=conflicts_of(Action.ASK_AUTHOR),
)
class AskView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        ask_author(submission, by=user, **_reason(fields))


@_action(
    "publish_submission",
    "Publish a submission",
    "It is on the leaderboard at once. Refused as `changed` where it is not as you have `seen` it.",
    SentSeenDecisionSerializer,
    conflicts=[*conflicts_of(Action.PUBLISH, Action.SEAL), "changed"],
)
class PublishView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        publish_submission(submission, by=user, **_reason(fields, needs_seen=True))


@_action(
    "reject_submission",
    "Reject a submission",
    "Its author can mend it and request publication again.",
    SentDecisionSerializer,
    conflicts=conflicts_of(Action.REJECT),
)
class RejectView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        reject_submission(submission, by=user, **_reason(fields))


@_action(
    "undo_decision",
    "Undo a decision",
    "Your own, for 15 minutes: it is in review again.",
    conflicts=conflicts_of(Action.UNDO_DECISION),
)
class UndoView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        undo_decision(submission, by=user)


@_action(
    "hide_entry",
    "Hide an entry",
    "Takes it off the leaderboard until it is restored. Only admins may.",
    SentDecisionSerializer,
    conflicts=conflicts_of(Action.HIDE),
)
class HideView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        hide_entry(submission, by=user, **_reason(fields))


@_action(
    "restore_entry",
    "Restore an entry",
    "Puts a hidden one on the leaderboard again. Only admins may.",
    SentSeenDecisionSerializer,
    conflicts=[*conflicts_of(Action.RESTORE), "changed"],
)
class RestoreView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        restore_entry(submission, by=user, **_reason(fields, needs_seen=True))


@_action(
    "withdraw_for_author",
    "Withdraw a submission of others",
    "For ever. A published entry leaves a note that it was withdrawn. Only admins may.",
    SentDecisionSerializer,
    conflicts=conflicts_of(Action.WITHDRAW),
)
class WithdrawForAuthorView(_ReviewActionView):
    def act(self, submission: Submission, user: User, fields: dict[str, Any]) -> None:
        withdraw_submission(submission, by=user, **_reason(fields))
