"""The serializers of comparisons."""

from datetime import date
from typing import Any, Literal

from rest_framework import serializers

from leaderboard.comparison.claims import Answer, Claim
from scoring.metrics import METRIC_SETS


class DifferenceSerializer(serializers.Serializer[Claim]):
    """The difference behind the claim that the first entry is better than the second."""

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
        """Adds on how many of the n questions each of the two does better."""
        parts = instance.difference.parts if instance.difference else {}
        return {**super().to_representation(instance), **parts}


class ComparisonSerializer(DifferenceSerializer):
    """By how much entry a is better than entry b, and whether the data can tell."""

    a = serializers.CharField(help_text="Id of the one entry.")
    b = serializers.CharField(help_text="Id of the other entry.")
    attempts_a = serializers.IntegerField(
        allow_null=True,
        help_text="a is one of so many scored submissions of its model; null: it was not submitted "
        "here.",
    )
    attempts_b = serializers.IntegerField(allow_null=True, help_text="Likewise b.")
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
