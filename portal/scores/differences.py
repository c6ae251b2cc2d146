"""Differences between scores: to another submission, paired by question, and to reported numbers.

Only for readers who may see the verdicts of both: a difference says how many labels are right.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Q

from portal.models import SCORE_COLUMNS, Evaluation, Example, ReportedEntry
from portal.scores.scores import ByTask, mean_of
from scoring.stats import Z_95, macro_mean, macro_standard_error, mean_percent, standard_error


class Difference(NamedTuple):
    """In percentage points; positive where the submission is better."""

    points: float
    stderr: float | None = None  # None: not known
    questions: int | None = None  # that both have answered or missed; None: of a reported number

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %."""
        if self.stderr is None:
            return None
        return self.points - Z_95 * self.stderr, self.points + Z_95 * self.stderr

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes zero."""
        return self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)

    @property
    def sign(self) -> str:
        if not self.is_significant:
            return "none"
        return "better" if self.points > 0 else "worse"

    def __str__(self) -> str:
        return signed(self.points)

    @property
    def interval_text(self) -> str:
        return f"{signed(self.interval[0])} … {signed(self.interval[1])}" if self.interval else ""


def signed(points: float, decimals: int = 1) -> str:
    """With a minus sign that is as wide as the plus."""
    text = f"{points:+.{decimals}f}"
    return text.replace("-", "−") if float(text) else f"{0:.{decimals}f}"


def paired(new: Sequence[float], old: Sequence[float]) -> Difference | None:
    """Of the scores of the same questions, in the same order; None without any question."""
    differences = [a - b for a, b in zip(new, old, strict=True)]
    points = mean_percent(differences)
    if points is None:
        return None
    return Difference(points, standard_error(differences), len(differences))


def mean_difference(differences: Collection[Difference]) -> Difference | None:
    """Of the unweighted means over these tasks."""
    points = macro_mean([one.points for one in differences])
    if points is None:
        return None
    counts = [one.questions for one in differences if one.questions is not None]
    return Difference(
        points,
        macro_standard_error([one.stderr for one in differences]),
        sum(counts) if len(counts) == len(differences) else None,
    )


def differences_to_evaluation(
    evaluation: Evaluation, other: Evaluation, metric_set: str
) -> dict[str, Difference]:
    """By task that both have: on the questions that are the same and have equal labels."""
    data_sets, others = _data_sets(evaluation), _data_sets(other)
    tasks = [task for task in data_sets if task in others]
    scores = _example_scores(evaluation, tasks, metric_set)
    other_scores = _example_scores(other, tasks, metric_set)
    found = {}
    for task in tasks:
        new, old = scores[task], other_scores[task]
        if data_sets[task] == others[task]:
            pairs: Iterable[tuple[int, int]] = [(index, index) for index in new]
        else:
            pairs = _same_questions(data_sets[task], others[task])
        pairs = list(pairs)
        difference = paired([new[index] for index, _ in pairs], [old[index] for _, index in pairs])
        if difference:
            found[task] = difference
    return found


def _data_sets(evaluation: Evaluation) -> dict[str, int]:
    """The number of the data set of each task."""
    rows = evaluation.task_scores.order_by("task")
    return dict(rows.values_list("task", "data_set").distinct())


def _example_scores(
    evaluation: Evaluation, tasks: Collection[str], metric_set: str
) -> dict[str, dict[int, float]]:
    """By task and index of the example, 0 to 1. A missing prediction counts 0."""
    found: dict[str, dict[int, float]] = {task: {} for task in tasks}
    rows = evaluation.example_results.filter(task__in=tasks).order_by()
    for task, index, score in rows.values_list("task", "index", SCORE_COLUMNS[metric_set]):
        found[task][index] = score or 0.0
    return found


def _same_questions(data_set: int, other: int) -> list[tuple[int, int]]:
    """The indexes of the examples with the same question and the same label in both."""
    numbered = Q(question_number__isnull=False)
    columns = ("question_number", "index", "label")
    examples = Example.objects.filter(numbered, data_set=data_set).values_list(*columns)
    of_other = Example.objects.filter(numbered, data_set=other).values_list(*columns)
    known = {number: (index, label) for number, index, label in of_other}
    return [
        (index, known[number][0])
        for number, index, label in examples
        if number in known and known[number][1] == label
    ]


def differences_to_reported(scores: ByTask, entry: ReportedEntry) -> dict[str, Difference]:
    """By task that both have. A reported number has no interval of its own, so only the standard
    error of the submission counts."""
    return {
        reported.task: Difference(
            scores[reported.task].percent - reported.percent, scores[reported.task].stderr
        )
        for reported in entry.scores.all()
        if reported.task in scores
    }


def overall_difference(
    tasks: Collection[str], scores: ByTask, differences: Mapping[str, Difference]
) -> Difference | None:
    """Of the mean over all tasks of the release; None unless both have all of them."""
    if mean_of(tasks, scores) is None or not all(task in differences for task in tasks):
        return None
    return mean_difference([differences[task] for task in tasks])
