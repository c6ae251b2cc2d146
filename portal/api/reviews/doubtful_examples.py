"""Questions of a task that reviewers should look at: the most informative ones."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.authentication import TokenView, owner_of
from portal.api.errors import check_given
from portal.models import Scope
from portal.review.doubts.example_queue import ORDERS, QueuedExample, example_queue
from portal.review.doubts.task_choice import TaskChoice
from portal.scores.questions.items import QuestionFacts
from portal.web.problems import problems

_TAGS = ["Reviews"]
_REFUSALS: Mapping[int, list[str]] = {403: ["no_reviewer", "not_allowed"], 404: ["not_found"]}
_RELEASE = OpenApiParameter("release", required=True, description="The release.")
_TASK = OpenApiParameter("task", required=True, description="The task.")


class QuestionFactsSerializer(serializers.Serializer[QuestionFacts]):
    """What the published entries tell of a question."""

    information = serializers.FloatField(help_text="How much can be learnt from it: 0 to 3.")
    mean = serializers.FloatField(allow_null=True, help_text="Mean score of the entries: 0 to 1.")
    discrimination = serializers.FloatField(
        allow_null=True, help_text="Whether better entries answer it better: −1 to 1."
    )
    disagreement = serializers.FloatField(
        allow_null=True, help_text="Mean range between the metric sets: 0 to 1."
    )
    answered = serializers.IntegerField(help_text="Number of entries with an answer.")
    gold_missing = serializers.BooleanField(
        help_text="Whether its gold answer ought to be in its context, and is not."
    )


class QueuedExampleSerializer(serializers.Serializer[QueuedExample]):
    """A question, and why to look at it."""

    key = serializers.CharField(help_text="The key of the example.")
    page = serializers.CharField(source="url", help_text="Path of its page.")
    question = serializers.CharField(help_text="Its end.")
    facts = QuestionFactsSerializer(help_text="Under all metric sets.")


class ExampleQueueSerializer(serializers.Serializer[Any]):
    """The first questions."""

    entries = serializers.IntegerField(help_text="Published entries that have answered the task.")
    examples = QueuedExampleSerializer(many=True, help_text="50 at most.")


class ExampleQueueView(TokenView):
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.REVIEW}

    @extend_schema(
        operation_id="list_examples_to_review",
        summary="Questions to look at",
        description="Those first from which a reviewer learns most; another `order` puts forward "
        "one reason.",
        tags=_TAGS,
        parameters=[
            _RELEASE,
            _TASK,
            OpenApiParameter("order", enum=list(ORDERS), description="“information”: all of it."),
        ],
        responses={
            200: ExampleQueueSerializer,
            **problems({400: ["unknown_order", "missing_parameter"], **_REFUSALS}),
        },
    )
    def get(self, request: Request) -> Response:
        if request.query_params.get("order", "information") not in ORDERS:
            raise ParseError(f"“order” is one of {', '.join(ORDERS)}.", "unknown_order")
        check_given(request.query_params, "release", "task")
        queue = example_queue(owner_of(request), request.query_params)
        if queue is None or not _is_requested(queue.choice, request):
            raise Http404
        rows: Any = queue.rows
        listed = QueuedExampleSerializer(rows, many=True).data
        return Response({"entries": queue.entries, "examples": listed})


def _is_requested(choice: TaskChoice, request: Request) -> bool:
    """Whether the choice is what was asked for: pages fall back to another release or task."""
    named = request.query_params
    return (choice.release.slug, choice.task.id) == (named.get("release"), named.get("task"))
