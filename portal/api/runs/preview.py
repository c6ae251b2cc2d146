"""The exact prompt that a run sends for one question."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.errors import Refused
from portal.endpoint_runs.configuration.drafts import get_run
from portal.endpoint_runs.configuration.preview import (
    RETRY_AFTER,
    BusyError,
    Part,
    Preview,
    UnreadableError,
    example_to_preview,
    make_preview,
    tasks_to_preview,
)
from portal.endpoint_runs.questions import settings_of_run
from portal.models import Scope
from portal.web.problems import problems


class PromptPartSerializer(serializers.Serializer[Part]):
    """Text; a fold of text that is sent, but not shown here; or what is cut out."""

    kind = serializers.ChoiceField(
        choices=["text", "evidence", "fold", "cut"], help_text="What it is."
    )
    text = serializers.CharField(help_text="Of text and evidence; else empty.")
    tokens = serializers.IntegerField(
        source="tokens.value",
        default=None,
        allow_null=True,
        help_text="Of a fold or a cut; else null.",
    )
    has_evidence = serializers.BooleanField(help_text="Of a cut: whether evidence is lost with it.")


class PreviewSerializer(serializers.Serializer[Preview]):
    """A prompt, with its long stretches folded."""

    task = serializers.CharField(source="question.task", help_text="The task.")
    key = serializers.CharField(source="question.key", help_text="The key of the example.")
    skipped = serializers.BooleanField(
        help_text="Whether it is not asked, since it does not fit and nothing may be cut."
    )
    tokens = serializers.IntegerField(
        source="count.value",
        default=None,
        allow_null=True,
        help_text="Of the prompt; null: it is not asked.",
    )
    tokens_estimated = serializers.BooleanField(
        source="count.estimated",
        default=None,
        allow_null=True,
        help_text="Whether these are estimated; or null.",
    )
    prompt_limit = serializers.IntegerField(
        source="limit", help_text="How many tokens the prompt may have."
    )
    output_limit = serializers.IntegerField(
        source="output", help_text="How many tokens the answer may have."
    )
    evidence = serializers.ChoiceField(
        choices=["whole", "kept", "cut", "unknown", "nothing", "skipped", "hidden"],
        source="sight",
        help_text="whole: nothing is cut; kept: something is, but no evidence; cut: evidence is; "
        "unknown: where the evidence is nobody knows; nothing: no context is sent; hidden: the "
        "labels are.",
    )
    parts = PromptPartSerializer(many=True, help_text="In their order.")


class PreviewView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.READ}

    @extend_schema(
        operation_id="preview_run",
        summary="The prompt for one question",
        description="Under the settings of the run, as its page shows it: both ends of the text, "
        "what is cut out, and the evidence.",
        tags=["Runs"],
        parameters=[
            OpenApiParameter("task", description="Without it the first that the run asks."),
            OpenApiParameter("key", description="Of the example; without it the task's first."),
        ],
        responses={
            200: PreviewSerializer,
            **problems({404: ["not_found"], 503: ["busy", "unreadable_text"]}),
        },
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        user = owner_of(request)
        run = get_run(user, run_id)
        settings = settings_of_run(run)
        first = next((task.id for task in tasks_to_preview(run, settings)), "")
        task = request.query_params.get("task") or first
        example = example_to_preview(run.release, task, request.query_params.get("key", ""))
        if example is None:
            raise NotFound
        try:
            preview = make_preview(run.release, example, settings, by=user)
        except BusyError as error:
            busy = "Previews are being made: ask again in a few seconds."
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, busy, "busy", RETRY_AFTER) from error
        except UnreadableError as error:
            unreadable = "The text of this question cannot be read. Please tell those who run it."
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, unreadable, "unreadable_text") from error
        return Response(PreviewSerializer(preview).data)
