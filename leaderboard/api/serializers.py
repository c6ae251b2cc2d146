"""The serializers of entries. The documentation shows their fields with the help texts."""

from collections.abc import Mapping
from typing import Any, Literal

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.board.board import Board
from leaderboard.board.ranking.ranking import Line
from leaderboard.columns import Kind
from leaderboard.entries import Mark, OtherData
from portal.models import Submission
from portal.scores.controls import Control
from portal.scores.makers import MakerClaim
from portal.scores.scores import Score
from portal.scores.titles import SettingsLine
from portal.scores.trust import Trust
from scoring.metrics import METRIC_SETS

EntryKind = Literal["submitted", "historical", "reported"]
KINDS: Mapping[Mark, EntryKind] = {
    Mark.SCORED: "submitted",
    Mark.HISTORICAL: "historical",
    Mark.REPORTED: "reported",
}
BAND = "band"  # in place of a method, for a score that is only disclosed as a band


class ScoreSerializer(serializers.Serializer[Score]):
    """The score of a task, of a domain or of all tasks."""

    mean = serializers.SerializerMethodField(
        help_text="Percent, unrounded, of the examples that were asked. Missing answers count 0."
    )
    low = serializers.SerializerMethodField(
        help_text="Lower end of the 95 % interval, in percent; null if it is not known."
    )
    high = serializers.SerializerMethodField(help_text="Its upper end.")
    method = serializers.SerializerMethodField(
        help_text="How the interval was computed; null if there is none."
    )
    n = serializers.IntegerField(
        allow_null=True, source="size", help_text="Number of examples; null if it is not known."
    )
    asked = serializers.IntegerField(
        allow_null=True,
        help_text="Of a run by us that has not asked everything: number of examples that the mean "
        "is of. Null: all.",
    )
    run_sd = serializers.FloatField(
        allow_null=True,
        source="run_deviation",
        help_text="Standard deviation of single runs, in percentage points; null: a single run.",
    )
    answered = serializers.IntegerField(
        allow_null=True, help_text="Number of examples with an answer; null if it is not known."
    )

    def get_mean(self, score: Score) -> float | None:
        return None if score.width else score.percent

    def get_low(self, score: Score) -> float | None:
        if score.width:
            return score.percent
        return score.interval.low if score.interval else None

    def get_high(self, score: Score) -> float | None:
        if score.width:
            return score.end
        return score.interval.high if score.interval else None

    def get_method(self, score: Score) -> str | None:
        if score.width:
            return BAND
        return score.interval.method if score.interval else None


_SCORE = ScoreSerializer()


class SettingsLineSerializer(serializers.Serializer[SettingsLine]):
    """How the predictions were made, as far as the author has said."""

    prompt_strategy = serializers.CharField(help_text="In a few words, or empty.")
    truncation = serializers.ChoiceField(
        choices=Submission.Truncation.values,
        help_text="How texts longer than the input limit were cut.",
    )
    input_limit = serializers.IntegerField(allow_null=True, help_text="In tokens, or null.")
    output_limit = serializers.IntegerField(allow_null=True, help_text="In tokens, or null.")


class OtherDataSerializer(serializers.Serializer[OtherData]):
    """How the task's data differ from the leaderboard's."""

    size = serializers.IntegerField(help_text="Number of examples.")
    board_size = serializers.IntegerField(help_text="That of the leaderboard.")
    differing = serializers.IntegerField(help_text="Number of labels that differ.")


