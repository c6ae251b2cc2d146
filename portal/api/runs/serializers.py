"""What the API says about an endpoint run. A key is only taken, never given."""

from typing import Any, Literal, NamedTuple

from django.conf import settings as site
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.api.runs.progress import RunProgressSerializer
from portal.api.runs.sent import RunSettingsSerializer
from portal.endpoint_runs.configuration.connection_page import StepRow, connection_of
from portal.endpoint_runs.configuration.connection_sentences import TITLES
from portal.endpoint_runs.configuration.controls import controls_of_run
from portal.endpoint_runs.configuration.estimate import (
    CapShare,
    Estimate,
    TaskRow,
    read_estimate,
    standing_of,
)
from portal.endpoint_runs.progress.live_page import live_page
from portal.endpoint_runs.progress.sentences import standing_sentence
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.services import why_not
from portal.models import EndpointRun, RunAction, RunEnding, RunState
from portal.scores.controls import Control

_ENDS = {  # the last part of the address of each action of the owner
    RunAction.START: "start",
    RunAction.PAUSE: "pause",
    RunAction.RESUME: "resume",
    RunAction.STOP: "stop",
}
_OF_A_DRAFT = ("configure", "delete", "estimate", "test-connection")
_CONTROLS = "controls"


class RunSerializer(serializers.Serializer[EndpointRun]):
    """As its owner sees it."""

    id = serializers.UUIDField(source="pk", help_text="Its id, for the other addresses.")
    url = serializers.SerializerMethodField(help_text="Its page.")
    state = serializers.ChoiceField(
        choices=RunState.values, help_text="“ended” is for good. A draft has not started."
    )
    ending = serializers.SerializerMethodField(
        help_text="How it ends or has ended: finished, cap or stopped; or null."
    )
    sentence = serializers.SerializerMethodField(help_text="Where it stands, and what helps.")
    release = serializers.CharField(source="release.slug", help_text="The data.")
    language_model = serializers.CharField(
        source="language_model.slug", help_text="The name of the model in addresses."
    )
    method = serializers.CharField(help_text="What is built around the model; empty: nothing.")
    note = serializers.CharField(help_text="What is special about it.")
    same_questions_as = serializers.UUIDField(
        source="same_questions_as_id",
        allow_null=True,
        help_text="The earlier run whose questions it asks; null: its own.",
    )
    submission = serializers.UUIDField(
        source="submission_id",
        allow_null=True,
        help_text="What its answers have become, soon after it has ended; or null.",
    )
    created = serializers.DateTimeField(help_text="When it was configured first.")
    started = serializers.DateTimeField(allow_null=True, help_text="When it started, or null.")
    ended = serializers.DateTimeField(allow_null=True, help_text="When it ended, or null.")

    def get_url(self, run: EndpointRun) -> str:
        return f"{site.SITE_URL}{reverse('endpoint_run', args=[run.pk])}"

    @extend_schema_field(serializers.ChoiceField(choices=RunEnding.values, allow_null=True))
    def get_ending(self, run: EndpointRun) -> str | None:
        return run.ending or None

    def get_sentence(self, run: EndpointRun) -> str:
        return str(standing_sentence(run))


class RunPageSerializer(serializers.Serializer[Any]):
    """Some of the runs, and the addresses of the others."""

    next = serializers.URLField(allow_null=True, help_text="Address of older ones, or null.")
    previous = serializers.URLField(allow_null=True, help_text="Address of newer ones, or null.")
    runs = RunSerializer(many=True, help_text="The newest first.")


class StepSerializer(serializers.Serializer[StepRow]):
    """What was tried at the endpoint, and what came of it."""

    name = serializers.ChoiceField(
        choices=[name.value for name in TITLES], help_text="What was tried, in a word."
    )
    title = serializers.CharField(help_text="What was tried.")
    state = serializers.ChoiceField(
        choices=["works", "fails", "unknown"], help_text="What came of it."
    )
    code = serializers.CharField(help_text="The same more exactly, in a word.")
    sentence = serializers.CharField(help_text="As a sentence.")
    detail = serializers.CharField(help_text="What the endpoint said, without the key; or empty.")


