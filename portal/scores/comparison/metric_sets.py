"""How the scores of an entry change from one metric set to the next, and in which examples.

Not for hidden releases: a change discloses a verdict.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from portal.models import Example, ScoreVector
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.keys import Key, canonical_key
from scoring.metrics import METRIC_SETS

_STEPS = list(pairwise(METRIC_SETS))  # from each metric set to the next


class Change(NamedTuple):
    """The examples of a task that change from one metric set to the next, by id, in the order of
    the data set. Questions that were not asked do not change."""

    gained: Sequence[Key | None]  # that score more
    lost: Sequence[Key | None]  # that score less

    @property
    def examples(self) -> int:
        return len(self.gained) + len(self.lost)


class Step(NamedTuple):
    before: MetricSetTitle
    after: MetricSetTitle
    change: Change


class TaskUnderSets(NamedTuple):
    task: str
    n: int  # examples that were scored; in a sample, those that were asked
    percents: Sequence[float]  # under each metric set
    changes: Sequence[Change]  # from each metric set to the next

    @property
    def title(self) -> str:
        return TASKS[self.task].title

    @property
    def changed(self) -> int:
        """The number of changes of examples, over all steps."""
        return sum(change.examples for change in self.changes)

    @property
    def steps(self) -> list[Step]:
        titles = list(METRIC_SET_TITLES.values())
        return [
            Step(before, after, change)
            for (before, after), change in zip(pairwise(titles), self.changes, strict=True)
        ]

    @property
    def cells(self) -> list[tuple[float, Change]]:
        """The score under each metric set, with the changes since the one before."""
        return list(zip(self.percents, [Change((), ()), *self.changes], strict=True))


def read_changes(evaluation: int) -> list[TaskUnderSets]:
    """In the order of boards. Two queries. Empty for hidden releases."""
    rows = ScoreVector.objects.filter(
        task_score__evaluation=evaluation,
        task_score__evaluation__submission__release__hidden=False,
    )
    columns = ("task", "metric_set", "data_set", "mean")
    values = rows.values_list(*(f"task_score__{name}" for name in columns), "scores")
    percents: dict[str, dict[str, float]] = {}
    vectors: dict[str, dict[str, list[float]]] = {}
    data_sets: dict[str, int] = {}
    for task, metric_set, data_set, mean, packed in values:
        percents.setdefault(task, {})[metric_set] = mean
        vectors.setdefault(task, {})[metric_set] = unpack_scores(packed).tolist()
        data_sets[task] = data_set
    complete = [task for task in BOARD_ORDER if len(vectors.get(task, ())) == len(METRIC_SETS)]
    steps = {
        task: [list(zip(vectors[task][a], vectors[task][b], strict=True)) for a, b in _STEPS]
        for task in complete
    }
    changing = {
        data_sets[task]
        for task in complete
        if any(after > before or after < before for step in steps[task] for before, after in step)
    }
    examples = Example.objects.filter(data_set__in=changing)
    keys = {
        (data_set, index): canonical_key(key)
        for data_set, index, key in examples.values_list("data_set", "index", "key")
    }

    def change_of(task: str, step: Sequence[tuple[float, float]]) -> Change:
        named = [keys.get((data_sets[task], index), index) for index in range(len(step))]
        pairs = list(zip(named, step, strict=True))
        return Change(
            [key for key, (before, after) in pairs if after > before],
            [key for key, (before, after) in pairs if after < before],
        )

    return [
        TaskUnderSets(
            task,
            sum(not math.isnan(score) for score, _ in steps[task][0]),
            [percents[task][name] for name in METRIC_SETS],
            [change_of(task, step) for step in steps[task]],
        )
        for task in complete
    ]
