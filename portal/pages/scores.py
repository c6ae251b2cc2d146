"""The scores of an evaluation as a table: domains with their tasks, under every metric set."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise

from portal.models import Evaluation, Submission, TaskScore
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
    title: str
    scores: list[Score]  # in the order of METRIC_SETS
    size: int  # examples
    answered: int | None  # None: the task was not handed in
    unknown: int  # rows for which there is no example

    @property
    def missing(self) -> int:
        return self.size - (self.answered or 0)


class DomainRows(NamedTuple):
    id: str
    title: str | Promise
    means: list[Score]
    rows: list[TaskRow]


class ScoreTable(NamedTuple):
    overall: list[Score]
    domains: list[DomainRows]
    scored: int  # tasks
    tasks: int  # that the release has

    @property
    def complete(self) -> bool:
        """Whether there is an overall score."""
        return self.scored == self.tasks


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


def score_table(scores: ByTask, sizes: Mapping[str, int]) -> ScoreTable:
    """The table of a release whose tasks have these sizes; the overall mean is over all of them."""
    domains = [_domain(domain, scores, sizes) for domain in DOMAINS]
    return ScoreTable(
        overall=_of_means(scores, sizes),
        domains=[domain for domain in domains if domain.rows],
        scored=len(scores),
        tasks=len(sizes),
    )


def table_of(evaluation: Evaluation) -> ScoreTable:
    scores = scores_by_task(evaluation.task_scores.all())
    return score_table(scores, _sizes(evaluation.submission))


def overall_of(submission: Submission, evaluation: Evaluation) -> list[Score]:
    """In the order of METRIC_SETS: the means over all tasks of the release."""
    return _of_means(scores_by_task(evaluation.task_scores.all()), _sizes(submission))


def _sizes(submission: Submission) -> dict[str, int]:
    return {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}


def _domain(domain: str, scores: ByTask, sizes: Mapping[str, int]) -> DomainRows:
    rows = [_row(task, scores.get(task), sizes[task]) for task in tasks_of(domain) if task in sizes]
    means = _of_means(scores, tasks_of(domain))
    return DomainRows(domain, DOMAIN_TITLES[domain], means, rows)


def _row(task: str, of_task: Mapping[str, TaskScore] | None, size: int) -> TaskRow:
    title = TASKS[task].title
    if of_task is None:
        return TaskRow(title, [Score(None)] * len(METRIC_SETS), size, None, 0)
    any_set = next(iter(of_task.values()))
    scores = [Score(of_task[name].mean, of_task[name].stderr) for name in METRIC_SETS]
    return TaskRow(title, scores, size, any_set.answered, any_set.unknown)


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
