"""Read any window of a long text without reading the rest, with an index stored next to the text.

For a text that is not all ASCII the index has the offset of every 1,024th character; for one whose
tokens were counted, the length of each token and the offset of every 4,096th. So a window costs a
few short reads, no matter how long the text is, and reading needs no vocabulary.

The index is little-endian: a head; the byte offsets of characters 1024, 2048, … (none for ASCII);
the byte offsets of tokens 4096, 8192, …; the length of each token in one byte. Where tokens were
only estimated, the last two parts are absent.
"""

import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import BinaryIO, NamedTuple

CHARACTERS, TOKENS = 1 << 10, 1 << 12  # between two stored offsets
_MAGIC = b"windows1"
_HEAD = struct.Struct("<8sQQQ?")
_PLACE = struct.Struct("<Q")
_LONGEST = 4  # bytes of a character
_FARTHEST = 1 << 48  # bytes; no text is that long
_DAMAGED = "The text or its index is damaged: one does not fit the other."

Span = tuple[int, int]  # [start, end)


class WindowError(ValueError):
    """The text has no such window, or text or index are damaged; the message says which."""


class Window(NamedTuple):
    text: str
    characters: Span
    tokens: Span  # of a window of characters: all tokens that it has a part of
    estimated: bool  # tokens: then all are taken to have the same length


@dataclass(frozen=True, slots=True)
class TextSize:
    characters: int
    size: int  # bytes of UTF-8
    tokens: int
    estimated: bool  # tokens

    @property
    def is_ascii(self) -> bool:
        return self.characters == self.size

    @property
    def index_size(self) -> int:
        """Bytes of an index of such a text."""
        places = 0 if self.is_ascii else _places(self.characters, CHARACTERS)
        if self.estimated:
            return _HEAD.size + places * _PLACE.size
        places += _places(self.tokens, TOKENS)
        return _HEAD.size + places * _PLACE.size + self.tokens


def build_index(text: str, tokens: int, lengths: bytes | None) -> bytes:
    """The index of a text with ``tokens`` tokens of these ``lengths`` (bytes); None: estimated."""
    data_size = len(text) if text.isascii() else len(text.encode())
    size = TextSize(len(text), data_size, tokens, lengths is None)
    head = _HEAD.pack(_MAGIC, size.characters, size.size, size.tokens, size.estimated)
    parts = [head]
    if not size.is_ascii:
        pieces = (text[i : i + CHARACTERS] for i in range(0, len(text), CHARACTERS))
        sizes = [len(piece.encode()) for piece in pieces]
        parts.append(_offsets(sizes, _places(len(text), CHARACTERS)))
    if lengths is not None:
        slices = (lengths[i : i + TOKENS] for i in range(0, len(lengths), TOKENS))
        parts += [_offsets(list(map(sum, slices)), _places(len(lengths), TOKENS)), lengths]
    return b"".join(parts)


def _places(count: int, step: int) -> int:
    """The number of offsets stored for so many characters or tokens."""
    return max(0, count - 1) // step


def _offsets(sizes: list[int], count: int) -> bytes:
    """The offsets of all pieces but the first, little-endian."""
    found = array("Q", list(accumulate(sizes))[:count])
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def size_of(head: bytes) -> TextSize:
    """The size of a text, from the start of its index. Raises ``WindowError``."""
    if len(head) < _HEAD.size or head[: len(_MAGIC)] != _MAGIC:
        raise WindowError("This is no index of a text.")
    return TextSize(*_HEAD.unpack_from(head)[1:])


