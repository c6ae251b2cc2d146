"""Read the page of an entry: its scores under every metric set, and who is behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Prefetch, QuerySet
from django.urls import reverse

from leaderboard.board.cells import Cell, score_cell
from leaderboard.caveats import UNRELIABLE_PROBLEMS, Caveats, caveats_in
from leaderboard.citations import page_citation
from leaderboard.columns import Column, Kind, columns_of
from leaderboard.entries import Entry
from leaderboard.names import asked_note, mark_of
from leaderboard.queries import (
    public_submissions,
    reported_entry,
    submitted_entry,
)
from portal.models import (
    Action,
    AuditEntry,
    Evaluation,
    LanguageModel,
    ReportedEntry,
    Submission,
    User,
)
from portal.scores.samples import Sample, samples_among, unasked_tasks
from portal.scores.scores import (
    REPORTED_UNDER,
    BySet,
    Score,
    mean_of,
    partial_tasks,
    reported_score,
    scores_by_set,
)
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.catalog import DOMAINS, TASKS
from scoring.intervals import FEW_TEXTS
from scoring.metrics import METRIC_SETS

# What the page of an entry says about who is behind it.
_BEHIND = (
    "language_model__facts",
    Prefetch(
        "audit_entries",
        AuditEntry.objects.filter(action__in=(Action.PUBLISH, Action.SCHEDULE)).order_by("number"),
    ),
)


class ScoreRow(NamedTuple):
    column: Column
    cells: list[tuple[MetricSetTitle, Cell | None]]  # None: missing
    score: Score | None  # under any metric set, for the number of answered examples
    caveat: str  # why the score of a task is unreliable
    partial: bool  # for a task: fewer answers than publication needs
    unasked: int = 0  # for a task that its run never came to: all its questions


class Block(NamedTuple):
    """The rows of a domain."""

    domain: str
    mean: ScoreRow | None  # None: the release lacks some of its tasks
    tasks: list[ScoreRow]


class ScoreSheet(NamedTuple):
    overall: ScoreRow
    blocks: list[Block]


class Origin(NamedTuple):
    """Who is behind a submitted entry, as far as the public may know."""

    submitter: User | None  # None: the author does not wish to be named
    reviewed: AuditEntry | None  # the decision to publish, with its reason


@dataclass(frozen=True, slots=True)
class EntryDetails:
    entry: Entry
    sheet: ScoreSheet
    submission: Submission | None = None
    evaluation: Evaluation | None = None
    reported: ReportedEntry | None = None

    @property
    def language_model(self) -> LanguageModel | None:
        source = self.submission or self.reported
        return source.language_model if source else None

    @property
    def may_be_on_card(self) -> bool:
        return self.submission is not None and self.submission.is_for_model_cards

    @property
    def doubts(self) -> set[str]:
        """What makes intervals less certain than they look: few texts, or unknown ones."""
        if self.evaluation is None or (self.submission and self.submission.release.hidden):
            return set()
        counts = {row.texts for row in self.evaluation.task_scores.all()}
        found = {"unknown"} if None in counts else set()
        return found | {"few" for count in counts if count is not None and count < FEW_TEXTS}


def entry_details(entry_id: str) -> EntryDetails | None:
    """The public data of an entry; None if it does not exist or is no longer public."""
    submissions = public_submissions().at(entry_id).prefetch_related(*_BEHIND)
    if found := submission_details(submissions):
        return found[0]
    entries = ReportedEntry.objects.select_related("language_model")
    entry = entries.filter(slug=entry_id).first()
    return reported_details(entry) if entry else None


def origin_of(submission: Submission) -> Origin | None:
    """None if the site itself imported the entry."""
    if submission.owner is None:
        return None
    published = [
        one
        for one in submission.audit_entries.all()
        if one.action in (Action.PUBLISH, Action.SCHEDULE)
    ]
    return Origin(
        submission.owner if submission.show_account else None,
        published[-1] if published else None,
    )


def reported_details(entry: ReportedEntry) -> EntryDetails:
    scores = {one.task: reported_score(one.task, one.percent) for one in entry.scores.all()}
    sheet = score_sheet(columns_of(TASKS), {REPORTED_UNDER: scores}, {})
    return EntryDetails(reported_entry(entry, scores), sheet, reported=entry)


def submission_details(submissions: QuerySet[Submission, Submission]) -> list[EntryDetails]:
    """For any number of ``public_submissions``, in a fixed number of queries."""
    found: list[Any] = list(
        submissions.select_related("release", "owner").prefetch_related("release__data_sets")
    )
    with_problems = Evaluation.objects.annotate(unreliable=UNRELIABLE_PROBLEMS)
    with_scores = with_problems.defer("problems", "question").prefetch_related("task_scores")
    evaluations: dict[int, Any] = with_scores.in_bulk([one.current_evaluation for one in found])
    in_part = [
        pk
        for pk, one in evaluations.items()
        if any(score.asked is not None for score in one.task_scores.all())
    ]
    samples = samples_among(in_part) if in_part else {}
    unasked = unasked_tasks([one.pk for one in found]) if in_part else {}
    details = []
    for one in found:
        evaluation = evaluations[one.current_evaluation]
        caveats = caveats_in(evaluation.unreliable or ())
        sample = samples.get(evaluation.pk)
        never = unasked.get(one.pk, frozenset()) if sample else frozenset()
        details.append(_submission_details(one, evaluation, caveats, sample, never))
    return details


def _submission_details(
    submission: Submission,
    evaluation: Evaluation,
    caveats: Caveats,
    sample: Sample | None,
    unasked: Collection[str],
) -> EntryDetails:
    evaluation.submission = submission  # saves a query
    by_set = scores_by_set(evaluation, exact=not submission.release.hidden)
    sizes = {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}
    tasks = list(sizes)
    if submission.origin == Submission.Origin.HISTORICAL:
        tasks = list(TASKS)  # it is on the boards of the official data
    return EntryDetails(
        submitted_entry(submission, by_set[REPORTED_UNDER], caveats, sample),
        score_sheet(
            columns_of(tasks),
            by_set,
            caveats,
            least=submission.release.minimum_answered,
            unasked={task: sizes[task] for task in unasked},
        ),
        submission,
        evaluation,
    )


def score_sheet(
    columns: Sequence[Column],
    by_set: BySet,
    caveats: Caveats,
    *,
    least: int = 0,
    unasked: Mapping[str, int] = MappingProxyType({}),
) -> ScoreSheet:
    """``least``: the percentage of a task that publication needs answered; ``unasked``: by task,
    the questions that a run was to ask and never did."""
    partial = partial_tasks(next(iter(by_set.values()), {}), least)
    rows = []
    for column in columns:
        scores = {name: mean_of(column.tasks, by_set.get(name, {})) for name in METRIC_SETS}
        cells = [
            (
                METRIC_SET_TITLES[name],
                score_cell(column, score, caveats, decimals=2) if score else None,
            )
            for name, score in scores.items()
        ]
        score = next(filter(None, scores.values()), None)
        rows.append(
            ScoreRow(
                column,
                cells,
                score,
                caveats.get(column.id, ""),
                column.id in partial,
                unasked.get(column.id, 0),
            )
        )
    means = {row.column.domain: row for row in rows if row.column.kind is Kind.DOMAIN}
    tasks: dict[str, list[ScoreRow]] = {domain: [] for domain in DOMAINS}
    for row in rows:
        if row.column.kind is Kind.TASK:
            tasks[row.column.domain].append(row)
    blocks = [Block(domain, means.get(domain), found) for domain, found in tasks.items() if found]
    return ScoreSheet(rows[0], blocks)


def scorer_note(evaluation: Evaluation) -> str:
    """The version of the scorer, and the date: shown below pictures."""
    values = {"version": evaluation.scorer, "day": f"{evaluation.finished:%Y-%m-%d}"}
    return "scorer {version}, {day}".format(**values)


def entry_citation(details: EntryDetails) -> str:
    """In BibTeX, with the mean under the first metric set if there is one, and its origin."""
    entry, evaluation = details.entry, details.evaluation
    metric_set, cell = details.sheet.overall.cells[0]
    parts = [str(mark_of(entry).title), f"metric {metric_set.name}"]
    if details.submission:
        parts.insert(1, f"release {details.submission.release.slug}")
    if evaluation and evaluation.scorer:
        parts.append(f"scorer {evaluation.scorer}")
    if cell:
        interval = f" (95 % interval {cell.interval})" if cell.interval else ""
        note = f", {asked}" if (asked := asked_note(entry)) else ""
        parts.append(f"overall {cell.text}{interval}{note}")
    if entry.source:
        parts.append(f"source: {entry.source}")
    day = evaluation.finished if evaluation and evaluation.finished else entry.created
    title = f"{entry.title} on the InfiniteBench leaderboard"
    path = reverse("entry", args=[entry.id])
    return page_citation(f"entry-{entry.id}", title, ", ".join(parts), path, day.date())
