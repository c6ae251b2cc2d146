"""Find a string in a long text, read as bytes in pieces.

The search is literal and ignores case. Two limits, both for speed: a character only matches one
character, so that "ß" does not find "SS", nor a letter with a combining accent the precomposed one;
and letters of ASCII match ASCII alone, so that "k" does not find the sign for kelvin.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO

from scoring.text.text_index import Span

PIECE = 1 << 20  # bytes read at once
_CHINESE = re.compile("[\u3400-\u9fff]{2,}")
_WORD = re.compile(f"{_CHINESE.pattern}|[^\\W_\u3400-\u9fff]+")


class Needle:
    """A string to search for, not empty."""

    def __init__(self, query: str) -> None:
        if not query:
            raise ValueError("There is nothing to search for.")
        forms = [_forms(character) for character in query]
        self._longest = sum(max(map(len, some)) for some in forms)
        self._pattern = re.compile(b"".join(map(_either, forms)))

    def find(self, text: BinaryIO) -> Iterator[Span]:
        """The bytes [start, end) of each occurrence from where the file is, in their order; none
        overlaps the one before. Holds two pieces of the text at most."""
        base, data = 0, b""
        while True:
            piece = text.read(PIECE)
            data += piece.lower()  # of bytes: ASCII alone
            # An occurrence that begins after this may be cut off by the end of the piece.
            complete = len(data) - self._longest + 1 if piece else len(data)
            done = max(0, complete)
            for match in self._pattern.finditer(data):
                start, end = match.span()
                if start >= complete:
                    break
                yield base + start, base + end
                done = max(done, end)
            if not piece:
                return
            base, data = base + done, data[done:]


def _forms(character: str) -> list[bytes]:
    """What a character matches in a text whose ASCII letters are in lower case."""
    if character.isascii():
        return [character.lower().encode()]
    cases = {character, character.lower(), character.upper(), character.title()}
    return sorted(one.encode() for one in cases if len(one) == 1 and not one.isascii())


def _either(forms: Sequence[bytes]) -> bytes:
    found = b"|".join(map(re.escape, forms))
    return b"(?:%b)" % found if len(forms) > 1 else found


@dataclass(slots=True)
class Tally:
    """Occurrences around a place of a text: how many, which, and where most are."""

    bins: list[int]  # how many there are in each part of the text
    total: int = 0
    earlier: int = 0  # before the place
    before: deque[Span] = field(default_factory=deque)  # the last of these
    after: list[Span] = field(default_factory=list)  # the first at the place or after it


def tally(occurrences: Iterable[Span], place: int, most: int, borders: Sequence[int] = ()) -> Tally:
    """At most so many before a place (a byte) and so many from it on; ``borders`` are the bytes
    where the parts of the text begin, but for the first. Memory does not grow with the number of
    occurrences."""
    found = Tally([0] * (len(borders) + 1), before=deque(maxlen=most))
    for span in occurrences:
        found.total += 1
        found.bins[bisect_right(borders, span[0])] += 1
        if span[0] < place:
            found.earlier += 1
            found.before.append(span)
        elif len(found.after) < most:
            found.after.append(span)
    return found


def find_in(text: str, query: str) -> list[Span]:
    """The characters [start, end) of each occurrence in a short text."""
    found, place, character = [], 0, 0
    data = text.encode()
    for start, end in Needle(query).find(BytesIO(data)):
        first = character + len(data[place:start].decode())
        place, character = end, first + len(data[start:end].decode())
        found.append((first, character))
    return found


def telling_words(text: str, most: int) -> list[str]:
    """The first words of a text that are worth a search, each once: numbers, words of at least four
    letters, and Chinese in pairs of characters."""
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        if _CHINESE.match(word):
            parts = [word] if len(word) < 4 else [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            parts = [word] if len(word) > 3 or (len(word) > 1 and word.isdecimal()) else []
        for part in parts:
            if len(found) == most:
                break
            found.setdefault(part.casefold(), part)
    return list(found.values())
