"""How far one entry is ahead of another: computed from the scores of single questions where these
are public, otherwise from the numbers that are."""

from collections.abc import Iterable, Sequence

from leaderboard.columns import Column
from leaderboard.comparison.queries import Side
from portal.scores.comparison.differences import (
    Difference,
    comparison_among,
    unpaired_difference,
)
from portal.scores.scores import mean_of
from portal.scores.vectors import Vectors, on_shared_questions, read_vectors


def vectors_of(sides: Sequence[Side], metric_set: str) -> list[Vectors]:
    """For each side, in order; empty for sides whose single questions are not public."""
    public = [side.evaluation for side in sides if side.evaluation is not None]
    found = read_vectors(public, metric_set)
    return [found.get(side.evaluation, {}) if side.evaluation else {} for side in sides]


def has_sample(sides: Iterable[Side]) -> bool:
    return any(side.entry.is_sample for side in sides)


def difference_of(
    column: Column, a: Side, b: Side, vectors_a: Vectors, vectors_b: Vectors
) -> Difference | None:
    """None if one of them lacks a task, or is disclosed as a band only. With a partial run, over
    the questions that both were asked; None if there are none (``is_unshared``)."""
    score_a, score_b = mean_of(column.tasks, a.scores), mean_of(column.tasks, b.scores)
    if score_a is None or score_b is None or score_a.width or score_b.width:
        return None
    if is_unshared(column, a, b, vectors_a, vectors_b):
        return None
    compare = comparison_among([one.entry.sample for one in (a, b) if one.entry.sample])
    paired = compare(vectors_a, vectors_b, column.tasks)
    return paired or unpaired_difference(score_a, score_b)


def is_unshared(column: Column, a: Side, b: Side, vectors_a: Vectors, vectors_b: Vectors) -> bool:
    """Whether one of the two was asked only a sample, and in some task no question that the other
    was: then both scores are known, but nothing about their difference. Other entries have whole
    tasks, and count as independent if their data differ."""
    tasks = set(column.tasks)
    if not has_sample((a, b)) or not tasks <= vectors_a.keys() & vectors_b.keys():
        return False
    shared, _ = on_shared_questions(vectors_a, vectors_b)
    return not tasks <= shared.keys()
