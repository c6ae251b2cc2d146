"""How far the lines of a board are ahead of its baseline, for pages and files."""

from enum import StrEnum
from typing import NamedTuple

from leaderboard.board.board import Board
from leaderboard.board.ranking.ranking import Line


class Chance(StrEnum):
    """What the pairwise comparisons of a board say about a difference."""

    AHEAD = "ahead"
    BEHIND = "behind"
    NOISE = "noise"  # the two are indistinguishable
    UNKNOWN = "unknown"  # they have not been compared, or were not asked the same questions


class Difference(NamedTuple):
    points: float
    chance: Chance
    method: str = ""  # of the tests that distinguish entries; empty: not compared


def difference_to_baseline(board: Board, line: Line, column: int) -> Difference | None:
    """In the column at this index; None for the baseline itself, and if either has no score."""
    if board.baseline is None or board.baseline.entry.id == line.entry.id:
        return None
    percent, base = line.percents[column], board.baseline.percents[column]
    if percent is None or base is None:
        return None
    points = percent - base
    if line.entry.is_sample or board.baseline.entry.is_sample:  # on the page of the two they are
        return Difference(points, Chance.UNKNOWN)
    apart = board.ranges.apart_from_baseline.get(board.compared_column(board.columns[column]))
    is_apart = apart and apart.by_key.get(line.entry.key)
    if apart is None or is_apart is None:
        return Difference(points, Chance.UNKNOWN)
    better = Chance.AHEAD if points > 0 else Chance.BEHIND
    return Difference(points, better if is_apart else Chance.NOISE, apart.method)
