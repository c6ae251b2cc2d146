"""The same questions at several lengths: how an entry's score decays, in one or more tasks."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from scoring.breakdowns.effective_context import (
    SHARE,
    EffectiveContext,
    effective_context_of,
)
from scoring.catalog import TASKS
from scoring.comparison.pairs import Comparison, compare_with_first
from scoring.comparison.vectors import Floats, Ints, TaskVector


class Rung(NamedTuple):
    """The questions of a task at one length; all sequences are in the same order."""

    numbers: Sequence[int]  # identify the questions, the same at every length
    indices: Sequence[int]  # the examples' indices in the data set
    designs: Sequence[Hashable]  # what the design fixed for each, whatever its length


class TaskLadder(NamedTuple):
    """The questions of a task that were asked at every one of its lengths."""

    lengths: tuple[int, ...]  # targets in tokens, ascending; at least two
    indices: Ints  # (questions, lengths), the examples' indices in the data set
    strata: Ints  # (questions,)


@dataclass(frozen=True, eq=False)
class Ladder:
    lengths: tuple[int, ...]  # those that all tasks have; at least two
    tasks: Mapping[str, TaskLadder]

    @property
    def n(self) -> int:
        """The questions of all tasks, at each length."""
        return sum(len(one.indices) for one in self.tasks.values())

    def scores(self, task: str, scores: Floats) -> Floats:
        """(questions, lengths), of the scores of all examples of the task."""
        found: Floats = scores[self.tasks[task].indices]
        return found

    def means(self, scores: Mapping[str, Floats]) -> list[float]:
        """By length, in percent, over all tasks, which count equally. ``scores`` has by task those
        of all examples in its data set."""
        of_tasks = [self.scores(task, scores[task]).mean(axis=0) for task in self.tasks]
        found: list[float] = (100 * np.mean(of_tasks, axis=0)).tolist()
        return found


def mean_of_runs(runs: Sequence[Mapping[str, Floats]]) -> Mapping[str, Floats]:
    """By task, the mean score of every example over repeated runs, or its score in the only one."""
    first, *others = runs
    if not others:
        return first
    return {task: np.mean([one[task] for one in runs], axis=0) for task in first}


class Step(NamedTuple):
    length: int
    mean: float  # in percent
    n: int
    paired: Comparison | None  # this length minus the shortest; None: this is the shortest


class Curve(NamedTuple):
    steps: Sequence[Step]  # by length, ascending
    effective: EffectiveContext | None


def task_ladder(rungs: Mapping[int, Rung]) -> TaskLadder | None:
    """From the rungs by target length; None with fewer than two questions at two lengths."""
    lengths = tuple(sorted(rungs))
    numbers = [np.array(rungs[length].numbers, dtype=np.int64) for length in lengths]
    shared = reduce(np.intersect1d, numbers)
    if len(lengths) < 2 or len(shared) < 2:
        return None
    columns = []
    for length, of_length in zip(lengths, numbers, strict=True):
        order = np.argsort(of_length, kind="stable")
        places = order[np.searchsorted(of_length, shared, sorter=order)]
        columns.append(np.array(rungs[length].indices, dtype=np.int64)[places])
    first = rungs[lengths[0]]
    designs = dict(zip(first.numbers, first.designs, strict=True))
    codes: dict[Hashable, int] = {}
    strata = [codes.setdefault(designs[number], len(codes)) for number in shared.tolist()]
    return TaskLadder(lengths, np.stack(columns, axis=1), np.array(strata, dtype=np.int64))


def ladder_of(tasks: Mapping[str, TaskLadder]) -> Ladder | None:
    """None if they do not have two lengths in common."""
    lengths = set.intersection(*(set(one.lengths) for one in tasks.values())) if tasks else set()
    if len(lengths) < 2:
        return None
    common = tuple(sorted(lengths))
    of_tasks = {}
    for task, one in tasks.items():
        columns = [one.lengths.index(length) for length in common]
        of_tasks[task] = TaskLadder(common, one.indices[:, columns], one.strata)
    return Ladder(common, of_tasks)


def curve_of(
    ladder: Ladder,
    scores: Mapping[str, Floats],
    share: float = SHARE,
    control: Mapping[str, Floats] | None = None,
) -> Curve:
    """``scores`` has by task those of all examples in its data set, from 0 to 1. ``share`` is what
    the effective context keeps of the score at the shortest length, or of the ``control``: the
    scores of the same examples with the evidence alone."""
    tables = {task: ladder.scores(task, scores[task]) for task in ladder.tasks}
    entries: list[dict[str, TaskVector]] = [{} for _ in ladder.lengths]
    first = 0  # numbered so that questions of different tasks differ
    for task, table in tables.items():
        numbers = np.arange(first, first + len(table), dtype=np.int64)
        first += len(table)
        is_partial = TASKS[task].fractional or bool(np.any((table > 0) & (table < 1)))
        for entry, column in zip(entries, table.T, strict=True):
            strata = ladder.tasks[task].strata
            entry[task] = TaskVector(column, numbers, numbers, strata, is_partial)
    compared = compare_with_first(entries, dict.fromkeys(tables, 1.0))
    means = ladder.means(scores)
    steps = [
        Step(length, mean, ladder.n, paired)
        for length, mean, paired in zip(ladder.lengths, means, [None, *compared], strict=True)
    ]
    controls = None
    if control is not None:
        controls = [ladder.scores(task, control[task]).mean(axis=1) for task in ladder.tasks]
    return Curve(
        steps, effective_context_of(ladder.lengths, list(tables.values()), share, controls)
    )


class Envelope(NamedTuple):
    """Where most entries are: the 10 % and 90 % quantiles of their means."""

    low: Sequence[float]  # by length, in percent
    high: Sequence[float]
    entries: int


def envelope_of(means: Sequence[Sequence[float]]) -> Envelope | None:
    """``means`` has each entry's means by length; None if there are none."""
    if not means:
        return None
    low, high = np.quantile(np.array(means), [0.1, 0.9], axis=0).tolist()
    return Envelope(low, high, len(means))
