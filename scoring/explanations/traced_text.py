"""A text that was changed before it was searched, and where its characters come from."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Self

from scoring.explanations.explanation import Span


@dataclass(frozen=True, slots=True)
class TracedText:
    """A text of which character i was made from ``[starts[i], ends[i])`` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def span(self, start: int, end: int) -> Span | None:
        """The characters of the original that these were made from; None where there are none."""
        return (self.starts[start], self.ends[end - 1]) if start < end else None

    def strip(self) -> "TracedText":
        """Without white space at both ends."""
        start = len(self.text) - len(self.text.lstrip())
        text = self.text.strip()
        end = start + len(text)
        return TracedText(text, self.starts[start:end], self.ends[start:end])

    def translate(self, table: dict[int, str]) -> "TracedText":
        """Replaces single characters by single characters."""
        return TracedText(self.text.translate(table), self.starts, self.ends)

    def replace(self, pattern: re.Pattern[str], by: str) -> "TracedText":
        """Replaces each match by one character or none; no match may be empty."""
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        last = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            parts += self.text[last:start], by
            starts += self.starts[last:start]
            ends += self.ends[last:start]
            if by:
                starts.append(self.starts[start])
                ends.append(self.ends[end - 1])
            last = end
        if not last:
            return self
        parts.append(self.text[last:])
        starts += self.starts[last:]
        ends += self.ends[last:]
        return TracedText("".join(parts), starts, ends)

    def lower(self) -> "TracedText":
        """In lower case; İ becomes two characters."""
        return self._cased(str.lower)

    def upper(self) -> "TracedText":
        """In upper case; ß and ligatures become two or three characters."""
        return self._cased(str.upper)

    def _cased(self, change: Callable[[str], str]) -> "TracedText":
        """No character becomes none, so that equal lengths mean one for one."""
        text = change(self.text)
        if len(text) == len(self.text):
            return TracedText(text, self.starts, self.ends)
        sizes = [len(change(character)) for character in self.text]
        return TracedText(text, _repeated(self.starts, sizes), _repeated(self.ends, sizes))


def _repeated(places: Sequence[int], sizes: Sequence[int]) -> list[int]:
    return list(chain.from_iterable(map(repeat, places, sizes)))
