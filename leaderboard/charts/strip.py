"""The entries of a board in one task, best first: a row for each on an axis from 0 to 100."""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from leaderboard.entries import Mark
from scoring.metrics.verdict import shortened
from scoring.text.plurals import plural

WIDTH = 360
_ROW, _REST = 15, 200  # the height of a row, and of the space for entries without one
_LABELS, _END = 148, 318
_AXIS = 22
_LONGEST = 21  # characters of a name


class Scored(NamedTuple):
    """An entry, as far as the picture needs it."""

    id: str
    title: str
    mark: Mark
    percent: float
    text: str  # the percentage as printed
    interval: tuple[float, float] | None  # its ends, in percent
    interval_text: str
    may_be_first: bool | None = None  # None: not compared


class StripMark(NamedTuple):
    entry: Scored
    name: str  # shortened
    y: float
    score: float
    low: float | None
    high: float | None


class Guess(NamedTuple):
    """What guessing scores: a line."""

    kind: str  # ``chance`` or ``constant``
    at: float
    percent: float


class Strip(NamedTuple):
    width: int
    height: int
    bottom: float  # of the last row
    marks: Sequence[StripMark]
    rest: str  # a path of dots: entries without a row of their own
    scores: Sequence[Tick]
    guesses: Sequence[Guess]


def strip_of(
    entries: Sequence[Scored], rest: Sequence[float] = (), *, guesses: Sequence[tuple[str, float]]
) -> Strip:
    """``rest`` has the scores of worse entries, which are drawn as mere dots; ``guesses`` the kinds
    and percentages of the lines."""
    marks = []
    for place, one in enumerate(entries):
        low, high = one.interval or (None, None)
        mark = StripMark(
            one,
            shortened(one.title, _LONGEST),
            _ROW * (place + 0.5),
            _across(one.percent),
            None if low is None else _across(low),
            None if high is None else _across(high),
        )
        marks.append(mark)
    end = _ROW * len(entries)
    step = min(3.0, _REST / max(1, len(rest)))
    dots = (
        f"M{_across(score):g} {end + step * (place + 0.5):.4g}h0"
        for place, score in enumerate(rest)
    )
    path = "".join(dots)
    bottom = round(end + step * len(rest), 1)
    ticks = [Tick(_across(score), str(score)) for score in (0, 25, 50, 75, 100)]
    lines = [Guess(kind, _across(percent), percent) for kind, percent in guesses]
    return Strip(WIDTH, round(bottom + _AXIS), bottom, marks, path, ticks, lines)


def _across(percent: float) -> float:
    return round(_LABELS + percent / 100 * (_END - _LABELS), 1)


def strip_finding(entries: Sequence[Scored], total: int, guess: float | None) -> str:
    """Who is first, or may be, and how many are no better than guessing. ``total`` is the number of
    entries, ``guess`` the highest score of guessing."""
    best = entries[0]
    candidates = sum(bool(one.may_be_first) for one in entries)
    values = {"name": best.title, "score": f"{best.text} %", "n": total}
    if candidates > 1:
        found = f"{candidates} of {total} {plural(total, 'entry', 'entries')} may be first"
    elif candidates == 1 and total > 1:
        found = "{name} is significantly better than all others ({score})".format(**values)
    else:
        found = "{name} has the highest score ({score})".format(**values)
    if guess is None:
        return found
    # An interval that reaches down to guessing does not show that anything was read.
    alike = sum((one.interval[0] if one.interval else one.percent) <= guess for one in entries)
    if not alike:
        return found
    are = plural(alike, "is", "are")
    return f"{found}; {alike} of {total} {are} not shown to be better than guessing"