class ConnectionSerializer(serializers.Serializer[Any]):
    """The test of the connection."""

    state = serializers.ChoiceField(
        choices=["none", "waiting", "reported", "lost"],
        help_text="“waiting”: ask again in some seconds. “lost”: it broke off; test again.",
    )
    seconds = serializers.FloatField(
        allow_null=True, help_text="For one short question; null: not measured."
    )
    steps = StepSerializer(many=True, help_text="One after the other.")


class CapShareSerializer(serializers.Serializer[CapShare]):
    """How far a cap reaches."""

    name = serializers.CharField(help_text="Of the cap: requests, tokens, money or seconds.")
    cap = serializers.FloatField(help_text="The cap.")
    needed = serializers.FloatField(help_text="What the whole run needs, at most.")
    share = serializers.FloatField(
        help_text="Percent of the run that the cap pays for; from 100 on all of it."
    )


class TaskEstimateSerializer(serializers.Serializer[TaskRow]):
    """What a task would take."""

    task = serializers.CharField(source="task.id", help_text="The task.")
    requests = serializers.IntegerField(help_text="Questions that are sent.")
    skipped = serializers.IntegerField(help_text="Questions that are not, as they do not fit.")
    cut = serializers.IntegerField(help_text="Prompts that have to be cut.")
    input_tokens = serializers.IntegerField(source="input", help_text="Of all prompts.")
    output_tokens = serializers.IntegerField(source="output", help_text="Of answers, at most.")
    ceilings = serializers.SerializerMethodField(
        help_text="By metric set: what a perfect reader of these prompts could score, in percent; "
        "empty: not told, as labels are hidden."
    )
    advice = serializers.CharField(
        help_text="What would raise a low ceiling: limit, output, window, skipped, "
        "evidence; or empty."
    )

    @extend_schema_field(serializers.DictField(child=serializers.FloatField()))
    def get_ceilings(self, row: TaskRow) -> dict[str, float]:
        return {title.name: ceiling for title, ceiling in row.by_set}


class EstimateSerializer(serializers.Serializer[Any]):
    """What the run would take; numbers are null until it is complete."""

    state = serializers.ChoiceField(
        choices=["computing", "complete", "failed"],
        help_text="“computing”: ask again in some seconds. “failed”: ask for it again.",
    )
    percent = serializers.IntegerField(help_text="How far it has come.")
    requests = serializers.IntegerField(allow_null=True, help_text="Questions that are sent.")
    input_tokens = serializers.IntegerField(allow_null=True, help_text="Of all prompts.")
    output_tokens = serializers.IntegerField(allow_null=True, help_text="Of answers, at most.")
    is_exact = serializers.BooleanField(
        allow_null=True, help_text="Whether tokens were counted, and not estimated."
    )
    cost = serializers.FloatField(
        allow_null=True, help_text="At most, in the currency of the prices; null without prices."
    )
    seconds = serializers.FloatField(
        allow_null=True, help_text="About; null until the connection was tested."
    )
    caps = CapShareSerializer(many=True, help_text="How far the caps reach.")
    tasks = TaskEstimateSerializer(many=True, help_text="Task by task.")


class RunControlSerializer(serializers.Serializer[Any]):
    """A control of a run."""

    control = serializers.ChoiceField(
        choices=list(Control), help_text="What the model is given in the place of the texts."
    )
    id = serializers.UUIDField(help_text="Id of that run.")
    state = serializers.ChoiceField(choices=RunState.values, help_text="Its status.")


