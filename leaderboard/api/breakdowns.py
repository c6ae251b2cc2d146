"""The serializers of breakdowns."""

from typing import Any

from rest_framework import serializers

from leaderboard.pages.entries.breakdowns import bin_figures
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS


class BinSerializer(serializers.Serializer[Bin]):
    """One bin of a breakdown, with the values of ``bin_figures``; the CSV file has them too."""

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
    """A breakdown, and the entry that it belongs to."""

    entry = serializers.CharField(help_text="Id of the entry.")
    metric_set = serializers.ChoiceField(choices=list(METRIC_SETS), help_text="The metric set.")
