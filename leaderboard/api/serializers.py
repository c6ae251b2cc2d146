"""What the API says of an entry. The documentation lists these fields with their help texts."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.fields import DayField
from leaderboard.board.board import Board
from leaderboard.board.ranking import Line
from leaderboard.board.unanswerable import Silences
from leaderboard.columns import Kind
from leaderboard.comparison.claims import Answer, Claim
from leaderboard.entries import Mark, OtherData
from leaderboard.pages.breakdowns import bin_figures
from portal.ledger.attempts import Tried
from portal.models import Submission
from portal.scores.controls import Control
from portal.scores.facts import Facts
from portal.scores.scores import Score
from portal.scores.titles import SettingsLine
from portal.scores.trust import Trust
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS

EntryKind = Literal["submitted", "historical", "reported"]
KINDS: Mapping[Mark, EntryKind] = {
    Mark.SCORED: "submitted",
    Mark.HISTORICAL: "historical",
    Mark.REPORTED: "reported",
}
BAND = "band"  # instead of a method: of a score that is disclosed as a band only


class ScoreSerializer(serializers.Serializer[Score]):
    """Of a task, a domain or all tasks."""

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


class FactsSerializer(serializers.Serializer[Facts]):
    """Summaries of generated novels by the facts of their plots, beside the metric sets: in
    percent, and part of no mean."""

    recall = serializers.FloatField(help_text="How many facts a summary tells, on average.")
    precision = serializers.FloatField(
        help_text="How many of its sentences tell a fact, on average."
    )
    mean = serializers.FloatField(
        source="percent", help_text="The mean of the harmonic means of the two."
    )
    low = serializers.FloatField(
        source="interval.low",
        default=None,
        allow_null=True,
        help_text="Lower end of its 95 % interval, or null.",
    )
    high = serializers.FloatField(
        source="interval.high", default=None, allow_null=True, help_text="Its upper end."
    )


class SettingsLineSerializer(serializers.Serializer[SettingsLine]):
    """How predictions were made, as far as the author has said."""

    prompt_strategy = serializers.CharField(help_text="In a few words, or empty.")
    truncation = serializers.ChoiceField(
        choices=Submission.Truncation.values,
        help_text="How texts longer than the input limit were cut.",
    )
    input_limit = serializers.IntegerField(allow_null=True, help_text="In tokens, or null.")
    output_limit = serializers.IntegerField(allow_null=True, help_text="In tokens, or null.")


class OtherDataSerializer(serializers.Serializer[OtherData]):
    """How the data of a task differ from the leaderboard's."""

    size = serializers.IntegerField(help_text="Number of examples.")
    board_size = serializers.IntegerField(help_text="That of the leaderboard.")
    differing = serializers.IntegerField(help_text="Number of labels that differ.")


