"""A whole context as a narrow picture: where its evidence is, where strings occur, what a run left
out, and which part is in view.

It has 1,000 units from top to bottom, whatever the length, and is stretched to the height of the
text beside it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoring.text.text_index import Span

HEIGHT, WIDTH = 1_000, 60
BINS = 250  # parts of the text in which occurrences are counted
LINKS = 50  # areas that link to their part of the text
_LEAST = 4  # units: anything shorter would be invisible
_BAR = HEIGHT / BINS
_WORDS, _HITS, _CUTS = (4, 14), (22, 14), (42, 14)  # lanes: the left edge and the width of each


class Rectangle(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class Minimap(NamedTuple):
    evidence: Sequence[Rectangle]
    words: str  # paths: the wider, the more occurrences
    hits: str
    cuts: Sequence[Rectangle]  # one lane for each run
    view: Rectangle
    width: int = WIDTH
    height: int = HEIGHT
    link_height: int = HEIGHT // LINKS


def minimap_of(
    total: int,
    view: Span,
    *,
    evidence: Sequence[Span] = (),
    words: Sequence[int] = (),
    hits: Sequence[int] = (),
    cuts: Sequence[Span] = (),
) -> Minimap:
    """Spans are in tokens out of ``total``; ``words`` and ``hits`` are counts for each of
    ``BINS``."""
    start, width = _CUTS
    lane = width / max(1, len(cuts))
    return Minimap(
        [_band(span, total, 0, WIDTH) for span in evidence],
        _bars(words, *_WORDS),
        _bars(hits, *_HITS),
        [_band(span, total, start + place * lane, lane) for place, span in enumerate(cuts)],
        _band(view, total, 0, WIDTH),
    )


def _band(span: Span, total: int, x: float, width: float) -> Rectangle:
    start, end = (HEIGHT * token / max(1, total) for token in span)
    height = max(end - start, _LEAST)
    return Rectangle(
        round(x, 1),
        round(max(0, min((start + end - height) / 2, HEIGHT - height)), 1),
        round(width, 1),
        round(height, 1),
    )


def _bars(counts: Sequence[int], start: float, width: float) -> str:
    """The width is the root of the count, so that one occurrence stays visible beside a hundred."""
    most = max(counts, default=0)
    parts = []
    for place, count in enumerate(counts):
        if count:
            wide = width * (0.35 + 0.65 * (count / most) ** 0.5)
            parts.append(f"M{start} {place * _BAR:g}h{wide:.3g}v{_BAR:g}H{start}z")
    return "".join(parts)
