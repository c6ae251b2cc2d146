"""How far the lines of a board are ahead of its baseline, as pages and files show it."""

from enum import StrEnum
from typing import NamedTuple

from leaderboard.board.board import Board
from leaderboard.board.ranking.ranking import Line


class Chance(StrEnum):
    """What comparisons of all pairs of a board say of a difference."""

    AHEAD = "ahead"
    BEHIND = "behind"
    NOISE = "noise"  # the two cannot be told apart
    UNKNOWN = "unknown"  # they have not been compared, or were not asked the same questions


class Difference(NamedTuple):
    points: float
    chance: Chance
    method: str = ""  # of the tests that tell entries apart; empty: not compared


def difference_to_baseline(board: Board, line: Line, column: int) -> Difference | None:
    """In the column at this place; None of the baseline itself, and where one of the two has no
    score."""
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
