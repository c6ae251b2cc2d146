"""One entry: its scores under every metric set, how it was made, and its files."""

from typing import Any

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.answers import answer
from leaderboard.api.errors import Gone
from leaderboard.api.serializers import (
    KINDS,
    EntryKind,
    ScoreSerializer,
    SettingsLineSerializer,
)
from leaderboard.columns import Column, Kind
from leaderboard.pages.entries.attempts import Attempts, attempts_behind
from leaderboard.pages.entries.entry import EntryDetails, entry_details
from leaderboard.pages.entries.ranks import entry_ranks
from leaderboard.pages.entries.runs import repeated_runs_of
from leaderboard.pages.tombstones import entry_tombstone
from portal.permissions.access import current_ids
from portal.scores.controls import Control
from portal.scores.makers import MakerClaim
from portal.scores.scores import REPORTED_UNDER, BySet, mean_of, scores_by_set
from portal.scores.trust import Trust
from portal.web.problems import problems
from portal.web.public_api import PublicView
from scoring.metrics import METRIC_SETS

_FILES = {  # by format: the view's name; only for entries scored here, with public labels
    "report": "entry-report",
    "predictions": "entry-predictions",
    "examples_csv": "entry-examples-csv",
    "examples_jsonl": "entry-examples-jsonl",
    "metric_sets_json": "entry-metrics-json",
    "metric_sets_csv": "entry-metrics-csv",
    "every_eval_ever": "entry-every-eval-ever",
}


class EntrySummarySerializer(serializers.Serializer[EntryDetails]):
    """An entry with its overall score under each metric set."""

    id = serializers.CharField(source="entry.id", help_text="Its ID, as in its URL.")
    submission = serializers.UUIDField(
        source="entry.submission",
        allow_null=True,
        help_text="The ID of its submission, which stays when the model is renamed; null: only "
        "reported.",
    )
    model = serializers.CharField(source="entry.model.name", help_text="Name of the model.")
    model_id = serializers.CharField(
        source="entry.model.slug", help_text="The ID of the model, as in its URL."
    )
    language_model = serializers.CharField(
        source="entry.model.slug", help_text="The same, as submissions and runs call it."
    )
    method = serializers.SerializerMethodField(
        help_text="What is built around the model; null: the model alone."
    )
    kind = serializers.SerializerMethodField(
        help_text="“submitted”: scored here. “historical”: released outputs, scored here against "
        "the answers included in those files. “reported”: copied from a publication."
    )
    trust = serializers.ChoiceField(
        choices=list(Trust),
        source="entry.trust",
        help_text="How far the site can vouch for it, from “reported” to “run”.",
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
    release = serializers.SerializerMethodField(
        help_text="The data; null: it was not submitted for a release."
    )
    submitted = serializers.DateField(
        allow_null=True,
        source="entry.submitted_on",
        help_text="Date (UTC); null: it was not submitted here.",
    )
    overall = serializers.SerializerMethodField(
        help_text="By metric set: the mean over all tasks, as a score; null: tasks are missing."
    )
    page = serializers.SerializerMethodField(help_text="Path of its page.")

    def get_method(self, details: EntryDetails) -> str | None:
        return details.entry.method or None

    def get_kind(self, details: EntryDetails) -> EntryKind:
        return KINDS[details.entry.mark]

    def get_release(self, details: EntryDetails) -> str | None:
        is_submitted = details.submission and details.entry.submitted_on
        return details.submission.release.slug if details.submission and is_submitted else None

    @extend_schema_field(serializers.DictField(child=ScoreSerializer(allow_null=True)))
    def get_overall(self, details: EntryDetails) -> dict[str, Any]:
        found = _scores(details, Kind.OVERALL)
        return {name: next(iter(scores.values())) for name, scores in found.items()}

    def get_page(self, details: EntryDetails) -> str:
        return reverse("entry", args=[details.entry.id])


class RankSerializer(serializers.Serializer[Any]):
    """The rank of an entry on its leaderboard, under one metric set."""

    metric_set = serializers.ChoiceField(choices=list(METRIC_SETS), help_text="The metric set.")
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="By the overall mean; null: tasks are missing, or the leaderboard lists a "
        "better entry of the model.",
    )
    range = serializers.CharField(
        help_text="The ranks that are plausible at 95 %, such as “2–4”; empty without a rank."
    )
    ranked = serializers.IntegerField(help_text="Number of entries that have a rank.")


class EntryScoringSerializer(serializers.Serializer[Any]):
    """How the predictions were scored."""

    scorer = serializers.CharField(help_text="Version of the scorer.")
    finished = serializers.DateTimeField(
        help_text="When they were scored.",
    )
    sandbox = serializers.CharField(
        source="sandbox_level", help_text="How well the scorer was shut in while it read them."
    )


class AttemptsSerializer(serializers.Serializer[Attempts]):
    """The entry is one of so many scored submissions of its model; what was scored elsewhere is not
    counted."""

    scored = serializers.IntegerField(
        help_text="Different sets of predictions that the same account had scored for this model "
        "on this release until it was published, also those that were deleted since."
    )
    luck = serializers.FloatField(
        allow_null=True,
        help_text="By how many percentage points the best of so many equally good variants would "
        "exceed what they are worth, at most, overall under the first metric set; null: the "
        "overall score has no standard error.",
    )


