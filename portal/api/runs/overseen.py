"""What admins do about the endpoint runs of others: see what they use, pause and stop them."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.actions import ActionView, action
from portal.api.authentication import TokenView, owner_of
from portal.api.errors import valid
from portal.api.pages import CURSOR, Pages
from portal.endpoint_runs.progress.forms import REASON_CAP, REASON_MIN, ReasonForm
from portal.endpoint_runs.progress.overseen_runs import OverseenRun, overseen_runs, started_runs
from portal.endpoint_runs.services import pause_run_as_admin, stop_run_as_admin
from portal.errors import NotAllowedError
from portal.models import EndpointRun, RunState, Scope, User
from portal.web.problems import problems

_TAGS = ["Reviews"]
_NO_ADMIN = {403: ["no_reviewer", "not_allowed"]}


class OverseenRunSerializer(serializers.Serializer[OverseenRun]):
    """A run of anybody that has started: what it takes, but nothing of what it asks."""

    id = serializers.UUIDField(source="run.pk", help_text="Its id.")
    owner = serializers.CharField(source="run.owner.username", help_text="Whose it is.")
    state = serializers.ChoiceField(
        source="run.state",
        choices=[state.value for state in RunState if state != RunState.DRAFT],
        help_text="“ended” is for good.",
    )
    sentence = serializers.CharField(help_text="Where it stands.")
    host = serializers.CharField(help_text="Of its endpoint.")
    release = serializers.CharField(source="run.release.slug", help_text="The data.")
    started = serializers.DateTimeField(source="run.started", help_text="When.")
    ended_questions = serializers.IntegerField(source="ended", help_text="Questions with an end.")
    questions = serializers.IntegerField(source="total", help_text="Questions of the run.")
    requests = serializers.IntegerField(source="run.requests", help_text="Sent so far.")
    tokens = serializers.IntegerField(help_text="Of input and output, as the endpoint reports.")
    cost = serializers.FloatField(
        allow_null=True, help_text="By the prices of its author; null: there are none."
    )
    failures = serializers.IntegerField(help_text="Attempts without an answer.")


class OverseenRunPageSerializer(serializers.Serializer[Any]):
    """Some of the runs, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of older ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of newer ones, or null.")
    runs = OverseenRunSerializer(many=True, help_text="Those started last first.")


class SentRunReasonSerializer(serializers.Serializer[Any]):
    """Why."""

    reason = serializers.CharField(
        min_length=REASON_MIN, max_length=REASON_CAP, help_text="Its author sees it."
    )


def _check_admin(user: User) -> None:
    if not user.is_admin:
        raise NotAllowedError


class OverseenRunsView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.REVIEW}

    @extend_schema(
        operation_id="list_runs_of_all",
        summary="Endpoint runs of all authors",
        description="For admins, without drafts; 50 at a time.",
        tags=_TAGS,
        parameters=[CURSOR],
        responses={200: OverseenRunPageSerializer, **problems({400: ["bad_cursor"], **_NO_ADMIN})},
    )
    def get(self, request: Request) -> Response:
        admin = owner_of(request)
        _check_admin(admin)
        pages = Pages("runs", ordering=("-started", "pk"))
        found: Any = pages.paginate_queryset(started_runs(), request)
        rows: Any = overseen_runs(found, admin)
        return pages.get_paginated_response(OverseenRunSerializer(rows, many=True).data)


_action = partial(
    action,
    description="For admins. Its author sees the reason.",
    request=SentRunReasonSerializer,
    tag="Reviews",
    answer=OverseenRunSerializer,
    conflicts=["wrong_state"],
    refusals=_NO_ADMIN,
)


class _ActionView(ActionView[EndpointRun]):
    scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.REVIEW}

    def find(self, user: User, record_id: UUID) -> EndpointRun:
        _check_admin(user)
        return get_object_or_404(started_runs(), pk=record_id)

    def document(self, user: User, record_id: UUID) -> dict[str, Any]:
        [row] = overseen_runs([started_runs().get(pk=record_id)], user)
        return dict(OverseenRunSerializer(row).data)


@_action("pause_run_of_author", "Pause the run of an author")
class PauseForAuthorView(_ActionView):
    def act(self, run: EndpointRun, admin: User, fields: dict[str, Any]) -> None:
        pause_run_as_admin(run, admin, _reason(fields))


@_action("stop_run_of_author", "Stop the run of an author")
class StopForAuthorView(_ActionView):
    def act(self, run: EndpointRun, admin: User, fields: dict[str, Any]) -> None:
        stop_run_as_admin(run, admin, _reason(fields))


def _reason(fields: Mapping[str, Any]) -> str:
    reason: str = valid(ReasonForm(fields)).cleaned_data["reason"]
    return reason
