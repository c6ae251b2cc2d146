"""``strict``: the one option of the example that a short answer names in passing."""

import re
from collections.abc import Sequence

from scoring.metrics.strict.guess import SHORT, Guess, Options, plain
from scoring.metrics.strict.letters import names_letter

PROSE = re.compile(r"\w+(?:'\w+)*")
CODE = re.compile(r"\w+(?:\.\w+)*")  # a name with its class is one word

_CODE_LIKE = re.compile(r"[_.]|[a-z][A-Z]")
_ARTICLES = ("a", "an", "the")
_DENIES = re.compile(
    r"\b(?:not?|none|neither|never|without|cannot|unable|unclear|unknown|except|unlike)\b|n't\b"
)


def sole_option(text: str, options: Options, word: re.Pattern[str]) -> Guess | None:
    """The only option whose words occur in a short text that denies nothing; None in a list.

    None too where the text has an option letter, so that no constant is a text for one example and
    a letter for the others. Of function names the text may have only one in all.
    """
    if not options or len(text) > SHORT or names_letter(text):
        return None
    if word is CODE and len({name for name in word.findall(text) if _CODE_LIKE.search(name)}) > 1:
        return None
    low = text.lower()
    found = [(match[0], match.start(), match.end()) for match in word.finditer(low)]
    spans = [span for option in options if (span := _find(option, word, found))]
    within = {
        span
        for span in spans
        for other in spans
        if span != other and other[0] <= span[0] and span[1] <= other[1]
    }
    outer = [span for span in spans if span not in within]
    if len(outer) != 1:
        return None
    [(start, end)] = outer
    if word is CODE and not _CODE_LIKE.search(text[start:end]):
        return None
    if _DENIES.search(low[:start]) or _DENIES.search(low[end:]):
        return None
    return Guess(text[start:end], start, end, "only")


def _find(
    option: str, word: re.Pattern[str], found: Sequence[tuple[str, int, int]]
) -> tuple[int, int] | None:
    """The first characters at which the option's words follow one another, without an article."""
    words = word.findall(plain(option).lower())
    if len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    size = len(words)
    for first in range(len(found) - size + 1 if words else 0):
        part = found[first : first + size]
        if [text for text, _, _ in part] == words:
            return part[0][1], part[-1][2]
    return None
