"""Tasks: what they ask, how answers are scored, and what guessing scores."""

from collections.abc import Mapping
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.answers import METRIC_SET, answer, checked_metric_set, rendered, rows_of, sent
from leaderboard.cache import cached_forever
from leaderboard.names import ANSWERS, QUESTIONS
from leaderboard.queries import BoardRelease, find_release, front_release, releases_with_boards
from leaderboard.tasks.rules import rules_of
from portal.scores.questions.guessing import Constant, guessing
from portal.web.problems import problems
from portal.web.public_api import PublicView, conditional
from scoring.catalog import BOARD_ORDER, DOMAINS, TASKS, Kind, Task
from scoring.metrics import METRIC_SETS

_TAGS = ["Tasks"]


class TaskSerializer(serializers.Serializer[Task]):
    """One of the twelve tasks."""

    id = serializers.ChoiceField(choices=list(TASKS), help_text="Its ID, as in its URL.")
    title = serializers.CharField(help_text="Its name, as in the paper.")
    domain = serializers.ChoiceField(choices=list(DOMAINS), help_text="Its domain.")
    context = serializers.ChoiceField(  # type: ignore[assignment]  # a field all the same
        choices=["synthetic", "realistic"], help_text="Where its texts come from."
    )
    question = serializers.SerializerMethodField(help_text="What it asks.")
    answer = serializers.SerializerMethodField(help_text="What an answer is.")
    kind = serializers.ChoiceField(
        choices=list(Kind), help_text="The same in a word, as the scorer calls it."
    )
    fractional = serializers.BooleanField(help_text="Whether an answer can be partly right.")
    examples = serializers.IntegerField(help_text="Number of examples in the official data.")
    input_tokens = serializers.IntegerField(help_text="Mean length there, in tokens.")
    output_tokens = serializers.IntegerField(
        help_text="Limit of the official runs; chat models need more."
    )
    page = serializers.SerializerMethodField(help_text="Path of its page.")

    def get_question(self, task: Task) -> str:
        return str(QUESTIONS[task.id])

    def get_answer(self, task: Task) -> str:
        return str(ANSWERS[task.kind])

    def get_page(self, task: Task) -> str:
        return reverse("task", args=[task.id])


class RuleSerializer(serializers.Serializer[Any]):
    """How answers are scored."""

    metric_sets = serializers.ListField(
        child=serializers.ChoiceField(choices=list(METRIC_SETS)),
        help_text="Under these metric sets.",
    )
    text = serializers.CharField(help_text="In words.")


class ConstantSerializer(serializers.Serializer[Constant]):
    """The score of giving the same answer to every question."""

    text = serializers.CharField(help_text="The answer.")
    percent = serializers.FloatField(help_text="What it scores.")


class SizeSerializer(serializers.Serializer[Any]):
    """How many examples the task has in a release."""

    release = serializers.CharField(help_text="The ID of the release, as in its URL.")
    examples = serializers.IntegerField(help_text="Number of examples of the task.")


class TaskDetailSerializer(TaskSerializer):
    """A task with its rules, and what guessing scores in a release under a metric set."""

    rules = RuleSerializer(many=True, help_text="In the order of the metric sets.")
    sizes = SizeSerializer(many=True, help_text="Of releases with a leaderboard.")
    release = serializers.CharField(
        allow_null=True, help_text="The release that the following is of; null: none has the task."
    )
    metric_set = serializers.ChoiceField(
        choices=list(METRIC_SETS), help_text="The metric set that the following is under."
    )
    chance = serializers.FloatField(
        allow_null=True,
        help_text="Percent of a random choice; null: there is nothing to choose from.",
    )
    constant = ConstantSerializer(
        allow_null=True, help_text="The best single answer to all questions; null: not known."
    )
    trick = ConstantSerializer(
        allow_null=True,
        help_text="A text with several answers in it that scores more: a weakness of the metric.",
    )


class TaskListSerializer(serializers.Serializer[Any]):
    """All tasks."""

    tasks = TaskSerializer(many=True, help_text="In the usual order.")


class TasksView(PublicView):
    @extend_schema(
        operation_id="list_tasks",
        summary="All tasks",
        description="There are twelve.",
        tags=_TAGS,
        responses=TaskListSerializer,
    )
    def get(self, request: Request) -> HttpResponseBase:
        return conditional(request, cached_forever("api/tasks", _tasks))


def _tasks() -> bytes:
    tasks = [TASKS[task] for task in BOARD_ORDER]
    return rendered({"tasks": rows_of(TaskSerializer, tasks)})


class TaskView(PublicView):
    @extend_schema(
        operation_id="get_task",
        summary="One task",
        description="With its rules in words, and what guessing scores. Of hidden releases that "
        "says nothing of labels.",
        tags=_TAGS,
        parameters=[
            OpenApiParameter(
                "release",
                description="The data that guesses are scored with. Default: that of the first "
                "page, or else any with the task.",
            ),
            METRIC_SET,
        ],
        responses={
            200: TaskDetailSerializer,
            **problems({400: ["unknown_metric_set"], 404: ["unknown_task", "unknown_release"]}),
        },
    )
    def get(self, request: Request, task: str) -> HttpResponseBase:
        query = sent(request, "release", "metric_set")
        return answer(request, f"task/{task}?{query}", lambda: task_document(task, query))


def task_document(task_id: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Raises ``NotFound`` and ``ParseError``."""
    task = TASKS.get(task_id)
    if task is None:
        raise NotFound(f"task is one of: {', '.join(TASKS)}.", "unknown_task")
    metric_set = checked_metric_set(query)
    releases = [one for one in releases_with_boards() if task_id in one.sizes]
    release = _release(query["release"], releases)
    is_secret = release is None or release.hidden
    guesses = guessing(task, release.slug if release else "", metric_set, hidden=is_secret)
    return {
        **TaskSerializer(task).data,
        "rules": [
            {"metric_sets": [one.name for one in rule.metric_sets], "text": str(rule.text)}
            for rule in rules_of(task_id)
        ],
        "sizes": [{"release": one.slug, "examples": one.sizes[task_id]} for one in releases],
        "release": release and release.slug,
        "metric_set": metric_set,
        "chance": guesses.chance,
        "constant": guesses.constant and guesses.constant._asdict(),
        "trick": guesses.trick and guesses.trick._asdict(),
    }


def _release(slug: str, releases: list[BoardRelease]) -> BoardRelease | None:
    """Raises ``NotFound`` if the release asked for does not have the task."""
    found = find_release(releases, slug or front_release())
    if slug and found is None:
        raise NotFound("There is no such release with this task.", "unknown_release")
    return found or next(iter(releases), None)
