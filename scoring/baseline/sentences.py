"""Find the sentences of a long text that say something, without looking at all of them."""

import re
from collections.abc import Iterator, Mapping, Sequence

_ENDS = re.compile(r"[.!?][\"”’']?\s|[。！？][”’」』]?|\n")
_REACH = 400  # characters on each side: no sentence is longer


def sentences_with(text: str, words: str) -> Iterator[str]:
    """Every sentence in which these words stand, in the order of the text."""
    place, end = text.find(words), 0
    while place >= 0:
        start, end = _sentence(text, place, since=end)
        yield text[start:end].strip()
        place = text.find(words, max(end, place + len(words)))


def _sentence(text: str, place: int, since: int) -> tuple[int, int]:
    """Where the sentence around a place begins and ends; the last one has ended at ``since``."""
    begin = max(since, place - _REACH)
    before = [end.end() for end in _ENDS.finditer(text, begin, place)]
    after = _ENDS.search(text, place, place + _REACH)
    return (before[-1] if before else begin), (after.end() if after else place + _REACH)


def found(
    text: str,
    words: str,
    patterns: Sequence[str],
    untrue: re.Pattern[str],
    literal: Mapping[str, str],
) -> Iterator[re.Match[str]]:
    """Where sentences with these words say what one of the patterns does, in order.

    ``<name>`` in a pattern stands for the text given for ``name``. What is ``untrue`` is left out.
    """
    compiled = [re.compile(_filled(pattern, literal)) for pattern in patterns]
    for sentence in sentences_with(text, words):
        if untrue.search(sentence):
            continue
        matches = (pattern.search(sentence) for pattern in compiled)
        if match := next(filter(None, matches), None):
            yield match


def _filled(pattern: str, literal: Mapping[str, str]) -> str:
    for name, words in literal.items():
        pattern = pattern.replace(f"<{name}>", re.escape(words))
    return pattern
