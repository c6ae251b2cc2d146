"""The position of the single value that a rule read: digits, a number, a word, a name, a guess."""

import re
from collections.abc import Callable

from scoring.explanations.explanation import Explanation, Judged
from scoring.explanations.traced_text import TracedText
from scoring.metrics import official_2024_06 as official

_WORD = re.compile(r"\S+")


def first_digits(judged: Judged) -> Explanation:
    """The first run of ASCII digits."""
    return _first_match(judged, official.DIGITS)


def first_number(judged: Judged) -> Explanation:
    """The first number, without a sign."""
    return _first_match(judged, official.FIRST_NUMBER)


def _first_match(judged: Judged, pattern: re.Pattern[str]) -> Explanation:
    match = pattern.search(judged.prediction)
    return Explanation.at(judged.verdict, match and match.span())


def last_word(judged: Judged) -> Explanation:
    """The last word, where the marks that the rule ignores are white space."""
    text = judged.prediction.translate(official.RUN_PUNCTUATION).rstrip()
    start = len(text) - len(judged.verdict.extracted or "")
    return Explanation.at(judged.verdict, (start, len(text)) if start < len(text) else None)


def equal_word(judged: Judged) -> Explanation:
    """The first word that is the label."""
    return _first_word(judged, str)


def equal_name(judged: Judged) -> Explanation:
    """The first word that, in capitals, is the label."""
    return _first_word(judged, str.upper)


def _first_word(judged: Judged, form: Callable[[str], str]) -> Explanation:
    if judged.verdict.code != "word_found":
        return Explanation(judged.verdict)
    text = judged.prediction.translate(official.LOOSE_PUNCTUATION)
    words = (word for word in _WORD.finditer(text) if form(word[0]) == judged.verdict.extracted)
    return Explanation.at(judged.verdict, next(words).span())


def contained_name(judged: Judged) -> Explanation:
    """The first occurrence of the name in upper case, even inside a word."""
    if judged.verdict.code != "name_found":
        return Explanation(judged.verdict)
    capitals = TracedText.of(judged.prediction).upper()
    name = (judged.verdict.extracted or "").upper()
    start = capitals.text.index(name)
    return Explanation.at(judged.verdict, capitals.span(start, start + len(name)))


def guess(judged: Judged) -> Explanation:
    """The characters that a one-guess rule of ``strict`` names itself."""
    start, end = (int(judged.verdict.params.get(name, 0)) for name in ("start", "end"))
    return Explanation.at(judged.verdict, (start, end) if start < end else None)
