"""Disputes about labels. Whoever may see a label may read its disputes and file one; reviewers
decide."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.conf import settings as site
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.bodies import fields_of
from portal.api.errors import valid
from portal.api.pages import CURSOR, Pages
from portal.models import Outcome, Scope
from portal.review.disputes.forms import LABEL_CAP, DecisionForm, DisputeForm, Proposal
from portal.review.disputes.queries import (
    ShownDispute,
    disputes_seen_by,
    find_dispute,
    find_disputed,
    shown_dispute,
    with_examples,
)
from portal.review.disputes.services import decide_dispute, file_dispute
from portal.review.forms import REASON_CAP, REASON_MIN
from portal.web.problems import problems

_TAGS = ["Disputes"]
_OPEN, _DECIDED = "open", "decided"


class DisputeSerializer(serializers.Serializer[ShownDispute]):
    """A doubt about a label, and what became of it."""

    number = serializers.IntegerField(source="dispute.pk", help_text="Its number.")
    url = serializers.SerializerMethodField(
        help_text="Its page, with what would change if the proposal were accepted."
    )
    release = serializers.CharField(
        source="about.release.slug", help_text="The release on whose page it was filed."
    )
    task = serializers.CharField(source="about.task.id", help_text="The task.")
    key = serializers.CharField(source="about.key", help_text="The key of the example.")
    label = serializers.ListField(  # type: ignore[assignment]  # a field all the same
        source="about.label", child=serializers.CharField(), help_text="The answers that count now."
    )
    proposed = serializers.ListField(
        child=serializers.CharField(),
        help_text="Those that should count; none: the question is better left out.",
    )
    reason = serializers.CharField(source="dispute.reason", help_text="What shows it.")
    filed_at = serializers.DateTimeField(source="dispute.filed_at", help_text="When.")
    outcome = serializers.SerializerMethodField(help_text="Null: it is open.")
    decision = serializers.CharField(
        source="dispute.decision", help_text="The reason of the outcome; or empty."
    )
    decided_at = serializers.DateTimeField(
        source="dispute.decided_at", allow_null=True, help_text="When; or null."
    )

    def get_url(self, shown: ShownDispute) -> str:
        return f"{site.SITE_URL}{reverse('dispute', args=[shown.dispute.pk])}"

    @extend_schema_field({"type": ["string", "null"], "enum": [*Outcome.values, None]})
    def get_outcome(self, shown: ShownDispute) -> str | None:
        return shown.dispute.outcome or None


class DisputePageSerializer(serializers.Serializer[Any]):
    """Some of the disputes, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of later ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of earlier ones, or null.")
    disputes = DisputeSerializer(many=True, help_text="Open ones the oldest first.")


class SentDisputeSerializer(serializers.Serializer[Any]):
    """What is wrong with a label."""

    release = serializers.CharField(help_text="The release.")
    task = serializers.CharField(help_text="The task.")
    key = serializers.CharField(help_text="The key of the example.")
    proposal = serializers.ChoiceField(
        choices=Proposal.values,
        help_text="label: another answer is right; leave-out: it cannot be answered.",
    )
    label = serializers.CharField(  # type: ignore[assignment]  # likewise
        required=False,
        max_length=LABEL_CAP,
        help_text="The right answer as the form takes it; several, at most 50, on lines of their "
        "own. Of a choice the letter or the text of the option; where the options are not stored, "
        "both: “B. Her brother”.",
    )
    reason = serializers.CharField(
        min_length=REASON_MIN,
        max_length=REASON_CAP,
        help_text="What in the context shows it. Everybody can read this.",
    )


class SentOutcomeSerializer(serializers.Serializer[Any]):
    """How a dispute ends."""

    outcome = serializers.ChoiceField(choices=Outcome.values, help_text="What is found.")
    reason = serializers.CharField(
        min_length=REASON_MIN, max_length=REASON_CAP, help_text="Readers of the example see this."
    )


def _document(shown: ShownDispute) -> dict[str, Any]:
    return dict(DisputeSerializer(shown).data)


class DisputesView(TokenView):
    """GET: those about labels that you may see. POST: a new one."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ, "POST": Scope.SUBMIT}

    @extend_schema(
        operation_id="list_disputes",
        summary="Disputes about labels",
        description="Open ones, those first that wait longest; or decided ones, the latest first. "
        "50 at a time.",
        tags=_TAGS,
        parameters=[
            CURSOR,
            OpenApiParameter("state", enum=[_OPEN, _DECIDED], description="“open” is the default."),
        ],
        responses={
            200: DisputePageSerializer,
            **problems({400: ["unknown_state", "bad_cursor"]}),
        },
    )
    def get(self, request: Request) -> Response:
        seen = with_examples(disputes_seen_by(owner_of(request)))
        match request.query_params.get("state", _OPEN):
            case "open":
                rows, order = seen.filter(outcome=""), ("filed_at", "pk")
            case "decided":
                rows, order = seen.exclude(outcome=""), ("-decided_at", "-pk")
            case _:
                raise ParseError("“state” is “open” or “decided”.", "unknown_state")
        pages = Pages("disputes", ordering=order)
        found: Any = pages.paginate_queryset(rows, request)
        shown: Any = [shown_dispute(one) for one in found]
        return pages.get_paginated_response(DisputeSerializer(shown, many=True).data)

    @extend_schema(
        operation_id="file_dispute",
        summary="Dispute a label",
        description="Reviewers decide about it. Published scores stay as they are.",
        tags=_TAGS,
        request=SentDisputeSerializer,
        responses={
            201: DisputeSerializer,
            **problems(
                {
                    400: ["no_object"],
                    404: ["not_found"],
                    409: ["same_label", "already_filed"],
                    422: ["invalid_fields"],
                    429: ["too_many_disputes"],
                }
            ),
        },
    )
    def post(self, request: Request) -> Response:
        user, sent = owner_of(request), fields_of(request, SentDisputeSerializer)
        about = find_disputed(user, sent)
        form = valid(DisputeForm(sent, task=about.task, example=about.example))
        filed = file_dispute(
            about.release,
            about.example,
            proposed_label=form.proposed_label,
            reason=form.cleaned_data["reason"],
            by=user,
        )
        shown = find_dispute(user, filed.pk)
        return Response(_document(shown), HTTPStatus.CREATED)


class DisputeView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ}

    @extend_schema(
        operation_id="get_dispute",
        summary="One dispute",
        tags=_TAGS,
        responses=DisputeSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        return Response(_document(find_dispute(owner_of(request), number)))


class DecideView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.REVIEW}

    @extend_schema(
        operation_id="decide_dispute",
        summary="Decide about a dispute",
        description="For reviewers, but not of disputes that they filed, nor about questions that "
        "they have answered. Published scores stay as they are: what is accepted becomes part of "
        "the proposed data set.",
        tags=_TAGS,
        request=SentOutcomeSerializer,
        responses={
            200: DisputeSerializer,
            **problems(
                {
                    400: ["no_object"],
                    403: ["no_reviewer", "not_allowed"],
                    409: ["wrong_state", "own_dispute", "interest"],
                    422: ["invalid_fields"],
                }
            ),
        },
    )
    def post(self, request: Request, number: int) -> Response:
        user = owner_of(request)
        shown = find_dispute(user, number)
        decision = valid(DecisionForm(fields_of(request, SentOutcomeSerializer))).cleaned_data
        outcome = Outcome(decision["outcome"])
        decide_dispute(shown.dispute, outcome, reason=decision["reason"], by=user)
        return Response(_document(find_dispute(user, number)))
