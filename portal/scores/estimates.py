"""The stored form of an evaluation's scores: means, intervals, covariances and vectors."""

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from portal.models import Evaluation, ScoreVector, TaskDataSet, TaskScore
from portal.scores.designs import designs_of
from portal.scores.samples import Settled, part_of_design
from scoring.catalog import TASKS
from scoring.intervals import Estimate, covariance, estimate
from scoring.stats import standard_error

BySet = Mapping[str, Sequence[float | None]]  # 0 to 1, in the order of the data set


class StoredScores(NamedTuple):
    task_scores: list[TaskScore]
    vectors: list[ScoreVector]  # of the task scores, in their order

    def create(self) -> None:
        TaskScore.objects.bulk_create(self.task_scores)
        ScoreVector.objects.bulk_create(self.vectors)


def estimate_scores(
    evaluation: Evaluation,
    scores: Mapping[str, BySet],
    data_sets: Mapping[str, TaskDataSet],
    unknown: Mapping[str, int],
    settled: Settled | None = None,
) -> StoredScores:
    """The rows to store for these scores, by task and metric set. A missing prediction counts as 0.

    ``unknown``: how many rows of each task match no example. ``settled``: which questions count, if
    not all do (``portal.scores.samples``).
    """
    designs = designs_of([data_sets[task] for task in scores])
    rows, vectors = [], []
    estimates: dict[str, dict[str, Estimate]] = {}
    for task, columns in scores.items():
        data_set, design = data_sets[task], designs[data_sets[task].pk]
        places: Sequence[int] = range(data_set.size)
        if settled is not None:
            places = settled.places.get(task, ())
            design = part_of_design(design, places)
        is_whole = len(places) == data_set.size
        for metric_set, column in columns.items():
            values = [column[place] or 0.0 for place in places]
            found = estimate(TASKS[task], values, design)
            if found is None:
                continue
            is_random = is_whole or settled is None or settled.is_random
            if is_random:
                estimates.setdefault(metric_set, {})[task] = found
            low, high, method = (is_random and found.interval) or (None, None, "")
            row = TaskScore(
                evaluation=evaluation,
                task=task,
                metric_set=metric_set,
                data_set=data_set,
                mean=found.mean,
                stderr=standard_error(values) if is_random else None,
                low=low,
                high=high,
                interval_method=method,
                texts=found.texts,
                size=len(column),
                asked=None if is_whole else len(places),
                answered=len(column) - column.count(None),
                unknown=unknown[task],
            )
            rows.append(row)
            scored = [math.nan] * len(column)
            for place, value in zip(places, values, strict=True):
                scored[place] = value
            vectors.append(ScoreVector(task_score=row, scores=pack_scores(scored)))
    for row in rows:
        of_set = estimates.get(row.metric_set, {})
        if row.task in of_set:
            row.covariances = {
                task: covariance(of_set[row.task], other) for task, other in of_set.items()
            }
    return StoredScores(rows, vectors)


def pack_scores(scores: Sequence[float]) -> bytes:
    """64 bits each, little-endian; compressed, which makes right-or-wrong scores very small."""
    return zlib.compress(struct.pack(f"<{len(scores)}d", *scores))
