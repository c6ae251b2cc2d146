"""The scores of an evaluation as a table: domains with their tasks, under every metric set."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.utils.functional import Promise

from portal.models import Evaluation, Submission, TaskScore
from portal.scores.disclosure import COVERAGE
from portal.scores.findings import findings_of
from portal.scores.marks import Marks, marks_of
from portal.scores.scores import BySet, Score, mean_of, scores_by_set
from portal.scores.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.metrics import METRIC_SETS

Scores = list[Score | None]  # in the order of METRIC_SETS; None: missing, or kept back


class TaskRow(NamedTuple):
    id: str
    title: str
    scores: Scores
    size: int  # examples
    answered: int | None  # None: there is no score
    unknown: int  # rows for which there is no example
    doubt: str = ""  # why the score says little
    unread: str | Promise = ""  # why there is no score, although it was handed in

    @property
    def missing(self) -> int:
        return self.size - (self.answered or 0)

    @property
    def kept_back(self) -> int:
        """The percent of the examples that would have to be answered; 0 where a score is told."""
        return COVERAGE if self.answered is not None and not any(self.scores) else 0


class DomainRows(NamedTuple):
    id: str
    title: str | Promise
    means: Scores
    rows: list[TaskRow]

    @property
    def complete(self) -> bool:
        """Whether there is a mean."""
        return any(self.means)

    @property
    def doubts(self) -> int:
        """Tasks whose scores say little, and so does every mean that takes them in."""
        return sum(bool(row.doubt) for row in self.rows)


class ScoreTable(NamedTuple):
    overall: Scores
    domains: list[DomainRows]
    scored: int  # tasks
    tasks: int  # that the release has

    @property
    def complete(self) -> bool:
        """Whether there is an overall score."""
        return any(self.overall)

    @property
    def again(self) -> bool:
        """Whether a score is not of this submission, but the best that was told before."""
        rows = [row for domain in self.domains for row in domain.rows]
        return any(score.again for row in rows for score in row.scores if score)

    @property
    def doubts(self) -> int:
        return sum(domain.doubts for domain in self.domains)


def table_of(evaluation: Evaluation, *, verdicts: bool) -> ScoreTable:
    """Of all tasks of the release, with what was found about them beside their scores; for somebody
    who may see verdicts, or may not."""
    found = evaluation.task_scores.all()
    by_set = scores_by_set(found, exact=verdicts)
    counted = {row.task: row for row in found}  # the same under every metric set
    marks = marks_of(findings_of(evaluation, with_agreement=verdicts))
    rows = {
        task: _row(task, size, _means([task], by_set), counted.get(task), marks)
        for task, size in _sizes(evaluation.submission).items()
    }
    domains = [_domain(domain, rows, by_set) for domain in DOMAINS]
    return ScoreTable(
        overall=_means(rows, by_set),
        domains=[domain for domain in domains if domain.rows],
        scored=len(counted),
        tasks=len(rows),
    )


def overall_of(submission: Submission, evaluation: Evaluation, *, verdicts: bool) -> Scores:
    """The means over all tasks of the release."""
    by_set = scores_by_set(evaluation.task_scores.all(), exact=verdicts)
    return _means(_sizes(submission), by_set)


def _sizes(submission: Submission) -> dict[str, int]:
    return {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}


def _means(tasks: Collection[str], by_set: BySet) -> Scores:
    return [mean_of(tasks, by_set[name]) for name in METRIC_SETS]


def _row(task: str, size: int, scores: Scores, counted: TaskScore | None, marks: Marks) -> TaskRow:
    title = TASKS[task].title
    if counted is None:
        return TaskRow(task, title, scores, size, None, 0, unread=marks.unread.get(task, ""))
    doubt = marks.doubts.get(task, "")
    return TaskRow(task, title, scores, size, counted.answered, counted.unknown, doubt)


def _domain(domain: str, rows: Mapping[str, TaskRow], by_set: BySet) -> DomainRows:
    tasks = tasks_of(domain)
    found = [rows[task] for task in tasks if task in rows]
    return DomainRows(domain, DOMAIN_TITLES[domain], _means(tasks, by_set), found)
