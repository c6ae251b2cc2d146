"""The scores of an evaluation as a table: domains with their tasks, under every metric set."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise

from portal.models import Evaluation, Submission, TaskScore
from portal.pages.findings import findings_of
from portal.pages.marks import NO_MARKS, Marks, marks_of
from portal.pages.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.metrics import METRIC_SETS
from scoring.stats import error_of_mean, mean_of_means

Means = dict[str, float | None]  # percent, by metric set
ByTask = Mapping[str, Mapping[str, TaskScore]]  # then by metric set


class Score(NamedTuple):
    percent: float | None  # None: missing
    stderr: float | None = None  # percentage points


class TaskRow(NamedTuple):
    id: str
    title: str
    scores: list[Score]  # in the order of METRIC_SETS
    size: int  # examples
    answered: int | None  # None: there is no score
    unknown: int  # rows for which there is no example
    doubt: str = ""  # why the score says little
    unread: str | Promise = ""  # why there is no score, although it was handed in

    @property
    def missing(self) -> int:
        return self.size - (self.answered or 0)


class DomainRows(NamedTuple):
    id: str
    title: str | Promise
    means: list[Score]
    rows: list[TaskRow]

    @property
    def complete(self) -> bool:
        """Whether there is a mean."""
        return any(mean.percent is not None for mean in self.means)

    @property
    def doubts(self) -> int:
        """Tasks whose scores say little, and so does every mean that takes them in."""
        return sum(bool(row.doubt) for row in self.rows)


class ScoreTable(NamedTuple):
    overall: list[Score]
    domains: list[DomainRows]
    scored: int  # tasks
    tasks: int  # that the release has

    @property
    def complete(self) -> bool:
        """Whether there is an overall score."""
        return self.scored == self.tasks

    @property
    def doubts(self) -> int:
        return sum(domain.doubts for domain in self.domains)


def scores_by_task(scores: Iterable[TaskScore]) -> dict[str, dict[str, TaskScore]]:
    found: dict[str, dict[str, TaskScore]] = {}
    for score in scores:
        found.setdefault(score.task, {})[score.metric_set] = score
    return found


def means_of(scores: ByTask, tasks: Collection[str]) -> Means:
    """The unweighted means of these tasks; None unless every one of them is there."""
    found = [scores.get(task, {}) for task in tasks]
    return {
        name: mean_of_means([of_task[name].mean if name in of_task else None for of_task in found])
        for name in METRIC_SETS
    }


def score_table(scores: ByTask, sizes: Mapping[str, int], marks: Marks = NO_MARKS) -> ScoreTable:
    """The table of a release whose tasks have these sizes; the overall mean is over all of them."""
    domains = [_domain(domain, scores, sizes, marks) for domain in DOMAINS]
    return ScoreTable(
        overall=_of_means(scores, sizes),
        domains=[domain for domain in domains if domain.rows],
        scored=len(scores),
        tasks=len(sizes),
    )


def table_of(evaluation: Evaluation, *, with_agreement: bool) -> ScoreTable:
    """With what was found about tasks beside their scores."""
    scores = scores_by_task(evaluation.task_scores.all())
    marks = marks_of(findings_of(evaluation, with_agreement=with_agreement))
    return score_table(scores, _sizes(evaluation.submission), marks)


def overall_of(submission: Submission, evaluation: Evaluation) -> list[Score]:
    """In the order of METRIC_SETS: the means over all tasks of the release."""
    return _of_means(scores_by_task(evaluation.task_scores.all()), _sizes(submission))


def _sizes(submission: Submission) -> dict[str, int]:
    return {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}


def _domain(domain: str, scores: ByTask, sizes: Mapping[str, int], marks: Marks) -> DomainRows:
    tasks = [task for task in tasks_of(domain) if task in sizes]
    rows = [_row(task, scores.get(task), sizes[task], marks) for task in tasks]
    means = _of_means(scores, tasks_of(domain))
    return DomainRows(domain, DOMAIN_TITLES[domain], means, rows)


def _row(task: str, of_task: Mapping[str, TaskScore] | None, size: int, marks: Marks) -> TaskRow:
    title = TASKS[task].title
    if of_task is None:
        nothing = [Score(None)] * len(METRIC_SETS)
        return TaskRow(task, title, nothing, size, None, 0, unread=marks.unread.get(task, ""))
    any_set = next(iter(of_task.values()))
    scores = [Score(of_task[name].mean, of_task[name].stderr) for name in METRIC_SETS]
    doubt = marks.doubts.get(task, "")
    return TaskRow(task, title, scores, size, any_set.answered, any_set.unknown, doubt)


def _of_means(scores: ByTask, tasks: Collection[str]) -> list[Score]:
    """Means of tasks with their errors, as scores."""
    found = [scores.get(task, {}) for task in tasks]
    means = means_of(scores, tasks)
    return [
        Score(
            means[name],
            error_of_mean([of_task[name].stderr if of_task else None for of_task in found]),
        )
        for name in METRIC_SETS
    ]
