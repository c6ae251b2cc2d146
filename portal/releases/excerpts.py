"""A few lines of a long context: its evidence with the text around it."""

from collections.abc import Sequence
from typing import NamedTuple

from portal.models import Context
from portal.releases.context_windows import window_by_characters
from scoring.releases.facets import Span

AROUND = 160  # characters before and after evidence
LONGEST = 320  # characters of evidence in one piece; longer evidence is cut in the middle
MOST = 3  # pieces of evidence


class Piece(NamedTuple):
    """A text, or a gap with the number of its tokens."""

    text: str = ""
    is_evidence: bool = False
    tokens: int | None = None  # in the gap; None: this is a text


def excerpt(context: Context, evidence: Sequence[Span]) -> list[Piece]:
    """The pieces in the order of the context; without evidence, its start and its end.

    Raises as ``window_by_characters`` does.
    """
    pieces: list[Piece] = []
    end = 0  # of what has been read or left out, in tokens
    for start, stop, marked in _windows(context.characters, evidence):
        window = window_by_characters(context, start, stop)
        if window.tokens[0] > end:
            pieces.append(Piece(tokens=window.tokens[0] - end))
        end = window.tokens[1]
        position = start
        for first, last in marked:
            pieces.append(Piece(window.text[position - start : first - start]))
            pieces.append(Piece(window.text[first - start : last - start], is_evidence=True))
            position = last
        pieces.append(Piece(window.text[position - start :]))
    if context.tokens > end:
        pieces.append(Piece(tokens=context.tokens - end))
    return [piece for piece in pieces if piece.text or piece.tokens]


def _windows(length: int, evidence: Sequence[Span]) -> list[tuple[int, int, list[Span]]]:
    """What to read of a context of this length, in order, each with the evidence in it."""
    spans: list[Span] = []
    for span in sorted(evidence):
        if spans and span[0] < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], span[1])
        else:
            spans.append(span)
    parts: list[tuple[int, int, list[Span]]] = []
    for first, last in spans[:MOST]:
        if last - first > LONGEST:
            head, tail = (first, first + LONGEST // 2), (last - LONGEST // 2, last)
            parts += [(first - AROUND, head[1], [head]), (tail[0], last + AROUND, [tail])]
        else:
            parts.append((first - AROUND, last + AROUND, [(first, last)]))
    windows: list[tuple[int, int, list[Span]]] = []
    for start, end, marked in parts or [(0, LONGEST, []), (length - AROUND, length, [])]:
        begin, stop = max(0, start), min(length, end)
        if windows and begin <= windows[-1][1]:
            before, until, known = windows.pop()
            windows.append((before, max(until, stop), known + marked))
        else:
            windows.append((begin, stop, marked))
    return windows
