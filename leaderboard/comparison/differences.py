"""How far one entry is ahead of another: from their scores of single questions where these are
public, or else from the numbers that are."""

from collections.abc import Sequence

from leaderboard.columns import Column
from leaderboard.comparison.queries import Side
from portal.scores.differences import (
    Difference,
    Vectors,
    paired_difference,
    unpaired_difference,
)
from portal.scores.scores import mean_of
from portal.scores.vectors import read_vectors


def vectors_of(sides: Sequence[Side], metric_set: str) -> list[Vectors]:
    """Of each side, in their order; without any where single questions are not public."""
    public = [side.evaluation for side in sides if side.evaluation is not None]
    found = read_vectors(public, metric_set)
    return [found.get(side.evaluation, {}) if side.evaluation else {} for side in sides]


def difference_of(
    column: Column, a: Side, b: Side, vectors_a: Vectors, vectors_b: Vectors
) -> Difference | None:
    """None where one of them lacks a task, or is disclosed as a band only."""
    score_a, score_b = mean_of(column.tasks, a.scores), mean_of(column.tasks, b.scores)
    if score_a is None or score_b is None or score_a.width or score_b.width:
        return None
    paired = paired_difference(vectors_a, vectors_b, column.tasks)
    return paired or unpaired_difference(score_a, score_b)
