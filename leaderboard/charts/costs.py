"""What a point costs: runs as crosses of two intervals, with tokens or money on the horizontal axis
and scores on the vertical one.

The frontier is a band: what a given amount buys lies between what some run certainly reaches for it
and the most that any run may reach. Runs that are certainly dominated do not take part in it.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from portal.endpoint_runs.results.costs import Axis, RunCost
from scoring.metrics.verdict import shortened
from scoring.text.amounts import rough_amount, short_amount
from scoring.text.plurals import plural

WIDTH, HEIGHT = 480, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 460, 10, 200
_LONGEST = 32  # characters of a name
_THOUSAND = math.log2(1_000)
_LOG_2 = math.log10(2)
_NARROWEST = 3.0  # doublings in the width of the picture, at least
_SLOPES = (1, 2, 5, 10, 20, 50)  # points for each doubling: the slopes of the reference lines
_RISE = 45  # how many points they rise from left to right, roughly
_APART = 25  # points between two neighbouring lines
_LINE, _CHARACTER = 11.0, 5.6  # of a name: the height, and roughly the width of a character
_NEAR = 8  # positions near enough to the mark for the choice to be one of looks


class CostMark(NamedTuple):
    cost: RunCost
    name: str
    x: float
    y: float
    left: float
    right: float
    low: float | None
    high: float | None
    is_own: bool  # it belongs to the page's entry
    name_ends: bool  # left of the mark, where there is no room on the right
    name_y: float

    @property
    def stroke(self) -> str:
        """The line to a name that is far from its mark; empty if it is near."""
        if abs(self.name_y - self.y) <= 2 * _LINE:
            return ""
        side = -6 if self.name_ends else 6
        return f"M{self.x:g} {self.y:g}L{self.x + side:g} {self.name_y - 3:g}"


class CostPlot(NamedTuple):
    axis: Axis
    width: int
    height: int
    bottom: int
    marks: Sequence[CostMark]
    lines: Sequence[str]  # a path through the runs of each model
    frontier: str  # the path around the band
    slopes: str  # parallel lines that rise ``slope`` points for each doubling
    slope: int
    scores: Sequence[Tick]
    uses: Sequence[Tick]
    finding: str

    @property
    def title(self) -> str:
        if self.axis == Axis.MONEY:
            return "Score against the cost of 1,000 questions"
        return "Score against tokens a question"

    @property
    def key(self) -> str:
        """In the picture, below its axis."""
        return f"Shaded: the best for its cost, 95 %. Dashed: +{self.slope} points a doubling."

    @property
    def days(self) -> str:
        """The dates of the prices."""
        found = sorted({f"{mark.cost.day:%Y-%m-%d}" for mark in self.marks})
        return " – ".join(dict.fromkeys((found[0], found[-1])))


def cost_plot(costs: Sequence[RunCost], own: str, axis: Axis = Axis.TOKENS) -> CostPlot | None:
    """None for fewer than two runs: there is nothing to compare."""
    if len(costs) < 2:
        return None
    start = math.log2(min(one.use.low for one in costs)) - 0.3
    end = math.log2(max(one.use.high for one in costs)) + 0.3
    missing = max(0.0, _NARROWEST - (end - start)) / 2
    start, end = start - missing, end + missing
    amounts = _prices(start, end) if axis == Axis.MONEY else _doublings(start, end)
    start = min(start, math.log2(amounts[0][0]))  # no point lies outside of all labels
    end = max(end, math.log2(amounts[-1][0]))

    def across(use: float) -> float:
        return round(_LEFT + (math.log2(use) - start) / (end - start) * (_RIGHT - _LEFT), 1)

    marks = [
        CostMark(
            one,
            shortened(_name_among(one, costs), _LONGEST),
            across(one.use.mean),
            _upwards(one.score),
            across(one.use.low),
            across(one.use.high),
            _upwards(one.interval.low) if one.interval else None,
            _upwards(one.interval.high) if one.interval else None,
            is_own=one.entry == own,
            name_ends=across(one.use.mean) > (_LEFT + _RIGHT) / 2,
            name_y=0.0,
        )
        for one in costs
    ]
    marks = _with_names_apart(marks)
    by_title: dict[str, list[CostMark]] = {}
    for mark in marks:
        by_title.setdefault(mark.cost.title, []).append(mark)
    lines = [
        "M" + "L".join(f"{mark.x:g} {mark.y:g}" for mark in of_model)
        for of_model in by_title.values()
        if len(of_model) > 1
    ]
    step = max(1, math.ceil(len(amounts) / 9))
    ticks = [Tick(across(amount), label) for amount, label in amounts[::-1][::step][::-1]]
    scores = [Tick(_upwards(score), str(score)) for score in (0, 25, 50, 75, 100)]
    slope = min(_SLOPES, key=lambda one: abs(one * (end - start) - _RISE))
    return CostPlot(
        axis, WIDTH, HEIGHT, _BOTTOM, marks, lines, _frontier(marks),
        _slopes(slope * (end - start)), slope, scores, ticks, _finding(costs),
    )  # fmt: skip


def _name_among(cost: RunCost, costs: Sequence[RunCost]) -> str:
    """As much as distinguishes it from the others: the model, the strategy, the context window."""
    of_model = [one for one in costs if one.title == cost.title]
    alike = [one for one in of_model if one.strategy == cost.strategy]
    strategy = f", {cost.strategy}" if len(of_model) > 1 else ""
    window = f", {short_amount(cost.window)}" if len(alike) > 1 else ""
    return f"{cost.title}{strategy}{window}"


def _frontier(marks: Sequence[CostMark]) -> str:
    """Smaller numbers are higher: the vertical axis of SVG points down."""
    on_it = [mark for mark in marks if not mark.cost.dominated_by]
    most = _stairs([(one.left, one.y if one.high is None else one.high) for one in on_it])
    least = _stairs([(one.right, one.y if one.low is None else one.low) for one in on_it])
    corners = [*most, *reversed(least)]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in corners) + "Z"


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the best so far, from the floor at the first point to the right edge."""
    best = float(_BOTTOM)
    corners: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if y < best:
            corners += [(x, best), (x, y)]
            best = y
    return [*corners, (float(_RIGHT), best)]


