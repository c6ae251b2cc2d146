"""The position of the letter or option that an official rule read (En.MC, Code.Debug)."""

import re
from collections.abc import Callable
from dataclasses import replace

from scoring.explanations.explanation import Explanation, Judged, Span
from scoring.explanations.traced_text import TracedText
from scoring.metrics import official_2024_06 as june
from scoring.metrics import official_2024_09 as september

_SPACES_OR_OPTION = re.compile(r"(?: |[Oo]ption)+")
_WORD = re.compile(r"\S+")
_SHOWN = 40  # characters after a cue that a verdict shows


def code_debug(judged: Judged) -> Explanation:
    """The letter on a line, letter or name at the start, or what follows the cue."""
    return _choice(judged, september.LETTERS_TO_J, debug_cleaned)


def multiple_choice(judged: Judged) -> Explanation:
    """The letter on a line, the first character, all of the text, what follows the cue, or the
    first word out of “ABCD”."""
    return _choice(judged, september.LETTERS_TO_D, choice_cleaned)


def _choice(
    judged: Judged, letters: re.Pattern[str], cleaned: Callable[[TracedText], TracedText]
) -> Explanation:
    verdict, text = judged.verdict, TracedText.of(judged.prediction).strip()
    match verdict.code:
        case "letter_on_line":
            match = september.letter_on_line(text.text, letters)
            span = match and text.span(*match.span())
        case "first_character":
            span = text.span(0, 1)
        case "match":
            span = text.span(0, len(text.text))
        case "starts_right" if june.marked(text.text, judged.label[1]):
            span = text.span(0, 2)
        case "starts_right":
            span = _answer(cleaned(text), 0, judged)
        case "first_letter_word":
            words = cleaned(text)
            first = next(word for word in _WORD.finditer(words.text) if word[0] in "ABCD")
            span = words.span(*first.span())
        case "cue_right" | "cue_wrong":
            return _after_cue(cleaned(text), judged)
        case _:
            span = None
    return Explanation.at(verdict, span)


def debug_cleaned(text: TracedText) -> TracedText:
    """As ``official_2024_06.debug_cleaned``: in one step, for no step makes a match of another."""
    return text.translate(june.DEBUG_PUNCTUATION).replace(_SPACES_OR_OPTION, " ")


def choice_cleaned(text: TracedText) -> TracedText:
    return text.translate(june.CHOICE_PUNCTUATION).replace(june.RUN_OF_SPACES, " ")


def _after_cue(text: TracedText, judged: Judged) -> Explanation:
    """The right answer, or all that the verdict shows; the rule skips one character after the cue.

    A cue that nothing follows has decided without an answer.
    """
    cue = str(judged.verdict.params["cue"])
    place = text.text.index(cue)
    end = place + len(cue)
    if judged.verdict.code == "cue_right":
        span = _answer(text, end + 1, judged)
    else:
        span = text.span(end + 1, min(end + 1 + _SHOWN, len(text.text)))
    return replace(Explanation.at(judged.verdict, span), cue=text.span(place, end))


def _answer(text: TracedText, start: int, judged: Judged) -> Span | None:
    """The right text or letter that stands here, the longer one where both do; None for a text that
    is empty."""
    found = (len(answer) for answer in judged.label if text.text.startswith(answer, start))
    return text.span(start, start + max(found, default=0))
