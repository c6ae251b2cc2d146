"""The geometry of breakdowns, in the units of an SVG, with scores from 0 to 100.

Templates draw what is computed here, and nothing else.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from portal.scores.titles import SettingsLine
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By, Method
from scoring.stats import rounded
from scoring.text.amounts import rough_amount, short_amount

FEW = 30  # a mark with fewer examples is hollow
_STEPS = 3  # shades on either side of the entry's own mean
_STEP = 12.0  # percentage points for each shade

# A plot with scores upwards.
WIDTH, HEIGHT = 360, 176
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 350, 8, 134
# A plot with a row for each bin.
_ROW, _LABELS, _END = 22, 122, 318
# A grid of cells.
_CELL, _HEAD = 24, 60


class Tick(NamedTuple):
    at: float
    label: str


class Point(NamedTuple):
    """The mean of a bin. Where scores go upwards ``low`` has the greater coordinate."""

    bin: Bin
    at: float  # the position of the bin, at right angles to the axis of scores
    score: float
    low: float | None  # the ends of the 95 % interval; None: it is not drawn
    high: float | None
    is_few: bool
    href: str = ""  # the list of its examples


class Context(NamedTuple):
    """The effective context on the axis of lengths."""

    at: float
    low: float
    high: float


class Plot(NamedTuple):
    kind: str  # ``line``, ``rows`` or ``grid``: how it is drawn
    width: int
    height: int
    points: Sequence[Point]
    scores: Sequence[Tick]  # on the axis of scores
    bins: Sequence[Tick]
    path: str = ""  # through all points
    band: str = ""  # around the paired differences to the first bin
    context: Context | None = None
    claimed: float | None = None  # the model's window, on the axis of lengths
    cells: "Sequence[Cell]" = ()

    @property
    def has_cuts(self) -> bool:
        return any(cell.is_cut for cell in self.cells)


class Cell(NamedTuple):
    """One length and depth."""

    bin: Bin
    x: float
    y: float
    width: float
    height: float
    shade: str  # ``less-2``: two steps below the entry's own mean; ``same``; ``more-1``
    text: str
    is_cut: bool  # the run left out all of its evidence
    href: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        return round(self.x + self.width / 2, 1), round(self.y + self.height / 2, 1)


def plot_of(
    breakdown: Breakdown, claimed: int | None = None, run: SettingsLine | None = None
) -> Plot:
    """``claimed`` is the context window of the model in tokens, ``run`` the settings of the run."""
    match breakdown.by:
        case By.LENGTH:
            return _lengths(breakdown, claimed)
        case By.DEPTH:
            return _depths(breakdown)
        case By.LENGTH_DEPTH:
            return _grid(breakdown, run)
        case _:
            return _rows(breakdown)


def _upwards(score: float) -> float:
    return _at(score / 100, _BOTTOM, _TOP)


def _at(share: float, start: float, end: float) -> float:
    return round(start + share * (end - start), 1)


def _point(one: Bin, at: float, start: float, end: float) -> Point | None:
    if one.mean is None:
        return None
    low, high = one.interval[:2] if one.interval else (None, None)
    return Point(
        one,
        at,
        _at(one.mean / 100, start, end),
        None if low is None else _at(low / 100, start, end),
        None if high is None else _at(high / 100, start, end),
        one.n < FEW,
    )


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{point.at:g} {point.score:g}" for point in points)


_SCORES_UPWARDS = tuple(Tick(_upwards(score), str(score)) for score in (0, 50, 100))


def _depths(breakdown: Breakdown) -> Plot:
    points = [
        _point(one, _at((one.start + one.end) / 2, _LEFT, _RIGHT), _BOTTOM, _TOP)
        for one in breakdown.bins
        if one.start is not None and one.end is not None
    ]
    known = [point for point in points if point]
    ticks = [Tick(_at(share, _LEFT, _RIGHT), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]
    return Plot("line", WIDTH, HEIGHT, known, _SCORES_UPWARDS, ticks, _path(known))


def _lengths(breakdown: Breakdown, claimed: int | None) -> Plot:
    """A logarithmic axis."""
    middles = [_middle(one) for one in breakdown.bins]
    least, most = math.log2(min(middles)), math.log2(max(middles))
    margin = 12

    def across(tokens: float) -> float:
        if most == least:
            return (_LEFT + _RIGHT) / 2
        share = (math.log2(tokens) - least) / (most - least)
        return _at(min(1.0, max(0.0, share)), _LEFT + margin, _RIGHT - margin)

    points = [
        point
        for one, middle in zip(breakdown.bins, middles, strict=True)
        if (point := _point(one, across(middle), _BOTTOM, _TOP))
    ]
    by_target = breakdown.method is Method.TARGETS
    ticks = [
        Tick(across(middle), short_amount(int(middle)) if by_target else rough_amount(middle))
        for middle in middles
    ]
    found = breakdown.effective_context
    context = found and Context(
        across(found.tokens), across(found.low), across(found.high or 2**most)
    )
    return Plot(
        "line",
        WIDTH,
        HEIGHT,
        points,
        _SCORES_UPWARDS,
        ticks,
        _path(points),
        _band(points),
        context,
        across(claimed) if claimed and 2**least <= claimed <= 2**most else None,
    )


def _middle(one: Bin) -> float:
    """The middle of a bin of lengths on a logarithmic axis."""
    return math.sqrt(max(1.0, (one.start or 1.0) * (one.end or 1.0)))


def _band(points: Sequence[Point]) -> str:
    """Around the points whose difference to the first one is known, starting at that one."""
    first, *others = points
    if first.bin.mean is None:
        return ""
    upper = lower = f"{first.at:g} {first.score:g}"
    is_known = False
    for point in others:
        paired = point.bin.paired
        if paired is None or paired.low is None or paired.high is None:
            continue
        is_known = True
        ends = (first.bin.mean + paired.high, first.bin.mean + paired.low)
        high, low = (_upwards(min(100.0, max(0.0, end))) for end in ends)
        upper += f"L{point.at:g} {high:g}"
        lower = f"{point.at:g} {low:g}L{lower}"
    return f"M{upper}L{lower}Z" if is_known else ""


def _rows(breakdown: Breakdown) -> Plot:
    """A row for each bin, with scores from left to right."""
    points, ticks = [], []
    for place, one in enumerate(breakdown.bins):
        middle = _ROW * place + _ROW / 2
        ticks.append(Tick(middle, one.label))
        if point := _point(one, middle, _LABELS, _END):
            points.append(point)
    scores = [Tick(_at(score / 100, _LABELS, _END), str(score)) for score in (0, 50, 100)]
    height = _ROW * len(breakdown.bins) + 22
    return Plot("rows", WIDTH, height, points, scores, ticks)


def _grid(breakdown: Breakdown, run: SettingsLine | None) -> Plot:
    """Lengths from left to right, depths from top to bottom."""
    lengths = list(dict.fromkeys((one.start, one.end) for one in breakdown.bins))
    depths = sorted({one.depths for one in breakdown.bins if one.depths})
    width = (_RIGHT - _HEAD) / max(1, len(lengths))
    cells = []
    for one in breakdown.bins:
        if one.mean is None or one.depths is None:
            continue
        column, row = lengths.index((one.start, one.end)), depths.index(one.depths)
        cells.append(
            Cell(
                one,
                round(_HEAD + width * column, 1),
                _CELL * row,
                round(width - 1, 1),
                _CELL - 1,
                shade_of(one.shrunk or 0.0),
                str(rounded(one.mean, 0)),
                run is not None and _is_cut(one, run),
            )
        )
    of_lengths = [
        Tick(round(_HEAD + width * (place + 0.5), 1), _length_label(start, end))
        for place, (start, end) in enumerate(lengths)
    ]
    of_depths = [
        Tick(_CELL * (place + 0.5), f"{start:.2g}–{end:.2g}")
        for place, (start, end) in enumerate(depths)
    ]
    height = _CELL * len(depths) + 24
    return Plot("grid", WIDTH, height, [], of_depths, of_lengths, cells=cells)


def _is_cut(one: Bin, run: SettingsLine) -> bool:
    """Whether the run left out everything at these depths, at both ends of these lengths."""
    if one.depths is None or one.start is None or one.end is None:
        return False
    for tokens in (int(one.start), int(one.end)):
        cut = run.cut_of(tokens)
        if cut is None or not cut[0] <= one.depths[0] * tokens <= one.depths[1] * tokens <= cut[1]:
            return False
    return True


def _length_label(start: float | None, end: float | None) -> str:
    if start is None or end is None:
        return ""
    return short_amount(int(start)) if start == end else rough_amount(math.sqrt(start * end))


def shade_of(difference: float) -> str:
    """A class of the stylesheets. ``difference`` is that to the entry's own mean, in percentage
    points."""
    step = min(_STEPS, round(abs(difference) / _STEP))
    if not step:
        return "same"
    return f"{'less' if difference < 0 else 'more'}-{step}"