class EntrySerializer(serializers.Serializer[Line]):
    """A line of the board that is in the context."""

    id = serializers.CharField(source="entry.id", help_text="Its page is /entries/<id>/.")
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
        "“files”: the author's files were scored here. “spot-checked”: answers to random "
        "questions agree with the author's endpoint. “run”: the site asked the endpoint itself.",
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
    anonymous_until = DayField(
        allow_null=True,
        source="entry.anonymous_until",
        help_text="Until which day (UTC) model, method and people are hidden; null: they are "
        "shown.",
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
    facts = serializers.DictField(
        child=FactsSerializer(),
        source="entry.facts",
        help_text="Of generated releases, by task: summaries by facts, where these were scored.",
    )
    unanswerable = serializers.SerializerMethodField(
        help_text="Score, in percent, of the same model and method on the questions that the books "
        "of the release do not answer, a leaderboard of its own; null: none, or no such questions."
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

    def get_unanswerable(self, line: Line) -> float | None:
        silences: Silences = self.context["silences"] or {}
        found = silences.get(line.entry.system)
        return found.percent if found else None

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
        """By column, in the board's order; None where a task is missing."""
        board: Board = self.context["board"]
        return {
            column.id: score and _SCORE.to_representation(score)
            for column, score in zip(board.columns, line.scores, strict=True)
            if column.kind is kind
        }


class DifferenceSerializer(serializers.Serializer[Claim]):
    """Of a claim, that its first entry is better than its second: the difference behind it."""

    n = serializers.IntegerField(
        source="difference.n",
        default=0,
        help_text="Number of questions that both have, with equal labels; 0: none are compared.",
    )
    unpaired = serializers.IntegerField(
        source="difference.unpaired",
        default=0,
        help_text="Number of questions that only one of them has; they count as independent.",
    )
    difference = serializers.FloatField(
        source="difference.points",
        default=None,
        allow_null=True,
        help_text="Score of a minus score of b, in percentage points; null: one has no score, or "
        "the claim is “unshared”.",
    )
    low = serializers.FloatField(
        source="difference.low",
        default=None,
        allow_null=True,
        help_text="Lower end of the 95 % interval of the difference, or null.",
    )
    high = serializers.FloatField(
        source="difference.high", default=None, allow_null=True, help_text="Its upper end."
    )
    p = serializers.FloatField(
        source="difference.p",
        default=None,
        allow_null=True,
        help_text="Two-sided, that two equally good entries differ so much; null: not tested.",
    )
    test = serializers.SerializerMethodField(
        help_text="“mcnemar-exact” or “paired-t”. “intervals”: not compared by question, the "
        "interval comes from those of two independent scores. Null: there is no interval."
    )
    claim = serializers.ChoiceField(
        choices=list(Answer),
        source="answer",
        help_text="Whether “a is better than b” holds: “holds”, “opposite”, “open” (it could be "
        "chance), or why it cannot be tested: “hidden”, “reported”, “untested”, “missing”, or "
        "“unshared” (one is a run of a part, without a question that the other was asked).",
    )
    changed = serializers.SerializerMethodField(
        help_text="Date (UTC) on which one of the two was last scored or published."
    )

    def get_changed(self, claim: Claim) -> date:
        return claim.changed.date()

    def get_test(self, claim: Claim) -> Literal["mcnemar-exact", "paired-t", "intervals"] | None:
        test: Any = claim.difference and claim.difference.test
        return test or None

    def to_representation(self, instance: Claim) -> dict[str, Any]:
        """With how many of the n questions each of the two answers better."""
        parts = instance.difference.parts if instance.difference else {}
        return {**super().to_representation(instance), **parts}


class BinSerializer(serializers.Serializer[Bin]):
    """One bin of a breakdown. ``bin_figures`` has the values, which a CSV file has too."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: _bin_field(name, text) for name, text in _BIN_FIGURES.items()}

    def to_representation(self, instance: Bin) -> dict[str, Any]:
        return bin_figures(instance)


_BIN_FIGURES = {
    "from": "Least length in tokens, depth or number of hops; null for kinds.",
    "to": "The greatest; depths go up to, but do not include it, unless it is 1.",
    "depth_from": "Of length,depth: least depth. Otherwise null.",
    "depth_to": "Where its depths end.",
    "label": "What a chart would print, the same in every language.",
    "n": "Number of examples.",
    "mean": "Percent; null without examples. Missing and empty answers count 0.",
    "low": "Lower end of the 95 % interval, in percent, or null.",
    "high": "Its upper end.",
    "method": "How the interval was computed; null if there is none.",
    "wide": "Whether the interval is wider than 30 points, or there is none.",
    "texts": "Number of texts that the examples are about; null if it is not known.",
    "missing": "Number of examples without an answer.",
    "empty": "Number of blank answers.",
    "shrunk": "Of length,depth: points between its mean and that of all cells, drawn towards what "
    "its row and column let expect. Otherwise null.",
    "difference": "On a length ladder: points between its mean and that of the same questions at "
    "the shortest length. Otherwise null.",
    "difference_low": "Lower end of the 95 % interval of the difference, or null.",
    "difference_high": "Its upper end.",
    "difference_p": "Two-sided, that equally good answers differ so much, or null.",
    "difference_n": "Number of questions that have both lengths, or null.",
}


_BIN_TEXTS, _BIN_COUNTS = {"label", "method"}, {"n", "missing", "empty", "texts", "difference_n"}
_ALWAYS_THERE = {"label", "n", "wide", "missing", "empty"}


def _bin_field(name: str, text: str) -> serializers.Field[Any, Any, Any, Any]:
    kind: type[serializers.Field[Any, Any, Any, Any]] = serializers.FloatField
    if name in _BIN_TEXTS:
        kind = serializers.CharField
    elif name in _BIN_COUNTS:
        kind = serializers.IntegerField
    elif name == "wide":
        kind = serializers.BooleanField
    return kind(help_text=text, allow_null=name not in _ALWAYS_THERE)


class EffectiveContextSerializer(serializers.Serializer[Any]):
    """Tokens up to which the score stays at least a share of that at the shortest length, or of
    what the model scores with the evidence alone."""

    tokens = serializers.FloatField(help_text="The length.")
    low = serializers.FloatField(help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(
        allow_null=True, help_text="Its upper end; null: it may be longer than tested."
    )
    share = serializers.FloatField(help_text="The share, from 0 to 1.")
    questions = serializers.IntegerField(help_text="Number of questions at every length.")
    never_below = serializers.BooleanField(
        help_text="Whether the score never falls below the share."
    )
    of_evidence = serializers.BooleanField(
        help_text="Whether it is a share of the evidence-only score of the same model."
    )


class BreakdownSerializer(serializers.Serializer[Breakdown]):
    task = serializers.ChoiceField(choices=list(TASKS), help_text="The task.")
    by = serializers.ChoiceField(choices=list(By), help_text="What it is broken down by.")
    method = serializers.CharField(
        help_text="How the bins were chosen: “target-lengths”, “quantiles”, “equal-parts”, "
        "“values” or “quantile-grid”."
    )
    n = serializers.IntegerField(help_text="Number of examples in the bins.")
    unknown = serializers.IntegerField(
        help_text="Number of examples that are in no bin, since nothing is known of them."
    )
    p = serializers.FloatField(
        source="position.p",
        default=None,
        allow_null=True,
        help_text="By depth: that depths without any effect would look as different, from 2,000 "
        "permutations. Null if all answers score the same, and otherwise.",
    )
    effective_context = EffectiveContextSerializer(
        allow_null=True,
        help_text="By length on a ladder, with at least 60 questions; otherwise null.",
    )
    bins = BinSerializer(many=True, help_text="The bins, in order.")


class NamedBreakdownSerializer(BreakdownSerializer):
    """With the entry that it is of."""

    entry = serializers.CharField(help_text="Id of the entry.")
    metric_set = serializers.ChoiceField(choices=list(METRIC_SETS), help_text="The metric set.")


class TriedSerializer(serializers.Serializer[Tried]):
    """What an entry was chosen from, as far as the ledger knows: variants that were scored
    elsewhere are not counted."""

    scored = serializers.IntegerField(
        help_text="Different sets of predictions of these authors and this model, until then."
    )
    published = serializers.IntegerField(help_text="Of these, by now.")
    first = DayField(help_text="Day (UTC) of the first.")
    last = DayField(help_text="Day (UTC) of the last.")


class ComparisonSerializer(DifferenceSerializer):
    """How much entry a is better than entry b, and whether that can be told."""

    a = serializers.CharField(help_text="Id of the one entry.")
    b = serializers.CharField(help_text="Id of the other entry.")
    attempts_a = TriedSerializer(
        allow_null=True,
        help_text="What a was chosen from; null: it was not submitted here, or is anonymous.",
    )
    attempts_b = TriedSerializer(allow_null=True, help_text="Likewise b.")
    release = serializers.CharField(help_text="The leaderboard that both are on.")
    metric_set = serializers.ChoiceField(choices=list(METRIC_SETS), help_text="The metric set.")
    task = serializers.CharField(help_text="A task, a domain or “overall”.")
    both = serializers.IntegerField(
        required=False, help_text="Right or wrong: number of questions that both got right."
    )
    only_a = serializers.IntegerField(required=False, help_text="Likewise: only a.")
    only_b = serializers.IntegerField(required=False, help_text="Likewise: only b.")
    none = serializers.IntegerField(required=False, help_text="Likewise: neither.")
    a_higher = serializers.IntegerField(
        required=False, help_text="Partial scores: number of questions that a answers better."
    )
    b_higher = serializers.IntegerField(required=False, help_text="Likewise: b.")
    equal = serializers.IntegerField(required=False, help_text="Likewise: both alike.")


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
