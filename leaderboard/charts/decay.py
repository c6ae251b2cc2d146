"""The geometry of decay curves: scores against tokens on a logarithmic axis, and below, up to which
length each entry keeps its score."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from leaderboard.charts.plots import FEW, Tick
from scoring.breakdowns.ladder import Curve, Envelope, Step
from scoring.text.amounts import short_amount

WIDTH = 720
LEFT, RIGHT = 34, 520  # of the axis of lengths; names are to its right
_TOP, _BOTTOM = 10, 290
_MARGIN = 16  # between the ends of the axis and the first and last length
_RULERS, _RULER = 332, 17  # the position of the first one, and the distance between two
_NAME = 15  # between two names
# The shapes of marks, around their centres; each curve also has a colour and a dash pattern.
SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.6-3.6h7.2v7.2h-7.2z",
    "m0-4.8l4.6 8.2h-9.2z",
    "m0-5l5 5l-5 5l-5-5z",
    "m0 4.8l4.6-8.2h-9.2z",
    "m-4.6-1.7h2.9v-2.9h3.4v2.9h2.9v3.4h-2.9v2.9h-3.4v-2.9h-2.9z",
)


class Point(NamedTuple):
    step: Step
    x: float
    y: float

    @property
    def label(self) -> str:
        return short_amount(self.step.length)

    @property
    def is_few(self) -> bool:
        return self.step.n < FEW


class Ruler(NamedTuple):
    """One entry on the axis of lengths."""

    y: int
    at: float | None  # the effective context and its interval; None: it cannot be shown
    low: float | None
    high: float | None
    is_open: bool  # the interval has no upper end
    claimed: float | None  # the model's window; longer than any length: at the end of the axis
    configured: float | None  # the limit on input tokens
    cut: float | None  # the shortest length at which the run left something out


class Series(NamedTuple):
    number: int  # from 1: its colour, dashes and shape
    shape: str
    points: Sequence[Point]
    path: str
    band: str  # around the paired differences to the shortest length
    name_y: float
    ruler: Ruler


class DecayPlot(NamedTuple):
    width: int
    height: int
    lengths: Sequence[Tick]
    scores: Sequence[Tick]
    series: Sequence[Series]
    envelope: str  # around most of the other entries


class Subject(NamedTuple):
    """What is drawn for an entry."""

    curve: Curve
    claimed: int | None
    configured: int | None
    cut: int | None


def decay_plot(
    lengths: Sequence[int], subjects: Sequence[Subject], others: Envelope | None
) -> DecayPlot:
    names = _spread([_up(one.curve.steps[-1].mean) for one in subjects])
    series = []
    for place, (subject, name_y) in enumerate(zip(subjects, names, strict=True)):
        steps = subject.curve.steps
        points = [Point(one, _across(one.length, lengths), _up(one.mean)) for one in steps]
        path = _path((point.x, point.y) for point in points)
        ruler = _ruler(subject, lengths, _RULERS + _RULER * place)
        series.append(Series(place + 1, SHAPES[place], points, path, _band(points), name_y, ruler))
    return DecayPlot(
        WIDTH,
        _RULERS + _RULER * len(series),
        [Tick(_across(one, lengths), short_amount(one)) for one in lengths],
        [Tick(_up(score), str(score)) for score in (0, 25, 50, 75, 100)],
        series,
        _envelope(lengths, others) if others else "",
    )


def _across(tokens: float, lengths: Sequence[int]) -> float:
    """Anything below the shortest length is drawn at the start."""
    least, most = math.log2(lengths[0]), math.log2(lengths[-1])
    share = min(1.0, max(0.0, (math.log2(tokens) - least) / (most - least)))
    return round(LEFT + _MARGIN + share * (RIGHT - LEFT - 2 * _MARGIN), 1)


def _up(score: float) -> float:
    return round(_BOTTOM - min(100.0, max(0.0, score)) / 100 * (_BOTTOM - _TOP), 1)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _band(points: Sequence[Point]) -> str:
    first, *others = points
    known = [(one.x, one.step.paired) for one in others if one.step.paired]
    high = [(x, _up(first.step.mean + paired.high)) for x, paired in known]
    low = [(x, _up(first.step.mean + paired.low)) for x, paired in known]
    return f"{_path([(first.x, first.y), *high, *reversed(low)])}Z"


def _envelope(lengths: Sequence[int], others: Envelope) -> str:
    across = [_across(one, lengths) for one in lengths]
    high = list(zip(across, map(_up, others.high), strict=True))
    low = list(zip(across, map(_up, others.low), strict=True))
    return f"{_path([*high, *reversed(low)])}Z"


def _ruler(subject: Subject, lengths: Sequence[int], y: int) -> Ruler:
    found = subject.curve.effective

    def place(tokens: int | None) -> float | None:
        if not tokens:
            return None
        return _across(tokens, lengths) if tokens <= lengths[-1] else RIGHT

    return Ruler(
        y,
        at=found and _across(found.tokens or 1, lengths),
        low=found and _across(found.low or 1, lengths),
        high=found and (_across(found.high, lengths) if found.high else RIGHT),
        is_open=bool(found and found.high is None),
        claimed=place(subject.claimed),
        configured=place(subject.configured),
        cut=place(subject.cut),
    )


def _spread(wanted: Sequence[float]) -> list[float]:
    """As close to these positions as names can be without touching each other, in order."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    found = [0.0] * len(wanted)
    edge = float(_TOP)
    for place in order:  # from the top: each below the previous one
        found[place] = max(wanted[place], edge)
        edge = found[place] + _NAME
    edge = float(_BOTTOM)
    for place in reversed(order):  # from the bottom: none below the axis
        found[place] = min(found[place], edge)
        edge = found[place] - _NAME
    return [round(one, 1) for one in found]


# For the small picture on the home page.
_SMALL_WIDTH, _SMALL_HEIGHT, _SMALL_MARGIN = 100, 32, 3


class SmallPlot(NamedTuple):
    width: int
    height: int
    paths: Sequence[str]


def small_plot(curves: Sequence[Curve]) -> SmallPlot:
    """The curves alone, on an axis from 0 to their greatest score."""
    means = [[step.mean for step in curve.steps] for curve in curves]
    lengths = [step.length for step in curves[0].steps]
    most = max(1.0, *(mean for one in means for mean in one))
    least, last = math.log2(lengths[0]), math.log2(lengths[-1])
    room = _SMALL_WIDTH - 2 * _SMALL_MARGIN, _SMALL_HEIGHT - 2 * _SMALL_MARGIN

    def point(length: int, mean: float) -> tuple[float, float]:
        across = (math.log2(length) - least) / (last - least)
        return (
            round(_SMALL_MARGIN + across * room[0], 1),
            round(_SMALL_HEIGHT - _SMALL_MARGIN - mean / most * room[1], 1),
        )

    lines = ([point(*pair) for pair in zip(lengths, one, strict=True)] for one in means)
    return SmallPlot(_SMALL_WIDTH, _SMALL_HEIGHT, list(map(_path, lines)))
