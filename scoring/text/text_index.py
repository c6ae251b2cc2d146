"""Any window of a long text without reading the rest: an index made once, kept beside the text.

Of a text that is not all ASCII the index knows where every 1,024th character begins; of one whose
tokens were counted, how long each of them is, and where every 4,096th begins. So a window costs a
few short reads, however long the text is, and whoever reads it needs no vocabulary.

The index is little-endian: a head; the bytes where characters 1024, 2048, … begin (none for ASCII);
the bytes where tokens 4096, 8192, … begin; the length of each token in a byte. Where tokens were
only estimated, the last two parts are absent.
"""

import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import BinaryIO, NamedTuple

CHARACTERS, TOKENS = 1 << 10, 1 << 12  # between two places that are written down
_MAGIC = b"windows1"
_HEAD = struct.Struct("<8sQQQ?")
_PLACE = struct.Struct("<Q")
_LONGEST = 4  # bytes of a character
_FARTHEST = 1 << 48  # bytes; no text is as long
_DAMAGED = "The text or its index is damaged: one does not fit the other."

Span = tuple[int, int]  # [start, end)


class WindowError(ValueError):
    """There is no such window in the text, or text or index are damaged; the message says what."""


class Window(NamedTuple):
    text: str
    characters: Span
    tokens: Span  # of a window of characters: all that it has a part of
    estimated: bool  # tokens: then they are taken to be all of the same length


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
    """The index of a text with so many tokens of these ``lengths``; None: they are estimated."""
    data_size = len(text) if text.isascii() else len(text.encode())
    size = TextSize(len(text), data_size, tokens, lengths is None)
    head = _HEAD.pack(_MAGIC, size.characters, size.size, size.tokens, size.estimated)
    parts = [head, _stored([] if size.is_ascii else _character_places(text))]
    if lengths is not None:
        slices = (lengths[i : i + TOKENS] for i in range(0, len(lengths), TOKENS))
        parts += [_stored(_sums(list(map(sum, slices)), len(lengths), TOKENS)), lengths]
    return b"".join(parts)


def _character_places(text: str) -> list[int]:
    slices = (text[i : i + CHARACTERS] for i in range(0, len(text), CHARACTERS))
    return _sums([len(piece.encode()) for piece in slices], len(text), CHARACTERS)


def _sums(sizes: list[int], count: int, step: int) -> list[int]:
    """Where every piece but the first begins."""
    return list(accumulate(sizes))[: _places(count, step)]


def _places(count: int, step: int) -> int:
    """How many are written down for so many characters or tokens."""
    return max(0, count - 1) // step


def _stored(places: list[int]) -> bytes:
    found = array("Q", places)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def size_of(head: bytes) -> TextSize:
    """What the start of an index says of its text. Raises ``WindowError``."""
    if len(head) < _HEAD.size or head[: len(_MAGIC)] != _MAGIC:
        raise WindowError("This is no index of a text.")
    return TextSize(*_HEAD.unpack_from(head)[1:])


class IndexedText:
    """A text and its index, both open for reading at any place. Raises ``WindowError``.

    A boundary of tokens that lies within a character is moved to the start of that character, so
    windows that touch lose nothing between them, and have nothing twice.
    """

    def __init__(self, text: BinaryIO, index: BinaryIO) -> None:
        self._text, self._index = text, index
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
        tokens = (self._token_with_byte(first), self._token_from_byte(last)) if text else (0, 0)
        return Window(text, (start, end), tokens, self.size.estimated)

    def by_tokens(self, start: int, end: int) -> Window:
        _check(start, end, self.size.tokens, "tokens")
        first = self._start_of_character(self._byte_of_token(start))
        text = self._read(first, self._start_of_character(self._byte_of_token(end)))
        place = self._character_of_byte(first)
        return Window(text, (place, place + len(text)), (start, end), self.size.estimated)

    # Bytes and characters

    def _byte_of_character(self, place: int) -> int:
        if self.size.is_ascii or place == self.size.characters:
            return min(place, self.size.size) if self.size.is_ascii else self.size.size
        number, more = divmod(place, CHARACTERS)
        base = self._character_place(number)
        if not more:
            return base
        piece = self._read(base, self._end_of_piece(number))
        return base + len(piece[:more].encode())

    def _character_of_byte(self, place: int) -> int:
        """Of the character that begins there."""
        if self.size.is_ascii:
            return place
        count = _places(self.size.characters, CHARACTERS)
        number = bisect_right(range(1, count + 1), place, key=self._character_place)
        return number * CHARACTERS + len(self._read(self._character_place(number), place))

    def _end_of_piece(self, number: int) -> int:
        is_last = number == _places(self.size.characters, CHARACTERS)
        return self.size.size if is_last else self._character_place(number + 1)

    def _start_of_character(self, place: int) -> int:
        if self.size.is_ascii or place >= self.size.size:
            return place
        begin = max(0, place - _LONGEST + 1)
        around = _exactly(self._text, begin, place - begin + 1)
        while around and 0x80 <= around[-1] < 0xC0:  # the middle of a character
            around = around[:-1]
        return begin + len(around) - 1

    def _character_place(self, number: int) -> int:
        return self._place(_HEAD.size, number)

    # Bytes and tokens

    def _byte_of_token(self, place: int) -> int:
        if place == self.size.tokens:
            return self.size.size
        if self.size.estimated:
            return place * self.size.size // self.size.tokens
        number, more = divmod(place, TOKENS)
        return self._token_place(number) + sum(self._token_lengths(number)[:more])

    def _token_with_byte(self, place: int) -> int:
        """Of the last token that begins there or before."""
        if self.size.estimated:
            return min(place * self.size.tokens // self.size.size, max(0, self.size.tokens - 1))
        number, ends = self._around(place)
        return number * TOKENS + bisect_right(ends, place)

    def _token_from_byte(self, place: int) -> int:
        """Of the first token that begins there or behind."""
        if self.size.estimated:
            return -(-place * self.size.tokens // self.size.size)
        number, ends = self._around(place - 1)
        return number * TOKENS + bisect_left(ends, place) + 1

    def _around(self, place: int) -> tuple[int, list[int]]:
        """The number of the piece with this byte, and where each of its tokens ends."""
        count = _places(self.size.tokens, TOKENS)
        number = bisect_right(range(1, count + 1), place, key=self._token_place)
        ends = accumulate(self._token_lengths(number), initial=self._token_place(number))
        return number, list(ends)[1:]

    def _token_lengths(self, number: int) -> bytes:
        """Those of a piece of 4,096 tokens; of the last one, fewer."""
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
            return _exactly(self._text, start, end - start).decode()
        except UnicodeDecodeError as error:
            raise WindowError(_DAMAGED) from error


def _exactly(file: BinaryIO, start: int, size: int) -> bytes:
    """So many bytes from there; a damaged index may name places that no file has."""
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