class RunDetailSerializer(RunSerializer):
    """With its settings, and with how far it has come."""

    settings = serializers.SerializerMethodField(
        help_text="As they are sent: the document of the file of settings, without the key."
    )
    key_state = serializers.SerializerMethodField(
        help_text="Of the key, which is never given back. “deleted”: it was not used for days; "
        "resume with it."
    )
    reason = serializers.SerializerMethodField(
        help_text="Why it has paused or ended, as a code; or null."
    )
    details = serializers.CharField(
        source="reason_details", help_text="What the endpoint said about it, or an admin; or empty."
    )
    actions = serializers.SerializerMethodField(
        help_text="What you may do with it now, by the ends of addresses; and “delete”."
    )
    connection = serializers.SerializerMethodField(help_text="The test of the connection.")
    estimate = serializers.SerializerMethodField(
        help_text="Of a draft: what it would take; or null."
    )
    progress = serializers.SerializerMethodField(help_text="Of a run that has started; or null.")
    controls = serializers.SerializerMethodField(
        help_text="Runs that ask the same questions without their texts, or with nothing but the "
        "evidence: the newest of each, drafts too."
    )

    @extend_schema_field(RunSettingsSerializer)
    def get_settings(self, run: EndpointRun) -> dict[str, Any]:
        settings: dict[str, Any] = run.settings
        return settings

    def get_key_state(self, run: EndpointRun) -> Literal["stored", "none", "deleted"]:
        if run.key:
            return "stored"
        return "deleted" if run.is_key_deleted else "none"

    def get_reason(self, run: EndpointRun) -> str | None:
        return run.reason or None

    @extend_schema_field(
        serializers.ListField(
            child=serializers.ChoiceField([*_ENDS.values(), *_OF_A_DRAFT, _CONTROLS])
        )
    )
    def get_actions(self, run: EndpointRun) -> list[str]:
        user = self.context["user"]
        found = [end for one, end in _ENDS.items() if not why_not(run, one, user)]
        if controls_of_run(run, user).missing:
            found.append(_CONTROLS)
        return sorted([*found, *(_OF_A_DRAFT if run.state == RunState.DRAFT else ())])

    @extend_schema_field(ConnectionSerializer)
    def get_connection(self, run: EndpointRun) -> dict[str, Any]:
        found = connection_of(run)
        state = "lost" if found.lost else "none"
        if found.is_waiting or found.report:
            state = "waiting" if found.is_waiting else "reported"
        about = {"state": state, "seconds": found.seconds_each, "steps": found.rows}
        return dict(ConnectionSerializer(about).data)

    @extend_schema_field(EstimateSerializer(allow_null=True))
    def get_estimate(self, run: EndpointRun) -> dict[str, Any] | None:
        if run.state != RunState.DRAFT:
            return None
        return dict(EstimateSerializer(_estimate(run)).data)

    @extend_schema_field(RunProgressSerializer(allow_null=True))
    def get_progress(self, run: EndpointRun) -> dict[str, Any] | None:
        if run.state == RunState.DRAFT:
            return None
        return dict(RunProgressSerializer(live_page(run)).data)

    @extend_schema_field(RunControlSerializer(many=True))
    def get_controls(self, run: EndpointRun) -> list[dict[str, Any]]:
        runs = controls_of_run(run, self.context["user"]).runs
        return [
            {"control": control, "id": str(one.pk), "state": one.state} for control, one in runs
        ]


class _Estimated(NamedTuple):
    """What ``EstimateSerializer`` reads."""

    state: str
    percent: int
    requests: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    is_exact: bool | None = None
    cost: float | None = None
    seconds: float | None = None
    caps: tuple[CapShare, ...] = ()
    tasks: tuple[TaskRow, ...] = ()


def _estimate(run: EndpointRun) -> _Estimated:
    settings = settings_of_run(run)
    standing = standing_of(run, settings)
    if run.estimate and run.estimate.get("failed"):
        return _Estimated("failed", standing.percent)
    if not standing.is_complete:
        return _Estimated("computing", standing.percent)
    found: Estimate = read_estimate(run, settings, connection_of(run).seconds_each)
    return _Estimated(
        "complete",
        100,
        found.total.requests,
        found.total.input,
        found.total.output,
        not found.estimated,
        found.cost,
        found.seconds,
        found.caps,
        found.rows,
    )
