"""A model against the others of a board: a row for each task, scores from left to right."""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from scoring.stats import rounded

WIDTH = 420
_ROW, _HEAD, _FOOT = 24, 4, 22
_START, _END = 122, 376  # 0 and 100 percent
_LETTERS, _LETTER = 17, 6.4  # that a title may have beside that start, and how wide one more is
_GAP = 8  # between a title and the start


class ProfileRow(NamedTuple):
    """Of a column of the board, in percent."""

    id: str
    title: str
    domain: str
    text: str  # the score as printed
    percent: float
    low: float | None  # of the 95 % interval; None: not known
    high: float | None
    # Of all entries of the board that were asked everything, this one included; None: of no entry.
    median: float | None
    best: float | None
    best_title: str  # of the entry that has it
    entries: int  # that have a score
    is_sample: bool = False  # it is an estimate from a part of the questions, and not among them

    @property
    def has_others(self) -> bool:
        return self.entries > (0 if self.is_sample else 1)

    @property
    def is_best(self) -> bool:
        """Nobody is with what is printed as 0, or with an estimate."""
        if self.is_sample or self.best is None:
            return False
        return self.percent >= self.best and rounded(self.best, 1) > 0


class ProfileMark(NamedTuple):
    row: ProfileRow
    y: float
    score: float
    median: float | None
    best: float | None
    interval: tuple[float, float] | None


class ProfilePlot(NamedTuple):
    height: int
    ticks: Sequence[Tick]
    marks: Sequence[ProfileMark]
    titles: int = _START - _GAP  # where they end
    width: int = WIDTH


def profile_plot(rows: Sequence[ProfileRow]) -> ProfilePlot:
    longest = max((len(row.title) for row in rows), default=0)
    start = _START + round(max(0, longest - _LETTERS) * _LETTER)

    def across(percent: float) -> float:
        return round(start + percent / 100 * (_END - start), 1)

    marks = [
        ProfileMark(
            row,
            _HEAD + _ROW * (place + 0.5),
            across(row.percent),
            None if row.median is None else across(row.median),
            None if row.best is None else across(row.best),
            None if row.low is None or row.high is None else (across(row.low), across(row.high)),
        )
        for place, row in enumerate(rows)
    ]
    ticks = [Tick(across(percent), str(percent)) for percent in (0, 25, 50, 75, 100)]
    return ProfilePlot(_HEAD + _ROW * len(rows) + _FOOT, ticks, marks, start - _GAP)
