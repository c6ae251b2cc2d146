"""How the text of an answer differs from another text, for pages."""

from collections.abc import Sequence
from typing import NamedTuple

from scoring.explanations.differences import Segment, shortened, word_differences
from scoring.problems import readable

_MOST_SEGMENTS = 400
_AROUND = 120  # characters that are shown before and after a difference


class DifferentPiece(NamedTuple):
    kind: str  # of ``Segment``
    text: str


class Differences(NamedTuple):
    name: str  # ``gold``, or ``baseline``
    title: str
    pieces: Sequence[DifferentPiece]


def differences_of(name: str, title: str, before: str, after: str) -> Differences | None:
    """From one text to the other; None if they are equal or have nothing in common."""
    segments = shortened(word_differences(before, after), _AROUND)
    kinds = {one.kind for one in segments}
    if "equal" not in kinds or not kinds & {"only_a", "only_b"}:
        return None
    shown = [_piece(one, before, after) for one in segments[:_MOST_SEGMENTS]]
    rest = [DifferentPiece("left_out", "")] if len(segments) > _MOST_SEGMENTS else []
    return Differences(name, title, [*shown, *rest])


def _piece(segment: Segment, before: str, after: str) -> DifferentPiece:
    text = before if segment.kind == "only_a" else after
    start, end = segment.a if segment.kind == "only_a" else segment.b
    is_text = segment.kind in ("equal", "only_a", "only_b")
    return DifferentPiece(segment.kind, readable(text[start:end]) if is_text else "")