def _slopes(rise: float) -> str:
    """``rise`` is the number of points from the left edge to the right one."""
    parts = []
    for foot in range(-_APART * math.ceil(rise / _APART), 100, _APART):
        # Where the line from ``foot`` at the left edge enters and leaves the picture.
        first, last = (min(1.0, max(0.0, (score - foot) / rise)) for score in (max(0, foot), 100))
        if first < last:
            ends = [
                f"{round(_LEFT + share * (_RIGHT - _LEFT), 1):g} {_upwards(foot + share * rise):g}"
                for share in (first, last)
            ]
            parts.append(f"M{ends[0]}L{ends[1]}")
    return "".join(parts)


def _doublings(start: float, end: float) -> list[tuple[float, str]]:
    """Powers of two of tokens around these: 1K, 2K, 4K, …"""
    exponents = range(math.floor(start - _THOUSAND), math.ceil(end - _THOUSAND) + 1)
    amounts = [1_000 * 2.0**exponent for exponent in exponents]
    return [(amount, rough_amount(amount)) for amount in amounts]


def _prices(start: float, end: float) -> list[tuple[float, str]]:
    """Round amounts of money around these: 1, 2, 5, 10, …"""
    decades = range(math.floor(start * _LOG_2) - 1, math.ceil(end * _LOG_2) + 1)
    amounts = [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]
    first = max(place for place, one in enumerate(amounts) if math.log2(one) <= start)
    last = min(place for place, one in enumerate(amounts) if math.log2(one) >= end)
    return [(amount, f"{amount:,g}") for amount in amounts[first : last + 1]]


class _Box(NamedTuple):
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: "_Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def _with_names_apart(marks: Sequence[CostMark]) -> list[CostMark]:
    """Each name beside its mark, or as close as the marks and the names before it allow, and clear
    of the intervals where possible; the page's own entry comes first."""
    taken = [_Box(one.x - 6, one.x + 6, one.y - 5, one.y + 5) for one in marks]
    whiskers = [_Box(one.left, one.right, one.y - 1, one.y + 1) for one in marks] + [
        _Box(one.x - 1, one.x + 1, one.high, one.low)
        for one in marks
        if one.high is not None and one.low is not None
    ]
    placed = {}
    for mark in sorted(marks, key=lambda one: not one.is_own):
        places = [
            (name_ends, y, box)
            for step in range(2 * len(marks) + 3)
            for side in (-1, 1)
            for name_ends in (mark.name_ends, not mark.name_ends)
            for y in (mark.y + side * (step + 0.5) * _LINE / 2,)
            for box in (_name_box(mark, name_ends=name_ends, y=y),)
            if _TOP < y < _BOTTOM and box.left > _LEFT and box.right < WIDTH
        ]
        free = [one for one in places if not any(map(one[2].meets, taken))]
        best = [one for one in free[:_NEAR] if not any(map(one[2].meets, whiskers))]
        y = mark.y - 0.5 * _LINE
        usual = (mark.name_ends, y, _name_box(mark, name_ends=mark.name_ends, y=y))
        name_ends, y, box = next(iter([*best, *free, usual]))
        taken.append(box)
        placed[mark.cost.entry] = mark._replace(name_ends=name_ends, name_y=round(y, 1))
    return [placed[mark.cost.entry] for mark in marks]


def _name_box(mark: CostMark, *, name_ends: bool, y: float) -> _Box:
    """``y`` is the baseline of the text."""
    width = _CHARACTER * len(mark.name)
    left = mark.x - 7 - width if name_ends else mark.x + 7
    return _Box(left, left + width, y - 8, y + 3)


def _upwards(score: float) -> float:
    return round(_BOTTOM - score / 100 * (_BOTTOM - _TOP), 1)


def _finding(costs: Sequence[RunCost]) -> str:
    dominated = sum(bool(one.dominated_by) for one in costs)
    if not dominated:
        return "no run is certainly worse and dearer than another"
    are = plural(dominated, "is", "are")
    return f"{dominated} of {len(costs)} runs {are} certainly worse and dearer than another"
