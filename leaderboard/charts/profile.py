"""A model compared with the other entries of a board: a row for each task, with scores from left to
right."""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from scoring.stats import rounded

WIDTH = 420
_ROW, _HEAD, _FOOT = 24, 4, 22
_START, _END = 122, 376  # 0 and 100 percent
_LETTERS, _LETTER = 17, 6.4  # how many fit left of the start, and the width of each further one
_GAP = 8  # between a title and the start


class ProfileRow(NamedTuple):
    """One column of the board, in percent."""

    id: str
    title: str
    domain: str
    text: str  # the score as printed
    percent: float
    low: float | None  # the ends of the 95 % interval; None: unknown
    high: float | None
    # Over the board's entries that were asked everything, this one included; None: there are none.
    median: float | None
    best: float | None
    best_title: str  # of the best entry
    entries: int  # number of entries with a score
    is_sample: bool = False  # an estimate from some of the questions, not counted among the entries

    @property
    def has_others(self) -> bool:
        return self.entries > (0 if self.is_sample else 1)

    @property
    def is_best(self) -> bool:
        """An entry with a printed 0, or with an estimate, never is."""
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
    titles: int = _START - _GAP  # the right edge of the titles
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