class IndexedText:
    """A text and its index, both seekable. Raises ``WindowError``.

    A token boundary within a character is moved to the start of that character, so that adjacent
    windows neither lose nor repeat anything.
    """

    def __init__(self, text: BinaryIO, index: BinaryIO) -> None:
        self.file, self._index = text, index  # a window may begin anywhere, wherever the file is
        self.size = size_of(index.read(_HEAD.size))
        places = 0 if self.size.is_ascii else _places(self.size.characters, CHARACTERS)
        self._token_places = _HEAD.size + places * _PLACE.size
        self._lengths = self._token_places + _places(self.size.tokens, TOKENS) * _PLACE.size

    def by_characters(self, start: int, end: int) -> Window:
        _check(start, end, self.size.characters, "characters")
        first, last = self._byte_of_character(start), self._byte_of_character(end)
        text = self._read(first, last)
        if len(text) != end - start:
            raise WindowError(_DAMAGED)
        tokens = (self.token_with_byte(first), self._token_from_byte(last)) if text else (0, 0)
        return Window(text, (start, end), tokens, self.size.estimated)

    def by_tokens(self, start: int, end: int) -> Window:
        _check(start, end, self.size.tokens, "tokens")
        first = self._start_of_character(self.byte_of_token(start))
        text = self._read(first, self._start_of_character(self.byte_of_token(end)))
        place = self._character_of_byte(first)
        return Window(text, (place, place + len(text)), (start, end), self.size.estimated)

    def by_bytes(self, start: int, end: int) -> Window:
        """The characters that begin in these bytes. An empty window has the token at its place."""
        _check(start, end, self.size.size, "bytes")
        first, last = self._start_of_character(start), self._start_of_character(end)
        text = self._read(first, last)
        place = self._character_of_byte(first)
        token = self.token_with_byte(first)
        tokens = (token, self._token_from_byte(last) if text else token)
        return Window(text, (place, place + len(text)), tokens, self.size.estimated)

    # Bytes and characters

    def _byte_of_character(self, place: int) -> int:
        if self.size.is_ascii or place == self.size.characters:
            return min(place, self.size.size) if self.size.is_ascii else self.size.size
        number, more = divmod(place, CHARACTERS)
        base = self._character_place(number)
        if not more:
            return base
        is_last = number == _places(self.size.characters, CHARACTERS)
        end = self.size.size if is_last else self._character_place(number + 1)
        return base + len(self._read(base, end)[:more].encode())

    def _character_of_byte(self, place: int) -> int:
        """The character that begins at this byte."""
        if self.size.is_ascii:
            return place
        count = _places(self.size.characters, CHARACTERS)
        number = bisect_right(range(1, count + 1), place, key=self._character_place)
        return number * CHARACTERS + len(self._read(self._character_place(number), place))

    def _start_of_character(self, place: int) -> int:
        if self.size.is_ascii or place >= self.size.size:
            return place
        begin = max(0, place - _LONGEST + 1)
        around = _exactly(self.file, begin, place - begin + 1)
        while around and 0x80 <= around[-1] < 0xC0:  # the middle of a character
            around = around[:-1]
        return begin + len(around) - 1

    def _character_place(self, number: int) -> int:
        return self._place(_HEAD.size, number)

    # Bytes and tokens

    def byte_of_token(self, place: int) -> int:
        if place == self.size.tokens:
            return self.size.size
        if self.size.estimated:
            return place * self.size.size // self.size.tokens
        number, more = divmod(place, TOKENS)
        return self._token_place(number) + sum(self._token_lengths(number)[:more])

    def token_with_byte(self, place: int) -> int:
        """The last token that begins at or before a byte; at the end of the text their number."""
        if place == self.size.size:
            return self.size.tokens
        if self.size.estimated:
            return ((place + 1) * self.size.tokens - 1) // self.size.size
        number, ends = self._around(place)
        return number * TOKENS + bisect_right(ends, place)

    def _token_from_byte(self, place: int) -> int:
        """The first token that begins at or after this byte."""
        if self.size.estimated:
            return -(-place * self.size.tokens // self.size.size)
        number, ends = self._around(place - 1)
        return number * TOKENS + bisect_left(ends, place) + 1

    def _around(self, place: int) -> tuple[int, list[int]]:
        """The number of the piece with this byte, and the end offset of each of its tokens."""
        count = _places(self.size.tokens, TOKENS)
        number = bisect_right(range(1, count + 1), place, key=self._token_place)
        ends = accumulate(self._token_lengths(number), initial=self._token_place(number))
        return number, list(ends)[1:]

    def _token_lengths(self, number: int) -> bytes:
        """The lengths of a piece of 4,096 tokens, fewer in the last one."""
        begin = number * TOKENS
        return _exactly(self._index, self._lengths + begin, min(TOKENS, self.size.tokens - begin))

    def _token_place(self, number: int) -> int:
        return self._place(self._token_places, number)

    # Files

    def _place(self, part: int, number: int) -> int:
        if not number:
            return 0
        data = _exactly(self._index, part + (number - 1) * _PLACE.size, _PLACE.size)
        place: int = _PLACE.unpack(data)[0]
        return place

    def _read(self, start: int, end: int) -> str:
        try:
            return _exactly(self.file, start, end - start).decode()
        except UnicodeDecodeError as error:
            raise WindowError(_DAMAGED) from error


def _exactly(file: BinaryIO, start: int, size: int) -> bytes:
    """``size`` bytes from ``start``; a damaged index may name offsets that no file has."""
    if not (0 <= start <= _FARTHEST and 0 <= size <= _FARTHEST):
        raise WindowError(_DAMAGED)
    file.seek(start)
    data = file.read(size)
    if len(data) != size:
        raise WindowError(_DAMAGED)
    return data


def _check(start: int, end: int, length: int, what: str) -> None:
    if not 0 <= start <= end <= length:
        raise WindowError(f"There are no {what} {start} to {end}: the text has {length}.")
