"""The scores of an evaluation as a table: domains with their tasks, under every metric set."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from django.utils.safestring import SafeString

from portal.models import Evaluation, Submission
from portal.models.release import is_partial
from portal.scores.disclosure import BAND, MIN_COVERAGE, enough_answered
from portal.scores.documents.findings import UNRELIABLE, Finding, fill, findings_of
from portal.scores.samples import unasked_tasks
from portal.scores.scores import BySet, Score, mean_of, scores_by_set
from portal.scores.titles import (
    DOMAIN_TITLES,
    METRIC_SET_TITLES,
    MetricSetTitle,
    breakable,
)
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.metrics import METRIC_SETS

Scores = list[Score | None]  # in the order of METRIC_SETS; None: missing or withheld

_CAVEATS: dict[str, str] = {
    "labels_of_other_data": (
        "made for other data: {differ} of {labelled} labels in the file differ; score unreliable"
    ),
    "labels_often_differ": "{differ} of {labelled} labels in the file differ; score unreliable",
    "labels_fit_otherwise": (
        "matched by {method}, but by {other} {better} of {labelled} labels would match; score "
        "unreliable"
    ),
}
_UNREAD: dict[str, str] = {"two_files_for_task": "two files for this task: neither is scored"}


class TaskNotes(NamedTuple):
    """Notes on the scores of tasks in the table, by task."""

    caveats: Mapping[str, str]  # why the score is unreliable
    unread: Mapping[str, str]  # why there is no score, although it was submitted


class TaskRow(NamedTuple):
    id: str
    title: str
    scores: Scores
    size: int  # examples
    answered: int | None  # None: there is no score
    unknown: int  # rows for which there is no example
    asked: int | None = None  # how many questions a sample's score is based on; None: all
    is_unasked: bool = False  # a run was to ask it, but never reached it
    partial: bool = False  # fewer answers than publication needs
    caveat: str = ""
    unread: str = ""
    cells: Sequence[Score | None] = ()  # the scores in the columns of the table

    @property
    def breakable_title(self) -> SafeString:
        return breakable(self.title)

    @property
    def missing(self) -> int:
        """How many of the questions that its score is based on have no answer."""
        return (self.size if self.asked is None else self.asked) - (self.answered or 0)

    @property
    def not_asked(self) -> int:
        return 0 if self.asked is None else self.size - self.asked

    @property
    def withheld(self) -> Literal["", "sample", "coverage", "review"]:
        """Why a score is not disclosed: not everything was asked, too few answers, or not published
        yet."""
        if self.answered is None or any(self.scores):
            return ""
        if self.asked is not None:
            return "sample"
        answered = enough_answered(answered=self.answered, size=self.size)
        return "review" if answered else "coverage"


class DomainRows(NamedTuple):
    id: str
    title: str
    means: Scores
    rows: list[TaskRow]
    cells: Scores

    @property
    def complete(self) -> bool:
        """Whether there is a mean."""
        return any(self.means)

    @property
    def caveats(self) -> int:
        """Tasks whose scores are unreliable, and so is every mean that includes them."""
        return sum(bool(row.caveat) for row in self.rows)


class ScoreTable(NamedTuple):
    overall: Scores
    domains: list[DomainRows]
    scored: int  # tasks
    tasks: int  # of the release
    is_sample: bool  # estimates from a run by this site that has not asked everything
    columns: list[MetricSetTitle]  # on a hidden release only those with something disclosed
    cells: Scores

    @property
    def min_coverage(self) -> int:
        """The share of answers that a score on a hidden release needs to be disclosed, in
        percent."""
        return MIN_COVERAGE

    @property
    def band(self) -> int:
        return BAND

    @property
    def complete(self) -> bool:
        """Whether there is an overall score."""
        return any(self.overall)

    @property
    def rows(self) -> list[TaskRow]:
        return [row for domain in self.domains for row in domain.rows]

    @property
    def awaits_review(self) -> bool:
        """Whether a score is disclosed only when the submission is published."""
        return any(row.withheld == "review" for row in self.rows)

    @property
    def has_intervals(self) -> bool:
        return any(score.interval for row in self.rows for score in row.scores if score)

    @property
    def shows_bands(self) -> bool:
        return any(score.width for row in self.rows for score in row.scores if score)

    @property
    def shows_previous_best(self) -> bool:
        return any(score.is_previous_best for row in self.rows for score in row.scores if score)

    @property
    def caveats(self) -> int:
        return sum(domain.caveats for domain in self.domains)


def task_notes(findings: Iterable[Finding]) -> TaskNotes:
    """For every task with an unreliable score or an error. Errors in the rows of two files do not
    matter if neither file counts."""
    caveats: dict[str, str] = {}
    unread: dict[str, str] = {}
    for finding in findings:
        task, code = finding["task"], finding["code"]
        if code in UNRELIABLE:
            caveats.setdefault(task, fill(_CAVEATS[code], finding) or finding["message"])
        elif code in _UNREAD:
            unread[task] = _UNREAD[code]
        elif finding["severity"] == "error":
            unread.setdefault(task, "could not be read")
    return TaskNotes(caveats, unread)


def table_of(evaluation: Evaluation, *, verdicts: bool) -> ScoreTable:
    """All tasks of the release. ``verdicts``: the reader may see them."""
    by_set = scores_by_set(evaluation, exact=verdicts)
    # The counts are the same under every metric set.
    counted = {row.task: row for row in evaluation.task_scores.all()}
    notes = task_notes(findings_of(evaluation, with_agreement=verdicts))
    sizes = _sizes(evaluation.submission)
    release = evaluation.submission.release
    least = release.minimum_answered
    by_task = {task: _means([task], by_set) for task in sizes}
    shown = [  # positions of the metric sets with scores
        index
        for index in range(len(METRIC_SETS))
        if any(scores[index] for scores in by_task.values())
    ]

    def cells(scores: Scores) -> Scores:
        return [scores[index] for index in shown]

    is_sample = any(row.asked is not None for row in counted.values())
    submission = evaluation.submission_id
    unasked = unasked_tasks([submission]).get(submission, ()) if is_sample else ()
    rows: dict[str, TaskRow] = {}
    for task, size in sizes.items():
        scores, row = by_task[task], counted.get(task)
        rows[task] = TaskRow(
            task,
            TASKS[task].title,
            scores,
            size,
            row.answered if row else None,
            row.unknown if row else 0,
            asked=row.asked if row else None,
            is_unasked=row is None and task in unasked,
            partial=row is not None
            and row.asked is None
            and is_partial(answered=row.answered, size=row.size, least=least),
            caveat=notes.caveats.get(task, "") if row else "",
            unread="" if row else notes.unread.get(task, ""),
            cells=cells(scores),
        )
    overall = _means(rows, by_set)
    titles = list(METRIC_SET_TITLES.values())
    return ScoreTable(
        overall=overall,
        domains=list(_domain_rows(rows, by_set, cells)),
        scored=len(counted),
        tasks=len(rows),
        is_sample=is_sample,
        columns=[titles[index] for index in shown],
        cells=cells(overall),
    )


def _domain_rows(
    rows: Mapping[str, TaskRow],
    by_set: BySet,
    cells: Callable[[Scores], Scores],
) -> Iterator[DomainRows]:
    """The domains that have tasks in the release."""
    for domain in DOMAINS:
        if of_domain := [rows[task] for task in tasks_of(domain) if task in rows]:
            means = _means(tasks_of(domain), by_set)
            yield DomainRows(domain, DOMAIN_TITLES[domain], means, of_domain, cells(means))


def overall_of(submission: Submission, evaluation: Evaluation, *, verdicts: bool) -> Scores:
    """The means over all tasks of the release."""
    by_set = scores_by_set(evaluation, exact=verdicts)
    return _means(_sizes(submission), by_set)


def _sizes(submission: Submission) -> dict[str, int]:
    return {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}


def _means(tasks: Collection[str], by_set: BySet) -> Scores:
    return [mean_of(tasks, by_set[name]) for name in METRIC_SETS]
