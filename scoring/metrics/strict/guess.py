"""Shared by the one-guess rules: the guess, its verdict, and the limits of the answer's own text.

A guess is read from the prediction alone and compared with the label afterwards. A constant
prediction, even a long list of candidates, is therefore one constant guess and scores like one.

Three habits keep the rules fast. They see the text in plain characters, so that no pattern needs
a character class beyond ASCII, which would be slow to compile. Words are searched for in a
lower-case copy. And a pattern that is searched for in all of a text begins with a literal, so that
the search can skip to it. The classes are plain because a dataclass takes part of a millisecond to
build at import.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from scoring.labels import LETTERS
from scoring.metrics.rule import Question
from scoring.metrics.verdict import Parameters, Verdict, shortened

Label = TypeVar("Label")
OPTIONS = frozenset(LETTERS)
Options = tuple[str, ...]  # of the example, where they are known


class Guess(NamedTuple):
    """What was read as the answer, and the characters of the prediction that decided it."""

    text: str  # in plain characters
    start: int
    end: int
    way: str  # how it was found: a word of ``REASONS`` with ``strict_`` before it
    cue: str = ""  # the words that announced it


class OneGuess(Generic[Label]):
    """A rule in its two halves: reading the guess, without the label, and comparing the two."""

    def __init__(
        self,
        extract: Callable[[str, Options], Guess | None],
        is_right: Callable[[str, Label], bool],
        wanted: str,
    ) -> None:
        self.extract = extract  # from plain text
        self.is_right = is_right
        self.wanted = wanted  # names the kind of answer in the reason

    def __call__(self, prediction: str, label: Label, question: Question) -> Verdict:
        """Full score or none; the reason carries the guess's characters (``end`` excluded)."""
        guess = self.read(prediction, question.options)
        if guess is None:
            return Verdict(0.0, None, "nothing_found", {"wanted": self.wanted})
        right = self.is_right(guess.text, label)
        position: Parameters = {"start": guess.start, "end": guess.end, "cue": shortened(guess.cue)}
        code = f"strict_{guess.way}_{'right' if right else 'wrong'}"
        is_letter = guess.text in OPTIONS  # always shown as a capital
        written = guess.text if is_letter else prediction[guess.start : guess.end]
        return Verdict(float(right), written, code, position)

    def read(self, prediction: str, options: Options = ()) -> Guess | None:
        """The guess before a made-up next question, or else in all the text."""
        start = len(prediction) - len(prediction.lstrip())
        text = plain(prediction)[start:]
        end = _answer_end(text)
        guess = self.extract(text[:end], options)
        if guess is None and end < len(text):
            guess = self.extract(text, options)
        return guess and guess._replace(start=guess.start + start, end=guess.end + start)


# One character for one, so that offsets stay. Chinese commas and full stops become marks that, as
# they do, end a number or a name even if no space follows. İ is the only character whose lower case
# is longer than itself.
_PLAIN = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys("“”„‟«»「」『』", '"')
    | dict.fromkeys("‘’‛ʼ", "'")
    | dict.fromkeys("−‐‑–﹣", "-")
    | dict.fromkeys("—―、，", ";")
    | dict.fromkeys("→⇒", "=")
    | dict.fromkeys("\u00a0\u3000", " ")
    | dict(zip("【】。•×İ", "[]!**I", strict=True))
    | dict(zip("選為應該項鍵問題結確", "选为应该项键问题结确", strict=True))
)


def plain(text: str) -> str:
    """The text with plain quotes, brackets, dashes, full-width characters and Chinese cue words.

    It has as many characters as before, and so has its lower case.
    """
    return text if text.isascii() else text.translate(_PLAIN)


# Models that do not stop continue with a question of their own after the answer.
_NEXT_QUESTION = re.compile(  # in lower case
    r"\n[ \t>*#]{0,8}+(?:questions?[ \t]{0,3}\d{0,3}[ \t]{0,3}:|q\d{0,3}[ \t]{0,3}:|问题?\d{0,3}:|"
    r"(?:user|human|instructions?|input|passage|context)[ \t]{0,3}:|"
    r"please give me the exact number|below is an? |read the (?:book|following))"
)
_STOP_TOKEN = re.compile(r"<(?:/s>|\|(?:im_end|im_start|endoftext|eot_id|end|user)\|>)")
_INSTRUCTION = re.compile(r"\[/?INST\]")


def _answer_end(text: str) -> int:
    cuts = (
        _NEXT_QUESTION.search(text.lower(), 1),
        _STOP_TOKEN.search(text, 1),
        _INSTRUCTION.search(text, 1),
    )
    return min((cut.start() for cut in cuts if cut), default=len(text))


def words(text: str) -> frozenset[str]:
    """A set of words, written as a line of text."""
    return frozenset(text.split())


# Conclusions are searched for in so many characters at the end of a text, first statements in as
# many at its start. No real answer is further away, and it bounds the cost of a million candidates.
REACH = 1 << 15
SHORT = 400  # characters of a text that holds little more than the answer
SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,8}\n")
_WRAPPING = " \t\r\n*_`\"'([{<#>$\\-"  # allowed between an announcement and its answer
_STRETCH = 200  # characters that are searched at a time


class LeadIn:
    """The words that lead up to an answer, read backwards from it: fillers, then one link."""

    def __init__(
        self,
        links: frozenset[str],
        fillers: frozenset[str],
        marks: tuple[str, ...],
        no_marks: tuple[str, ...],
    ) -> None:
        self.links, self.fillers = links, fillers
        self.marks, self.no_marks = marks, no_marks

    def before(self, low: str, start: int) -> tuple[int, tuple[str, ...]] | None:
        """The end of the link that leads up to ``start``, and the fillers after it; else None."""
        window = low[max(0, start - 80) : start].replace("\n", " ")
        base, seen = start - len(window), []
        for _ in range(9):
            window = window.rstrip(_WRAPPING)
            if window.endswith(self.marks) and not window.endswith(self.no_marks):
                break
            word = window.rpartition(" ")[2].lstrip(_WRAPPING)
            seen.append(word)
            if word in self.links:
                break
            if word in ("but", "rather") and window.split()[-3:-2] == ["not"]:  # “not A but”
                break
            if word not in self.fillers:
                return None
            window = window[: len(window) - len(word)]
        return base + len(window), tuple(seen)


def sentence_start(text: str, end: int, reach: int) -> int:
    """The start of the sentence around ``end``, but at most ``reach`` characters before it."""
    start = max(0, end - reach)
    for stop in SENTENCE_END.finditer(text, start, end):
        start = stop.end()
    return start


def tail(text: str) -> int:
    """The offset from which conclusions are searched for."""
    return max(0, len(text) - REACH)


def from_end(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches from the last to the first; none of them may cross the end of a line."""
    first, end = tail(text), len(text)
    while end > first:
        start = max(first, text.rfind("\n", first, max(first, end - _STRETCH)) + 1)
        yield from reversed(list(pattern.finditer(text, start, end)))
        end = start


def whole_words(
    pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[re.Match[str]]:
    r"""The matches that begin a word: as with ``\b`` in the pattern, but several times as fast."""
    for match in pattern.finditer(text, start, end):
        if match.start() == 0 or not is_word(text[match.start() - 1]):
            yield match


def is_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def last_before(positions: list[int], end: int, reach: int) -> int | None:
    """The last of the sorted positions in ``end - reach`` to ``end``, or None."""
    index = bisect_left(positions, end + 1) - 1
    found = positions[index] if index >= 0 else -1
    return found if found >= end - reach and found >= 0 else None
