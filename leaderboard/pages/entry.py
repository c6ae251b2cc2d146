"""Read what the pages behind a board show: one entry, one language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.board.cells import Cell, cell_of
from leaderboard.caveats import Doubts, doubts_of
from leaderboard.columns import Column, Kind, columns_of
from leaderboard.entries import Entry
from leaderboard.queries import (
    REPORTED_UNDER,
    public_submissions,
    reported_entry,
    reported_id,
    submitted_entry,
)
from portal.models import (
    AuditEntry,
    Evaluation,
    LanguageModel,
    ReportedEntry,
    Submission,
    SubmissionState,
)
from portal.scores.scores import BySet, Score, mean_of, scores_by_set
from scoring.catalog import DOMAINS, TASKS
from scoring.metrics import METRIC_SETS


class ScoreRow(NamedTuple):
    column: Column
    cells: list[tuple[str, Cell | None]]  # by metric set; None: missing
    counted: Score | None = None  # of a task, under any metric set: how much of it is answered
    doubt: str = ""  # why the score of a task says little


class Block(NamedTuple):
    """The rows of a domain; its mean where the release has all of its tasks."""

    domain: str
    mean: ScoreRow | None
    tasks: list[ScoreRow]


class ScoreSheet(NamedTuple):
    overall: ScoreRow
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class EntryDetails:
    entry: Entry
    sheet: ScoreSheet
    submission: Submission | None = None
    evaluation: Evaluation | None = None
    reported: ReportedEntry | None = None

    @property
    def language_model(self) -> LanguageModel | None:
        found = self.submission or self.reported
        return found.language_model if found else None


def entry_details(entry_id: str) -> EntryDetails | None:
    """What is public of an entry; None where there is no such, or not any more."""
    number = reported_id(entry_id)
    if number is not None:
        found = ReportedEntry.objects.select_related("language_model").filter(pk=number).first()
        return _of_reported(found) if found else None
    known = _uuid(entry_id)
    submissions = _of_submissions(public_submissions().filter(pk=known)) if known else []
    return submissions[0] if submissions else None


def withdrawn(entry_id: str) -> datetime | None:
    """When an entry that was public was taken back; None where there was none."""
    known = _uuid(entry_id)
    if known is None:
        return None
    history = AuditEntry.objects.filter(
        submission=known, submission__state=SubmissionState.WITHDRAWN
    )
    if not history.filter(after=SubmissionState.PUBLISHED).exists():
        return None
    return history.filter(after=SubmissionState.WITHDRAWN).values_list("at", flat=True).last()


def withdrawn_model(slug: str) -> datetime | None:
    """When the last public entry of a language model was taken back; None where none was."""
    withdrawn = Submission.objects.filter(
        language_model__slug=slug, state=SubmissionState.WITHDRAWN
    )
    public = withdrawn.filter(audit_entries__after=SubmissionState.PUBLISHED)
    entries = AuditEntry.objects.filter(submission__in=public, after=SubmissionState.WITHDRAWN)
    return entries.order_by("number").values_list("at", flat=True).last()


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _of_reported(found: ReportedEntry) -> EntryDetails:
    scores = {score.task: Score(score.percent) for score in found.scores.all()}
    sheet = score_sheet(columns_of(TASKS), {REPORTED_UNDER: scores}, {})
    return EntryDetails(reported_entry(found, scores), sheet, reported=found)


def _of_submissions(submissions: QuerySet[Submission, Submission]) -> list[EntryDetails]:
    """Of ``public_submissions``, however many, with the same few queries."""
    found: list[Any] = list(
        submissions.select_related("release").prefetch_related("release__data_sets")
    )
    newest = Evaluation.objects.defer("problems", "question").prefetch_related("task_scores")
    counts = [one.counts for one in found]
    evaluations, doubts = newest.in_bulk(counts), doubts_of(counts)
    return [
        _of_submission(one, evaluations[one.counts], doubts.get(one.counts, {})) for one in found
    ]


def _of_submission(submission: Submission, evaluation: Evaluation, doubts: Doubts) -> EntryDetails:
    evaluation.submission = submission  # which is known already
    by_set = scores_by_set(evaluation.task_scores.all(), exact=not submission.release.hidden)
    return EntryDetails(
        submitted_entry(submission, by_set[REPORTED_UNDER], doubts),
        score_sheet(columns_of(_tasks(submission)), by_set, doubts),
        submission,
        evaluation,
    )


def _tasks(submission: Submission) -> list[str]:
    """Those of the board that it stands on."""
    if submission.origin == Submission.Origin.HISTORICAL:
        return list(TASKS)
    return [data_set.task for data_set in submission.release.data_sets.all()]


def score_sheet(columns: Sequence[Column], by_set: BySet, doubts: Doubts) -> ScoreSheet:
    rows = [_row(column, by_set, doubts) for column in columns]
    means = {row.column.domain: row for row in rows if row.column.kind is Kind.DOMAIN}
    blocks = [
        Block(domain, means.get(domain), _of_domain(rows, domain))
        for domain in DOMAINS
        if _of_domain(rows, domain)
    ]
    return ScoreSheet(rows[0], blocks)


def _of_domain(rows: Sequence[ScoreRow], domain: str) -> list[ScoreRow]:
    return [row for row in rows if row.column.kind is Kind.TASK and row.column.domain == domain]


def _row(column: Column, by_set: BySet, doubts: Doubts) -> ScoreRow:
    scores = {name: mean_of(column.tasks, by_set.get(name, {})) for name in METRIC_SETS}
    cells = [
        (name, cell_of(column, score, doubts, digits=2) if score else None)
        for name, score in scores.items()
    ]
    if column.kind is not Kind.TASK:
        return ScoreRow(column, cells)
    return ScoreRow(
        column, cells, next(filter(None, scores.values()), None), doubts.get(column.id, "")
    )


class ModelEntry(NamedTuple):
    details: EntryDetails
    held: int  # tasks
    tasks: int  # of its board


def public_model(slug: str) -> tuple[LanguageModel, list[ModelEntry]] | None:
    """A language model and its entries; None where nothing of it is public.

    The newest first, and after them what was only reported.
    """
    model = LanguageModel.objects.filter(slug=slug).first()
    if model is None:
        return None
    submissions = _of_submissions(public_submissions().filter(language_model=model))
    with_scores = model.reported_entries.select_related("language_model").prefetch_related("scores")
    reported = with_scores.order_by("-created", "-pk")
    details = [*submissions, *map(_of_reported, reported)]
    return (model, [_model_entry(one) for one in details]) if details else None


def _model_entry(details: EntryDetails) -> ModelEntry:
    tasks = details.sheet.overall.column.tasks
    return ModelEntry(details, sum(task in details.entry.scores for task in tasks), len(tasks))
