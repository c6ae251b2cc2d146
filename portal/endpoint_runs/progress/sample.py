"""What the questions that a run has asked so far say about all of them.

The first questions of a run, however many, are a stratified cluster sample of all
(``scoring.endpoint.order``), so the intervals of whole tasks hold for them too: they are only
wider.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from portal.models import TaskDataSet
from portal.scores.designs import designs_of
from portal.scores.samples import part_of_design
from scoring.breakdowns.resampling import bootstrap_ratios
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.intervals import Interval, estimate, mean_interval

ScoresByTask = Mapping[str, Mapping[int, float]]  # 0 to 1, by index of the question in its data set


class TaskEstimate(NamedTuple):
    """In percent."""

    task: str
    mean: float
    interval: Interval | None
    n: int
    size: int  # of the data set

    @property
    def title(self) -> str:
        return TASKS[self.task].title


class SampleEstimate(NamedTuple):
    tasks: list[TaskEstimate]
    mean: float | None  # of all wanted tasks, equally weighted; None: some have no answer yet
    interval: Interval | None
    n: int


def estimate_from(
    scores: ScoresByTask, data_sets: Collection[TaskDataSet], wanted: Collection[str]
) -> SampleEstimate:
    """``wanted``: the tasks that the mean needs."""
    designs = designs_of(data_sets)
    found, estimates = [], []
    sets = {data_set.task: data_set for data_set in data_sets}
    for task in BOARD_ORDER:
        if task not in sets or not scores.get(task):
            continue
        design, own = designs[sets[task].pk], scores[task]
        indexes = sorted(own)
        values = [own[index] for index in indexes]
        part = part_of_design(design, indexes)
        one = estimate(TASKS[task], values, part, ratios_of=bootstrap_ratios)
        if one is not None:
            estimates.append(one)
            size = sets[task].size
            found.append(TaskEstimate(task, one.mean, one.interval, len(indexes), size))
    is_whole = set(wanted) <= {one.task for one in found}
    mean = sum(one.mean for one in found) / len(found) if is_whole and found else None
    interval = mean_interval(estimates) if mean is not None else None
    return SampleEstimate(found, mean, interval, sum(one.n for one in found))
