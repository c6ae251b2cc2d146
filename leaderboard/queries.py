"""Read what is public from the database, in a fixed number of queries, as plain values.

Aggregates only: never a row of an example.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from leaderboard.caveats import Doubts, doubts_of
from leaderboard.entries import Entry, Mark, Model
from portal.models import (
    Evaluation,
    LanguageModel,
    Release,
    ReportedEntry,
    ReportedScore,
    Submission,
    SubmissionState,
    TaskScore,
)
from portal.releases.titles import unique_titles
from portal.scores.runs import run_of
from portal.scores.scores import ByTask, Score, told

REPORTED_UNDER = "official-2024-06"  # the rules of the papers that the reported numbers are from
_REPORTED = "reported-"  # in front of the id of such an entry in addresses


@dataclass(frozen=True, slots=True)
class BoardRelease:
    slug: str
    title: str  # another one for each (portal.releases.titles)
    hidden: bool
    official: bool
    is_open: bool  # for submissions
    sizes: Mapping[str, int]  # examples of each task


def releases_with_boards() -> list[BoardRelease]:
    """In the order of their titles, the official ones first."""
    with_boards = Release.objects.with_boards().prefetch_related("data_sets")
    found = list(with_boards.order_by("-official", "title", "slug"))
    titles = unique_titles(found)
    return [
        BoardRelease(
            release.slug,
            titles[release.slug],
            release.hidden,
            release.official,
            release.accepts_submissions,
            {data_set.task: data_set.size for data_set in release.data_sets.all()},
        )
        for release in found
    ]


def front_release() -> str | None:
    """The slug of the release whose board is the first page; None where nothing is published.

    Of the official ones that with the most entries of its own, or else the newest other one that
    has any.
    """
    own = Q(submissions__state=SubmissionState.PUBLISHED)
    boards = Release.objects.with_boards().annotate(own=Count("submissions", filter=own))
    official = boards.filter(official=True).order_by("-own", "slug")
    if not _shown_on_every_official_board():
        official = official.filter(own__gt=0)
    others = boards.filter(official=False, own__gt=0).order_by("-created", "slug")
    chosen = official.first() or others.first()
    return chosen.slug if chosen else None


def _shown_on_every_official_board() -> bool:
    historical = Submission.objects.published().filter(origin=Submission.Origin.HISTORICAL)
    return historical.exists() or ReportedEntry.objects.exists()


def entries_of(release: BoardRelease, metric_set: str) -> list[Entry]:
    """Everything that stands on a board, under one metric set, in no order.

    Historical and reported entries belong to the boards of the official data. Of what was reported
    the rules are known to be those of ``REPORTED_UNDER`` only.
    """
    shown = Q(release__slug=release.slug, origin=Submission.Origin.UPLOADED)
    if release.official:
        shown |= Q(origin=Submission.Origin.HISTORICAL)
    entries = _submitted(public_submissions().filter(shown), metric_set)
    if release.official and metric_set == REPORTED_UNDER:
        entries += _reported(ReportedEntry.objects.all())
    return entries


def public_submissions() -> QuerySet[Submission, Submission]:
    """The published ones, with ``counts``: the evaluation whose scores count, the newest."""
    scored = Evaluation.objects.scored().filter(submission=OuterRef("pk"))
    newest = scored.order_by("-created", "-pk").values("pk")[:1]
    with_models = Submission.objects.published().select_related("language_model")
    return with_models.annotate(counts=Subquery(newest)).filter(counts__isnull=False)


def _submitted(submissions: QuerySet[Submission, Submission], metric_set: str) -> list[Entry]:
    found: list[Any] = list(submissions)
    evaluations = [one.counts for one in found]
    scores, doubts = _task_scores(evaluations, metric_set), doubts_of(evaluations)
    return [
        submitted_entry(one, scores.get(one.counts, {}), doubts.get(one.counts, {}))
        for one in found
    ]


def submitted_entry(submission: Submission, scores: ByTask, doubts: Doubts) -> Entry:
    historical = submission.origin == Submission.Origin.HISTORICAL
    return Entry(
        id=str(submission.pk),
        mark=Mark.HISTORICAL if historical else Mark.SCORED,
        model=model_of(submission.language_model),
        scores=scores,
        at=submission.created,
        run=run_of(submission),
        doubts=doubts,
    )


def _task_scores(evaluations: Iterable[int], metric_set: str) -> dict[int, dict[str, Score]]:
    rows = TaskScore.objects.filter(evaluation__in=evaluations, metric_set=metric_set)
    found: dict[int, dict[str, Score]] = {}
    values = rows.order_by().values_list(
        "evaluation", "task", "evaluation__submission__release__hidden",
        "mean", "stderr", "size", "answered", "public_percent", "is_previous_best",
    )  # fmt: skip
    for evaluation, task, hidden, mean, stderr, size, answered, percent, again in values:
        true = Score(mean, stderr, size, answered)
        if score := told(true, percent, again=again, exact=not hidden):
            found.setdefault(evaluation, {})[task] = score
    return found


def _reported(entries: QuerySet[ReportedEntry, ReportedEntry]) -> list[Entry]:
    scores: dict[int, dict[str, Score]] = {}
    rows = ReportedScore.objects.filter(entry__in=entries).order_by()
    for entry, task, percent in rows.values_list("entry", "task", "percent"):
        scores.setdefault(entry, {})[task] = Score(percent)
    with_models = entries.select_related("language_model")
    return [reported_entry(one, scores.get(one.pk, {})) for one in with_models]


def reported_entry(entry: ReportedEntry, scores: ByTask) -> Entry:
    return Entry(
        id=f"{_REPORTED}{entry.pk}",
        mark=Mark.REPORTED,
        model=model_of(entry.language_model),
        scores=scores,
        at=entry.created,
        source=entry.source,
    )


def reported_id(entry_id: str) -> int | None:
    """The number in the address of a reported entry; None where it is another one's."""
    number = entry_id.removeprefix(_REPORTED)
    is_one = entry_id.startswith(_REPORTED) and number.isdecimal() and len(number) < 10
    return int(number) if is_one else None


def model_of(model: LanguageModel) -> Model:
    return Model(model.slug, model.name, model.organisation, model.weights)
