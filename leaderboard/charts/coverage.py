"""How many examples a task has at which length and position: a grid of counts."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from scoring.text.amounts import short_amount
from scoring.text.plurals import plural

SHADES = 5
WIDTH, _HEAD, _CELL, _FOOT = 360, 52, 22, 24

Ends = tuple[float, float]  # from, to


class Counted(NamedTuple):
    """The examples of one task; None: their length or position is unknown."""

    lengths: Ends | None  # in tokens; equal ends: a target length of a generator
    depths: Ends | None  # from 0 to 1
    n: int


class CountCell(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    shade: int  # from 1 to ``SHADES``; 0: no example
    n: int
    title: str

    @property
    def middle(self) -> tuple[float, float]:
        return round(self.x + self.width / 2, 1), round(self.y + self.height / 2, 1)


class Coverage(NamedTuple):
    width: int
    height: int
    columns: Sequence[Tick]  # lengths
    rows: Sequence[Tick]  # positions
    cells: Sequence[CountCell]

    @property
    def table(self) -> list[tuple[str, list[int]]]:
        """By position, the counts by length."""
        counts = iter(self.cells)
        return [(row.label, [next(counts).n for _ in self.columns]) for row in self.rows]


def coverage_of(counted: Sequence[Counted]) -> Coverage | None:
    """None if neither the length nor the position of any example is known."""
    if all(one.lengths is None and one.depths is None for one in counted):
        return None
    lengths = _in_order({one.lengths for one in counted})
    depths = _in_order({one.depths for one in counted})
    by_cell: Mapping[tuple[Ends | None, Ends | None], int] = {
        (one.lengths, one.depths): one.n for one in counted
    }
    most, width = max(by_cell.values()), (WIDTH - _HEAD) / len(lengths)
    cells = []
    for row, depth in enumerate(depths):
        for column, length in enumerate(lengths):
            n = by_cell.get((length, depth), 0)
            cell = CountCell(
                round(_HEAD + width * column, 1),
                _CELL * row,
                round(width - 1, 1),
                _CELL - 1,
                math.ceil(SHADES * n / most),
                n,
                f"{length_label(length)}, {depth_label(depth)}: n = {n:,}",
            )
            cells.append(cell)
    return Coverage(
        WIDTH,
        _CELL * len(depths) + _FOOT,
        [
            Tick(round(_HEAD + width * (place + 0.5), 1), _short(length))
            for place, length in enumerate(lengths)
        ],
        [Tick(_CELL * (place + 0.5), depth_label(depth)) for place, depth in enumerate(depths)],
        cells,
    )


def _in_order(ends: set[Ends | None]) -> list[Ends | None]:
    """Unknown values come last."""
    return sorted(ends, key=lambda one: (one is None, one or (0, 0)))


def _short(lengths: Ends | None) -> str:
    if lengths is None or lengths[0] == lengths[1]:
        return length_label(lengths)
    return f"≤{short_amount(int(lengths[1]))}"


def length_label(lengths: Ends | None) -> str:
    if lengths is None:
        return "?"
    labels = dict.fromkeys(short_amount(int(end)) for end in lengths)
    return "–".join(labels)


def depth_label(depths: Ends | None) -> str:
    return "?" if depths is None else f"{depths[0]:g}–{depths[1]:g}"


def coverage_finding(coverage: Coverage) -> str:
    counts = [cell.n for cell in coverage.cells]
    if empty := counts.count(0):
        return f"{empty} of {len(counts)} {plural(empty, 'cell has', 'cells have')} no example"
    if min(counts) == max(counts):
        return f"{counts[0]} {plural(counts[0], 'example', 'examples')} in each cell"
    return f"{min(counts)} to {max(counts)} examples in each cell"
