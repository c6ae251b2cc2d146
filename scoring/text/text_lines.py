"""The lines of a long text: which one a place is in, and where one begins.

Lines end with a line feed, and are counted from 1; the last one may be empty.
"""

from bisect import bisect_left
from typing import BinaryIO, NamedTuple

PIECE = 1 << 16  # bytes between two stored counts
_END = b"\n"


class Lines(NamedTuple):
    """How many lines end before each piece of a text, and before its end."""

    ended: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.ended[-1] + 1


def count_lines(text: BinaryIO) -> Lines:
    """Of a file from its start; reads all of it."""
    ended = [0]
    while piece := text.read(PIECE):
        ended.append(ended[-1] + piece.count(_END))
    return Lines(tuple(ended))


def line_of_byte(text: BinaryIO, lines: Lines, place: int) -> int:
    """The number of the line with this byte, from 1; reads one piece at most."""
    number, more = divmod(place, PIECE)
    text.seek(number * PIECE)
    return lines.ended[number] + text.read(more).count(_END) + 1


def byte_of_line(text: BinaryIO, lines: Lines, line: int) -> int:
    """Where a line begins; reads one piece at most. Raises ``ValueError`` for a line that the text
    does not have."""
    if not 1 <= line <= lines.total:
        raise ValueError(f"There is no line {line}: the text has {lines.total}.")
    if line == 1:
        return 0
    number = bisect_left(lines.ended, line - 1) - 1  # of the piece in which the line before ends
    text.seek(number * PIECE)
    piece, end = text.read(PIECE), -1
    for _ in range(line - 1 - lines.ended[number]):
        end = piece.index(_END, end + 1)
    return number * PIECE + end + 1