class EntryDetailSerializer(EntrySummarySerializer):
    """An entry with everything that is public about it."""

    domains = serializers.SerializerMethodField(
        help_text="By metric set and domain: its mean, as a score; null: tasks are missing."
    )
    scores = serializers.SerializerMethodField(
        help_text="By metric set and task, as far as there are any: the score."
    )
    unreliable = serializers.DictField(
        child=serializers.CharField(),
        source="entry.caveats",
        help_text="By task: why its score is unreliable.",
    )
    settings = SettingsLineSerializer(
        source="entry.run",
        allow_null=True,
        help_text="How the predictions were made, as stated by the author; null: not known.",
    )
    source = serializers.SerializerMethodField(  # type: ignore[assignment]  # a field all the same
        help_text="The publication that reported the scores, or null."
    )
    leaderboard = serializers.SerializerMethodField(
        help_text="The release on whose leaderboard the ranks are; null: it is on none."
    )
    ranks = serializers.SerializerMethodField(help_text="There, under each metric set.")
    runs = serializers.SerializerMethodField(
        help_text="Ids of all entries that were made in the same way, with this one; or empty."
    )
    scoring = EntryScoringSerializer(
        source="evaluation", allow_null=True, help_text="Null: nothing was scored here."
    )
    attempts = serializers.SerializerMethodField(
        help_text="What it was chosen from; null: it was not submitted here."
    )
    exports = serializers.SerializerMethodField(
        help_text="By name: paths of what can be downloaded. Of hidden releases there are none."
    )

    @extend_schema_field(
        serializers.DictField(child=serializers.DictField(child=ScoreSerializer(allow_null=True)))
    )
    def get_domains(self, details: EntryDetails) -> dict[str, Any]:
        return _scores(details, Kind.DOMAIN)

    @extend_schema_field(
        serializers.DictField(child=serializers.DictField(child=ScoreSerializer()))
    )
    def get_scores(self, details: EntryDetails) -> dict[str, Any]:
        return {
            name: {task: score for task, score in scores.items() if score}
            for name, scores in _scores(details, Kind.TASK).items()
        }

    def get_source(self, details: EntryDetails) -> str | None:
        return details.entry.source or None

    def get_leaderboard(self, details: EntryDetails) -> str | None:
        ranks = entry_ranks(details)
        return ranks.release.slug if ranks else None

    @extend_schema_field(RankSerializer(many=True))
    def get_ranks(self, details: EntryDetails) -> list[dict[str, Any]]:
        ranks = entry_ranks(details)
        return [
            {
                "metric_set": name,
                "rank": place.rank,
                "range": place.rank_text,
                "ranked": place.ranked,
            }
            for name, place in zip(METRIC_SETS, ranks.places if ranks else (), strict=False)
        ]

    def get_runs(self, details: EntryDetails) -> list[str]:
        repeated = repeated_runs_of(details)
        return [one.entry.id for one in repeated.runs] if repeated else []

    @extend_schema_field(AttemptsSerializer(allow_null=True))
    def get_attempts(self, details: EntryDetails) -> dict[str, Any] | None:
        attempts = attempts_behind(details)
        return dict(AttemptsSerializer(attempts).data) if attempts else None

    def get_exports(self, details: EntryDetails) -> dict[str, str]:
        if details.submission is None or details.submission.release.hidden:
            return {}
        names = _FILES | ({"run_yaml": "entry-run"} if details.entry.is_run_by_us else {})
        if details.may_be_on_card:
            names |= {"eval_results": "entry-eval-results"}
        return {name: reverse(view, args=[details.entry.id]) for name, view in names.items()}


def _scores(details: EntryDetails, kind: Kind) -> dict[str, dict[str, Any]]:
    """By metric set and column, in the board's order; None where the entry lacks a task."""
    columns = [column for column in _columns(details) if column.kind is kind]
    by_set = _by_set(details)
    score_fields = ScoreSerializer()
    return {
        name: {
            column.id: score and score_fields.to_representation(score)
            for column in columns
            for score in [mean_of(column.tasks, by_set.get(name, {}))]
        }
        for name in METRIC_SETS
    }


def _columns(details: EntryDetails) -> list[Column]:
    sheet = details.sheet
    means = [block.mean.column for block in sheet.blocks if block.mean]
    tasks = [row.column for block in sheet.blocks for row in block.tasks]
    return [sheet.overall.column, *means, *tasks]


def _by_set(details: EntryDetails) -> BySet:
    if details.evaluation is None or details.submission is None:
        return {REPORTED_UNDER: details.entry.scores}
    return scores_by_set(details.evaluation, exact=not details.submission.release.hidden)


class EntryView(PublicView):
    @extend_schema(
        operation_id="get_entry",
        summary="One entry",
        description="Its scores with intervals under every metric set, its ranks, how it was made "
        "and scored, and what can be downloaded.",
        tags=["Entries"],
        responses={
            200: EntryDetailSerializer,
            **problems({404: ["unknown_entry"], 410: ["entry_gone"]}),
        },
    )
    def get(self, request: Request, entry_id: str) -> HttpResponseBase:
        return answer(request, f"entry/{entry_id}", lambda: entry_document(entry_id))


def entry_document(entry_id: str) -> dict[str, Any]:
    """Raises ``NotFound`` and ``Gone``."""
    current = current_ids([entry_id]).get(entry_id, entry_id)
    details = entry_details(current)
    if details is None:
        if entry_tombstone(current):
            raise Gone
        raise NotFound("There is no such public entry.", "unknown_entry")
    return dict(EntryDetailSerializer(details).data)
