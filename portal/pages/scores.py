"""The scores of an evaluation as a table: domains with their tasks, under every metric set."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise

from portal.guarded import COVERAGE, DIGITS, guarded
from portal.models import Evaluation, Submission, TaskScore
from portal.pages.findings import findings_of
from portal.pages.marks import NO_MARKS, Marks, marks_of
from portal.pages.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, tasks_of
from scoring.metrics import METRIC_SETS
from scoring.stats import error_of_mean, mean_of_means

Means = dict[str, float | None]  # percent, by metric set


class Told(NamedTuple):
    """What a person is told of the score of a task."""

    mean: float | None  # None: it is kept back
    stderr: float | None
    size: int
    answered: int
    unknown: int
    exact: bool = True


ByTask = Mapping[str, Mapping[str, Told]]  # then by metric set


class Score(NamedTuple):
    percent: float | None  # None: missing
    stderr: float | None = None  # percentage points
    exact: bool = True

    @property
    def digits(self) -> int:
        return 2 if self.exact else DIGITS


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

    @property
    def kept_back(self) -> int:
        """The percent of the examples that would have to be answered; 0 where a score is told."""
        hidden = self.answered is not None and self.scores[0].percent is None
        return COVERAGE if hidden else 0


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
        return any(mean.percent is not None for mean in self.overall)

    @property
    def doubts(self) -> int:
        return sum(domain.doubts for domain in self.domains)


def scores_by_task(scores: Iterable[TaskScore]) -> dict[str, dict[str, TaskScore]]:
    found: dict[str, dict[str, TaskScore]] = {}
    for score in scores:
        found.setdefault(score.task, {})[score.metric_set] = score
    return found


def told(scores: Mapping[str, Mapping[str, TaskScore]], *, exact: bool) -> ByTask:
    """What may be told of them; ``exact`` to those who may see verdicts (``portal.access``)."""
    return {
        task: {name: _told(score, exact=exact) for name, score in of_task.items()}
        for task, of_task in scores.items()
    }


def _told(score: TaskScore, *, exact: bool) -> Told:
    counts = (score.size, score.answered, score.unknown)
    if exact:
        return Told(score.mean, score.stderr, *counts)
    mean = guarded(score.mean, answered=score.answered, size=score.size)
    return Told(mean, None, *counts, exact=False)


def means_of(scores: ByTask, tasks: Collection[str]) -> Means:
    """The unweighted means of these tasks; None unless every one of them is there."""
    found = [scores.get(task, {}) for task in tasks]
    means = {
        name: mean_of_means([of_task[name].mean if name in of_task else None for of_task in found])
        for name in METRIC_SETS
    }
    return means if _exact(found) else {name: guarded(mean) for name, mean in means.items()}


def _exact(found: Iterable[Mapping[str, Told]]) -> bool:
    return all(score.exact for of_task in found for score in of_task.values())


def score_table(scores: ByTask, sizes: Mapping[str, int], marks: Marks = NO_MARKS) -> ScoreTable:
    """The table of a release whose tasks have these sizes; the overall mean is over all of them."""
    domains = [_domain(domain, scores, sizes, marks) for domain in DOMAINS]
    return ScoreTable(
        overall=_of_means(scores, sizes),
        domains=[domain for domain in domains if domain.rows],
        scored=len(scores),
        tasks=len(sizes),
    )


def table_of(evaluation: Evaluation, *, verdicts: bool) -> ScoreTable:
    """With what was found about tasks beside their scores; for somebody who may see verdicts, or
    may not."""
    scores = told(scores_by_task(evaluation.task_scores.all()), exact=verdicts)
    marks = marks_of(findings_of(evaluation, with_agreement=verdicts))
    return score_table(scores, _sizes(evaluation.submission), marks)


def overall_of(submission: Submission, evaluation: Evaluation, *, verdicts: bool) -> list[Score]:
    """In the order of METRIC_SETS: the means over all tasks of the release."""
    scores = told(scores_by_task(evaluation.task_scores.all()), exact=verdicts)
    return _of_means(scores, _sizes(submission))


def _sizes(submission: Submission) -> dict[str, int]:
    return {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}


def _domain(domain: str, scores: ByTask, sizes: Mapping[str, int], marks: Marks) -> DomainRows:
    tasks = [task for task in tasks_of(domain) if task in sizes]
    rows = [_row(task, scores.get(task), sizes[task], marks) for task in tasks]
    means = _of_means(scores, tasks_of(domain))
    return DomainRows(domain, DOMAIN_TITLES[domain], means, rows)


def _row(task: str, of_task: Mapping[str, Told] | None, size: int, marks: Marks) -> TaskRow:
    title = TASKS[task].title
    if of_task is None:
        nothing = [Score(None)] * len(METRIC_SETS)
        return TaskRow(task, title, nothing, size, None, 0, unread=marks.unread.get(task, ""))
    any_set = next(iter(of_task.values()))
    scores = [
        Score(score.mean, score.stderr, score.exact)
        for score in (of_task[name] for name in METRIC_SETS)
    ]
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
            _exact(found),
        )
        for name in METRIC_SETS
    ]
