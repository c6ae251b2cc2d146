"""Marked parts of a prediction: what decided its score."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring.explanations import Explanation, Span
from scoring.problems import readable

LONGEST = 6_000  # characters of a text that are shown at most
_AROUND = 400  # characters on both sides of further marks
DECIDING, CUE, ERROR, MATCHED = "deciding", "cue", "error", "matched"


class Piece(NamedTuple):
    """A part of a text, or a gap with the number of characters left out."""

    text: str = ""
    kind: str = ""  # the kind of a mark; empty: not marked
    left_out: int = 0


def marks_of(explanation: Explanation) -> list[tuple[Span, str]]:
    """What to mark in the prediction."""
    error = explanation.calculation.error if explanation.calculation else None
    kind = MATCHED if explanation.match else ERROR if error and error.span else DECIDING
    marks = [(span, kind) for span in explanation.deciding]
    return marks + ([(explanation.cue, CUE)] if explanation.cue else [])


def marked(text: str, marks: Iterable[tuple[Span, str]]) -> list[Piece]:
    """The text in pieces. If it has more than ``LONGEST`` characters: its start, its end, and the
    surroundings of the first marks, up to that length."""
    ordered = sorted(marks)
    pieces: list[Piece] = []
    shown_to = 0
    for start, end in _windows(text, [span for span, _ in ordered]):
        if start > shown_to:
            pieces.append(Piece(left_out=start - shown_to))
        pieces += _pieces(text, start, end, ordered)
        shown_to = end
    if shown_to < len(text):
        pieces.append(Piece(left_out=len(text) - shown_to))
    return pieces


def _windows(text: str, spans: Sequence[Span]) -> list[Span]:
    """The parts to show, in order and disjoint."""
    if len(text) <= LONGEST:
        return [(0, len(text))]
    wanted = [(0, 2 * _AROUND), (len(text) - 2 * _AROUND, len(text))]
    left = LONGEST - 4 * _AROUND
    for start, end in spans:
        around = max(0, start - _AROUND), min(len(text), end + _AROUND)
        left -= around[1] - around[0]
        if left < 0:
            break
        wanted.append(around)
    windows: list[Span] = []
    for start, end in sorted(wanted):
        if windows and start <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(windows[-1][1], end)
        else:
            windows.append((start, end))
    return windows


def _pieces(text: str, start: int, end: int, marks: Sequence[tuple[Span, str]]) -> list[Piece]:
    """The pieces of one window; a mark that crosses its border is cut there."""
    pieces, place = [], start
    for span, kind in marks:
        first, last = max(span[0], place), min(span[1], end)
        if first < last:
            pieces += [Piece(text[place:first]), Piece(text[first:last], kind)]
            place = last
    pieces.append(Piece(text[place:end]))
    return [Piece(readable(one.text), one.kind) for one in pieces if one.text]
