"""A few words of a text around what was searched for."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from scoring.problems import visible

_BEFORE, _LONGEST = 60, 220  # characters


class Excerpt(NamedTuple):
    """On one line; ``match`` is empty if nothing was searched for or found."""

    before: str
    match: str = ""
    after: str = ""


def excerpt_of(
    text: str, words: Sequence[str], *, most: int = _LONGEST, shows_end: bool = False
) -> Excerpt:
    """The first of the words that occurs, with its surroundings; otherwise the beginning, or the
    end."""
    plain = visible(" ".join(text.split()), len(text))
    found = next(filter(None, (_pattern(word).search(plain) for word in words)), None)
    if found is None and shows_end and len(plain) > most:
        return Excerpt(f"…{plain[-most:].lstrip()}")
    if found is None:
        return Excerpt(_cut(plain, most))
    start = max(0, found.start() - _BEFORE)
    before = plain[start : found.start()]
    after = _cut(plain[found.end() :], max(0, most - len(before) - len(found[0])))
    return Excerpt(f"…{before}" if start else before, found[0], after)


def _pattern(word: str) -> "re.Pattern[str]":
    """Matches anything between its parts that ``portal_search_text`` ignores."""
    parts = re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+", word)
    return re.compile(r"[\W_]*".join(map(re.escape, parts)) or r"(?!)", re.IGNORECASE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"
