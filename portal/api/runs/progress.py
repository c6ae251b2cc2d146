"""How far a run has come, in the API."""

from typing import Any

from rest_framework import serializers

from portal.endpoint_runs.progress.figures import FailedAttempts, TaskProgress, Use, Waits
from portal.endpoint_runs.progress.live_page import LivePage
from portal.endpoint_runs.progress.running_score import RunningScore
from portal.endpoint_runs.progress.scope import Scope as AskedScope
from scoring.catalog import TASKS
from scoring.intervals import Interval

_IDS = {task.title: task.id for task in TASKS.values()}


class RunScoreIntervalSerializer(serializers.Serializer[Interval]):
    """Of 95 %, in percent."""

    low = serializers.FloatField(help_text="Its lower end.")
    high = serializers.FloatField(help_text="Its upper end.")
    method = serializers.CharField(help_text="How it was computed.")


class TaskProgressSerializer(serializers.Serializer[TaskProgress]):
    """How far a task has come."""

    task = serializers.CharField(help_text="The task.")
    ended = serializers.IntegerField(help_text="Questions that are done.")
    total = serializers.IntegerField(help_text="Questions of the run.")
    outcomes = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="How many were answered, empty, refused, cut at the output limit, skipped, "
        "failed by the endpoint, failed by us.",
    )


class UseSerializer(serializers.Serializer[Use]):
    """Something that may have a cap."""

    name = serializers.CharField(help_text="requests, tokens, money or seconds.")
    used = serializers.FloatField(help_text="So far, without what is in flight.")
    cap = serializers.FloatField(allow_null=True, help_text="Where the run ends; null: none.")


class RunFailureSerializer(serializers.Serializer[FailedAttempts]):
    """Attempts without an answer, of one kind."""

    kind = serializers.CharField(help_text="In a word.")
    sentence = serializers.CharField(help_text="As a sentence.")
    attempts = serializers.IntegerField(help_text="How many.")
    detail = serializers.CharField(help_text="What the endpoint said last, without the key.")
    task = serializers.SerializerMethodField(help_text="Of the last.")
    example = serializers.CharField(source="key", help_text="Of the last: its id in the release.")
    at = serializers.DateTimeField(help_text="When the last one failed.")

    def get_task(self, failed: FailedAttempts) -> str:
        return _IDS[failed.task]


class WaitsSerializer(serializers.Serializer[Waits]):
    """The time to the first token, of prompts that are about as long."""

    length = serializers.CharField(help_text="Of the prompts, in tokens.")
    n = serializers.IntegerField(help_text="How many were measured.")
    median = serializers.FloatField(help_text="Seconds.")
    slow = serializers.FloatField(help_text="Seconds; nine of ten are faster.")


class TaskScoreSoFarSerializer(serializers.Serializer[Any]):
    """Of a task, so far."""

    task = serializers.CharField(help_text="The task.")
    mean = serializers.FloatField(help_text="Percent.")
    interval = RunScoreIntervalSerializer(allow_null=True, help_text="Null: none can be given.")
    n = serializers.IntegerField(help_text="Questions that count.")
    size = serializers.IntegerField(help_text="Questions of the release.")


class RunningScoreSerializer(serializers.Serializer[RunningScore]):
    """The score of what was answered so far. Nothing of it is official."""

    mean = serializers.FloatField(
        source="estimate.mean",
        allow_null=True,
        help_text="Of all tasks, in percent; null: one has no answer yet.",
    )
    interval = RunScoreIntervalSerializer(
        source="estimate.interval", allow_null=True, help_text="Of the mean; or null."
    )
    tasks = TaskScoreSoFarSerializer(source="estimate.tasks", many=True, help_text="Task by task.")
    judged = serializers.IntegerField(help_text="Questions that were scored …")
    ended = serializers.IntegerField(help_text="… of so many that are done.")
    scope = serializers.ChoiceField(
        choices=[one.value for one in AskedScope],
        help_text="Which questions the run asks. “sample”: drawn at random, so the score says "
        "something of all. “fixed”: the smoke test.",
    )


class SpentSerializer(serializers.Serializer[Any]):
    """As the endpoint reports it."""

    requests = serializers.IntegerField(help_text="Requests.")
    input_tokens = serializers.IntegerField(source="input", help_text="Cached ones too.")
    cached_tokens = serializers.IntegerField(source="cached", help_text="Of these.")
    output_tokens = serializers.IntegerField(source="output", help_text="Of answers.")


class RunProgressSerializer(serializers.Serializer[LivePage]):
    """How far a run has come, and what it took."""

    ended = serializers.IntegerField(source="progress.ended", help_text="Questions that are done.")
    total = serializers.IntegerField(source="progress.total", help_text="Questions of the run.")
    in_flight = serializers.IntegerField(
        source="progress.in_flight", help_text="Questions that wait for the endpoint."
    )
    per_minute = serializers.FloatField(
        allow_null=True, help_text="Questions, over the last minutes; or null."
    )
    seconds_left = serializers.IntegerField(
        allow_null=True, help_text="At this rate; null: not known."
    )
    spent = SpentSerializer(help_text="So far, without what is in flight.")
    uses = UseSerializer(many=True, help_text="The same against the caps.")
    tasks = TaskProgressSerializer(source="progress.tasks", many=True, help_text="Task by task.")
    failures = RunFailureSerializer(many=True, help_text="By kind, the most frequent first.")
    waits = WaitsSerializer(many=True, help_text="By the length of the prompt.")
    score = RunningScoreSerializer(
        allow_null=True,
        help_text="So far; null: nothing is known yet, labels are hidden, or it is submitted.",
    )
