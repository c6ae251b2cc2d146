"""Scores as they are printed: text, shade, interval, and what the pointer is told."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from django.utils.translation import gettext as _

from leaderboard.board.board import Board, Line
from leaderboard.board.bylines import Byline, bylines_of
from leaderboard.board.heat import Heat
from leaderboard.caveats import SIGN, Doubts, doubt_about
from leaderboard.columns import Column, Kind
from leaderboard.entries import held
from leaderboard.names import MARKS, MarkTitle
from portal.scores.scores import Score
from scoring.stats import rounded

_CLASSES = {Kind.OVERALL: "overall", Kind.TASK: ""}
_DIGITS = {Kind.OVERALL: 2, Kind.DOMAIN: 1, Kind.TASK: 1}


class Axis(NamedTuple):
    """The line on which the intervals of a board lie: whole tens of percent around all of them."""

    start: int
    end: int

    @classmethod
    def of(cls, scores: Iterable[Score | None]) -> Self:
        intervals = [score.interval for score in scores if score and score.interval]
        low = min((low for low, _ in intervals), default=0.0)
        high = max((high for _, high in intervals), default=100.0)
        start = 10 * math.floor(low / 10)
        return cls(start, max(10 * math.ceil(high / 10), start + 10))

    def interval(self, score: Score) -> "Interval | None":
        if score.interval is None:
            return None
        low, high = ((end - self.start) / (self.end - self.start) for end in score.interval)
        return Interval(round(100 * low), round(100 * high))


class Interval(NamedTuple):
    """Of 95 %, in hundredths of an axis."""

    start: int
    end: int


class Cell(NamedTuple):
    column: Column
    text: str  # empty: missing
    note: str
    stderr: str = ""
    heat: str = ""
    interval: Interval | None = None
    percent: float = 0.0
    ranks: bool = False  # by this column the board is in order

    @property
    def css(self) -> str:
        """Its classes: they say to the stylesheet also how long a bar is, and how dark a shade."""
        parts = (self._kind, self._reach, "ranks" if self.ranks else "", self._shade)
        return " ".join(part for part in parts if part)

    @property
    def _kind(self) -> str:
        is_domain = self.column.kind is Kind.DOMAIN
        return f"mean domain-{self.column.domain}" if is_domain else _CLASSES[self.column.kind]

    @property
    def _reach(self) -> str:
        if self.interval:
            return f"from-{self.interval.start} to-{self.interval.end}"
        return f"to-{round(self.percent)}" if self.column.kind is Kind.DOMAIN and self.text else ""

    @property
    def _shade(self) -> str:
        return f"heat-{self.heat}" if self.heat else ""


class Row(NamedTuple):
    line: Line
    byline: Byline
    mark: MarkTitle
    cells: list[Cell]
    ranked_by: Cell


def axis_of(board: Board) -> Axis:
    return Axis.of(line.scores[0] for line in board.everybody)


def rows_of(board: Board, axis: Axis) -> list[Row]:
    """The lines of a board as they are printed."""
    heats = _heats(board) if board.filters.heat == "on" else [None] * len(board.columns)
    ranked_by = board.columns.index(board.ranked_by)
    rows = []
    for line, byline in zip(board.lines, bylines_of(board.lines), strict=True):
        cells = _cells(line, board.columns, heats)
        cells[0] = _with_interval(cells[0], line.scores[0], axis)
        cells[ranked_by] = cells[ranked_by]._replace(ranks=True)
        rows.append(Row(line, byline, MARKS[line.entry.mark], cells, cells[ranked_by]))
    return rows


def _with_interval(cell: Cell, score: Score | None, axis: Axis) -> Cell:
    return cell._replace(interval=axis.interval(score) if score else None)


def _heats(board: Board) -> list[Heat | None]:
    columns = zip(*(line.scores for line in board.everybody), strict=True)
    return [Heat.of(score.percent for score in column if score) for column in columns]


def _cells(line: Line, columns: Sequence[Column], heats: Sequence[Heat | None]) -> list[Cell]:
    return [
        cell_of(column, score, line.entry.doubts, heat) if score else _missing(column, line)
        for column, score, heat in zip(columns, line.scores, heats, strict=True)
    ]


def cell_of(
    column: Column,
    score: Score,
    doubts: Doubts,
    heat: Heat | None = None,
    digits: int | None = None,
) -> Cell:
    places = min(score.digits, _DIGITS[column.kind] if digits is None else digits)
    doubt = doubt_about(column.tasks, doubts)
    return Cell(
        column=column,
        text=f"{SIGN if doubt else ''}{rounded(score.percent, places)}",
        note="; ".join(filter(None, (note_of(score, column.kind), doubt))),
        stderr="" if score.stderr is None else str(rounded(score.stderr, places)),
        heat="" if heat is None else str(heat.step(score.percent)),
        percent=score.percent,
    )


def _missing(column: Column, line: Line) -> Cell:
    if column.kind is Kind.TASK:
        return Cell(column, "", _("missing"))
    counts = {"held": held(column, line.entry), "tasks": len(column.tasks)}
    return Cell(column, "", _("%(held)s of %(tasks)s tasks") % counts)


def note_of(score: Score, kind: Kind) -> str:
    """What the number is, in full: ``67.25 ± 3.11, n = 229``.

    Of an overall mean, beside which its error stands anyway, the interval: ``45.68, 95 %:
    44.6–46.7, n = 3,946``.
    """
    parts = [str(rounded(score.percent, score.digits))]
    if score.interval and kind is Kind.OVERALL:
        low, high = (rounded(end, 1) for end in score.interval)
        parts.append(f"95 %: {low}–{high}")
    elif score.stderr is not None:
        parts[0] += f" ± {rounded(score.stderr, 2)}"
    if score.size is not None:
        parts.append(f"n = {score.size:,}")
    if score.answered != score.size:
        parts.append(_("%(answered)s answered") % {"answered": f"{score.answered:,}"})
    return ", ".join(parts)