class EntrySerializer(serializers.Serializer[Line]):
    """An entry on a leaderboard."""

    id = serializers.CharField(source="entry.id", help_text="Its page is /entries/<id>/.")
    submission = serializers.UUIDField(
        source="entry.submission",
        allow_null=True,
        help_text="The ID of its submission, which stays when the model is renamed; null: only "
        "reported.",
    )
    model = serializers.CharField(source="entry.model.name", help_text="Name of the model.")
    model_id = serializers.CharField(
        source="entry.model.slug", help_text="Its page is /models/<model_id>/."
    )
    language_model = serializers.CharField(
        source="entry.model.slug", help_text="The same, as submissions and runs call it."
    )
    method = serializers.SerializerMethodField(
        help_text="What is built around the model; null: the model alone."
    )
    organisation = serializers.SerializerMethodField(help_text="Maker of the model, or null.")
    weights = serializers.SerializerMethodField(
        help_text="“open” or “closed”; null if it is not stated."
    )
    parameters = serializers.SerializerMethodField(
        help_text="Number of parameters as stated, such as “8B”, or null."
    )
    context_window = serializers.IntegerField(
        allow_null=True,
        source="entry.model.context_window",
        help_text="Claimed, in tokens, or null.",
    )
    released = serializers.SerializerMethodField(
        help_text="Release of the model: a day, a month or a year, or null."
    )
    kind = serializers.SerializerMethodField(
        help_text="“submitted”: scored here. “historical”: released outputs, scored here against "
        "the answers included in those files. “reported”: copied from a publication, not verified."
    )
    trust = serializers.ChoiceField(
        choices=list(Trust),
        source="entry.trust",
        help_text="How far the site can vouch for it. “reported”: nothing was scored here. "
        "“re-scored”: released files, with the answers included in them. “scored”: files made "
        "elsewhere, scored here. “run”: the site asked the endpoint itself.",
    )
    maker_claim = serializers.ChoiceField(
        choices=list(MakerClaim),
        allow_null=True,
        source="entry.maker_claim",
        help_text="Whether it is by the maker of the model. “claimed”: its author says so, "
        "not confirmed. “confirmed”: a reviewer has confirmed it. Null: it does not claim to be.",
    )
    asked_percent = serializers.IntegerField(
        allow_null=True,
        source="entry.sample.percent",
        default=None,
        help_text="Of a run by us that has not asked everything: percent of the questions, rounded "
        "down. Its scores are estimates from these, and it has no rank. Null: all were asked.",
    )
    control = serializers.ChoiceField(
        choices=list(Control),
        allow_null=True,
        source="entry.control",
        help_text="What the model was given where it was not the texts: “no-context”, nothing; "
        "“evidence-only”, the evidence. Such a control has no rank. Null: it is none.",
    )
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="Rank by the overall mean; null: tasks are missing, questions were not asked, or "
        "it is a control.",
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="Best rank that is plausible at 95 %; null if it is unranked or not computed "
        "yet.",
    )
    rank_high = serializers.IntegerField(
        allow_null=True, help_text="Worst rank that is plausible at 95 %, or null."
    )
    overall = serializers.SerializerMethodField(
        help_text="Mean over all tasks, as a score; null: tasks are missing."
    )
    domains = serializers.SerializerMethodField(
        help_text="By domain: its mean, as a score; null: tasks are missing."
    )
    scores = serializers.SerializerMethodField(
        help_text="By task, as far as there are any: the score."
    )
    submitted = serializers.DateField(
        allow_null=True,
        source="entry.submitted_on",
        help_text="Date (UTC); null if it was not submitted here.",
    )
    settings = serializers.SerializerMethodField(
        help_text="How the predictions were made, as stated by the author; null: not known."
    )
    source = serializers.SerializerMethodField(  # type: ignore[assignment]  # a field all the same
        help_text="The publication that reported the scores, or null."
    )
    labels = serializers.SerializerMethodField(
        help_text="The label versions that have all of its data; null: not known."
    )
    other_data = serializers.SerializerMethodField(
        help_text="By task: how its data differ from the leaderboard's: number of examples "
        "(size), that of the leaderboard (board_size), and of labels that differ (differing)."
    )
    unreliable = serializers.SerializerMethodField(
        help_text="Tasks whose score is unreliable. Its page says why."
    )
    runs = serializers.SerializerMethodField(
        help_text="Ids of the repeated runs whose mean this is, or empty."
    )
    page = serializers.SerializerMethodField(help_text="Path of its page.")

    def get_method(self, line: Line) -> str | None:
        return line.entry.method or None

    def get_organisation(self, line: Line) -> str | None:
        return line.entry.model.organisation or None

    def get_weights(self, line: Line) -> Literal["open", "closed"] | None:
        weights: Any = line.entry.model.weights
        return weights or None

    def get_parameters(self, line: Line) -> str | None:
        return line.entry.model.parameters or None

    def get_released(self, line: Line) -> str | None:
        return line.entry.model.released or None

    def get_kind(self, line: Line) -> EntryKind:
        return KINDS[line.entry.mark]

    @extend_schema_field(ScoreSerializer(allow_null=True))
    def get_overall(self, line: Line) -> dict[str, Any] | None:
        [overall] = self._scores(line, Kind.OVERALL).values()
        return overall

    @extend_schema_field(serializers.DictField(child=ScoreSerializer(allow_null=True)))
    def get_domains(self, line: Line) -> dict[str, Any]:
        return self._scores(line, Kind.DOMAIN)

    @extend_schema_field(serializers.DictField(child=ScoreSerializer()))
    def get_scores(self, line: Line) -> dict[str, Any]:
        return {task: score for task, score in self._scores(line, Kind.TASK).items() if score}

    @extend_schema_field(SettingsLineSerializer(allow_null=True))
    def get_settings(self, line: Line) -> dict[str, Any] | None:
        return line.entry.run and line.entry.run._asdict()

    def get_source(self, line: Line) -> str | None:
        return line.entry.source or None

    def get_labels(self, line: Line) -> list[str] | None:
        versions = line.entry.label_versions
        return None if versions is None else list(versions)

    @extend_schema_field(serializers.DictField(child=OtherDataSerializer()))
    def get_other_data(self, line: Line) -> dict[str, Any]:
        return {task: about._asdict() for task, about in sorted(line.entry.other_data.items())}

    def get_unreliable(self, line: Line) -> list[str]:
        return sorted(line.entry.caveats)

    def get_runs(self, line: Line) -> list[str]:
        return list(line.entry.run_ids)

    def get_page(self, line: Line) -> str:
        return reverse("entry", args=[line.entry.id])

    def _scores(self, line: Line, kind: Kind) -> dict[str, dict[str, Any] | None]:
        """By column, in the board's order; None where the entry lacks a task."""
        board: Board = self.context["board"]
        return {
            column.id: score and _SCORE.to_representation(score)
            for column, score in zip(board.columns, line.scores, strict=True)
            if column.kind is kind
        }


class EntryPageSerializer(serializers.Serializer[Any]):
    """A page of a leaderboard."""

    count = serializers.IntegerField(help_text="Number of all its entries.")
    next = serializers.URLField(allow_null=True, help_text="Address of the next page, or null.")
    previous = serializers.URLField(
        allow_null=True, help_text="Address of the previous page, or null."
    )
    release = serializers.CharField(help_text="The leaderboard.")
    metric_set = serializers.ChoiceField(choices=list(METRIC_SETS), help_text="The metric set.")
    labels = serializers.CharField(
        allow_null=True, help_text="The label version that was asked for; null: any."
    )
    trust = serializers.ListField(
        child=serializers.ChoiceField(choices=list(Trust)),
        help_text="The degrees of trust that were asked for; empty: any.",
    )
    entries = EntrySerializer(many=True, help_text="In the order of the leaderboard.")
