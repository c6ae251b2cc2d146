"""How scores and ranks change between metric sets: lines from column to column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from portal.scores.titles import METRIC_SET_TITLES

WIDTH, _RANKS_WIDTH = 420, 440
MOST_LINES = 12  # lines of ranks in one picture
_HEAD, _RANKS_HEAD, _FOOT = 48, 26, 12  # margins above and below the lines
_SCORES_HEIGHT, _ROW = 300, 28
_OF_SCORES, _OF_RANKS = (44.0, 162.0, 280.0), (34.0, 128.0, 222.0)  # where metric sets are
_LABEL, _COUNT = 14, 12  # the least distance between two texts


class Series(NamedTuple):
    """The data of a line; each value belongs to one metric set."""

    id: str
    title: str
    domain: str  # gives the colour; empty: that of links
    values: Sequence[float]
    texts: Sequence[str]  # the values as printed
    notes: Sequence[str] = ()  # beside the values
    counts: Sequence[int] = ()  # examples whose score changes, from each metric set to the next


class Stop(NamedTuple):
    x: float
    y: float
    text: str
    note: str


class Count(NamedTuple):
    x: float
    y: float
    n: int


class Slope(NamedTuple):
    series: Series
    stops: Sequence[Stop]
    counts: Sequence[Count]  # halfway between two stops, where there is anything to count
    value_y: float  # of the text before the first stop
    label_y: float  # of the text after the last stop

    @property
    def path(self) -> str:
        return "M" + "L".join(f"{stop.x:g} {stop.y:g}" for stop in self.stops)

    @property
    def is_level(self) -> bool:
        """Whether nothing changes."""
        return len(set(self.series.texts)) == 1 and not self.counts


class Head(NamedTuple):
    x: float
    title: str
    note: str


class Slopes(NamedTuple):
    kind: str  # ``scores`` or ``ranks``: how it is drawn
    height: int
    heads: Sequence[Head]
    slopes: Sequence[Slope]
    width: int = WIDTH


def score_slopes(series: Sequence[Series], notes: Sequence[str] = ()) -> Slopes:
    """Percentages upwards, from 0 to 100; ``notes`` are printed below the names of the metric
    sets."""
    bottom = _HEAD + _SCORES_HEIGHT
    heights = [
        [round(bottom - percent / 100 * _SCORES_HEIGHT, 1) for percent in one.values]
        for one in series
    ]
    slopes = _slopes(series, heights, _OF_SCORES, _HEAD - _LABEL / 2, bottom + _LABEL / 2)
    return Slopes("scores", bottom + _FOOT, _heads(_OF_SCORES, notes), slopes)


def rank_slopes(series: Sequence[Series]) -> Slopes:
    """The best rank is on top; ranks of other entries leave no gaps."""
    orders = [
        sorted(range(len(series)), key=ranks.__getitem__)
        for ranks in zip(*(one.values for one in series), strict=True)
    ]
    heights = [
        [_RANKS_HEAD + _ROW * (order.index(place) + 0.5) for order in orders]
        for place in range(len(series))
    ]
    bottom = _RANKS_HEAD + _ROW * len(series)
    slopes = _slopes(series, heights, _OF_RANKS, _RANKS_HEAD, bottom + _LABEL / 2)
    return Slopes("ranks", bottom + _FOOT, _heads(_OF_RANKS), slopes, _RANKS_WIDTH)


def _heads(columns: Sequence[float], notes: Sequence[str] = ()) -> list[Head]:
    titles = [str(one.title) for one in METRIC_SET_TITLES.values()]
    texts = notes or [""] * len(titles)
    return [Head(*head) for head in zip(columns, titles, texts, strict=True)]


def _slopes(
    series: Sequence[Series],
    heights: Sequence[Sequence[float]],
    columns: Sequence[float],
    top: float,
    bottom: float,
) -> list[Slope]:
    """Lines in which nothing changes come first, so that the others are drawn over them."""
    values = _apart([line[0] for line in heights], _LABEL, top, bottom)
    labels = _apart([line[-1] for line in heights], _LABEL, top, bottom)
    counts: list[list[Count]] = [[] for _ in series]
    for step, (x, next_x) in enumerate(pairwise(columns)):
        changing = [place for place, one in enumerate(series) if one.counts and one.counts[step]]
        middles = [(heights[place][step] + heights[place][step + 1]) / 2 for place in changing]
        for place, y in zip(changing, _apart(middles, _COUNT, top, bottom), strict=True):
            counts[place].append(Count((x + next_x) / 2, y, series[place].counts[step]))
    slopes = []
    for place, one in enumerate(series):
        notes = one.notes or [""] * len(columns)
        stops = [
            Stop(*stop) for stop in zip(columns, heights[place], one.texts, notes, strict=True)
        ]
        slopes.append(Slope(one, stops, counts[place], values[place], labels[place]))
    return sorted(slopes, key=lambda slope: not slope.is_level)


def _apart(heights: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Positions as close to these heights as possible (least squares), at least so far from each
    other, and between top and bottom if there is room for all.

    Heights that are too close become one block around their mean: pooling of adjacent violators.
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    blocks: list[tuple[float, int]] = []  # position of the first, and how many
    for position, place in enumerate(order):
        start, count = heights[place] - gap * position, 1
        while blocks and blocks[-1][0] > start:
            before, others = blocks.pop()
            start = (before * others + start * count) / (others + count)
            count += others
        blocks.append((start, count))
    highest = bottom - gap * (len(order) - 1)
    starts = [max(top, min(start, highest)) for start, count in blocks for _ in range(count)]
    found = [0.0] * len(heights)
    for position, (place, start) in enumerate(zip(order, starts, strict=True)):
        found[place] = round(start + gap * position, 1)
    return found
