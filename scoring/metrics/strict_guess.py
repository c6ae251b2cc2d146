"""What the one-guess rules share: the guess, its verdict, and where the answer's own text ends.

A guess is read from the prediction alone and compared with the label afterwards. A constant
prediction, however long a list it is, is therefore one constant guess and scores like one.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from scoring.metrics.rule import Question
from scoring.metrics.verdict import Parameters, Verdict, shortened

Label = TypeVar("Label")
Options = tuple[str, ...]  # of the example, where they are known


@dataclass(frozen=True, slots=True)
class Guess:
    """What was read as the answer, and the characters of the prediction that decided it."""

    text: str
    start: int
    end: int
    way: str  # how it was found: a word of ``REASONS`` with ``strict_`` before it
    cue: str = ""  # the words that announced it


@dataclass(frozen=True, slots=True, eq=False)
class OneGuess(Generic[Label]):
    """A rule in its two halves: what is read, without a look at the label, and when it is right."""

    extract: Callable[[str, Options], Guess | None]
    is_right: Callable[[str, Label], bool]
    wanted: str  # what is looked for, for the reason

    def __call__(self, prediction: str, label: Label, question: Question) -> Verdict:
        """Full score or none; the reason carries the guess's characters (``end`` excluded)."""
        guess = self.read(prediction, question.options)
        if guess is None:
            return Verdict(0.0, None, "nothing_found", {"wanted": self.wanted})
        right = self.is_right(guess.text, label)
        place: Parameters = {"start": guess.start, "end": guess.end, "cue": shortened(guess.cue)}
        code = f"strict_{guess.way}_{'right' if right else 'wrong'}"
        return Verdict(float(right), guess.text, code, place)

    def read(self, prediction: str, options: Options = ()) -> Guess | None:
        """The guess after the thinking and before a made-up next question, or else in all text.

        Offsets stay those of the prediction: what comes before the answer is blanked, not cut.
        """
        text = _after_thinking(prediction)
        start = len(text) - len(text.lstrip()) + 1
        cuts = [pattern.search(text, start) for pattern in (_NEXT_QUESTION, _STOP_TOKEN)]
        ends = [cut.start() for cut in cuts if cut]
        whole = text[: min(ends)] if ends else text
        return self.extract(whole, options) or (self.extract(text, options) if ends else None)


# Models that do not stop go on with a question of their own after the answer.
_NEXT_QUESTION = re.compile(
    r"\n[ \t>*#]{0,8}+(?=[QqUuHhIiPpCcBbRr问])(?i:"
    r"questions?[ \t]{0,3}\d{0,3}[ \t]{0,3}[:：]|q\d{0,3}[ \t]{0,3}[:：]|问题?\d{0,3}[：:]|"
    r"(?:user|human|instructions?|input|passage|context)[ \t]{0,3}:|"
    r"please give me the exact number|below is an? |read the (?:book|following))"
)
_STOP_TOKEN = re.compile(r"</s>|<\|(?:im_end|im_start|endoftext|eot_id|end|user)\|>|\[/?INST\]")
_THOUGHT = re.compile(r"</think(?:ing)?>|<\|channel\|>final<\|message\|>")


def _after_thinking(prediction: str) -> str:
    for thought in reversed(list(_THOUGHT.finditer(prediction))):
        if prediction[thought.end() : thought.end() + 1000].strip():
            return " " * thought.end() + prediction[thought.end() :]
    return prediction


def words(text: str) -> frozenset[str]:
    """A table of words, written as a line of text."""
    return frozenset(text.split())


# Conclusions are looked for in the last characters of a text, first statements in the first ones:
# nobody's answer is further away, and a list of a million candidates costs no more than this.
REACH = 1 << 15
SHORT = 400  # characters of a text that holds little more than the answer
WRAPPING = " \t\r\n*_`\"'“”‘’([{<#>$\\（【「-"  # may stand between an announcement and its answer


@dataclass(frozen=True, slots=True)
class LeadIn:
    """The words that lead up to an answer, read backwards from it: fillers, then one link."""

    links: frozenset[str]
    fillers: frozenset[str]
    marks: tuple[str, ...] = (":", "：", "=", "是", "为", "為")
    no_marks: tuple[str, ...] = ("因为", "因為", "不是")

    def before(self, text: str, start: int) -> tuple[int, tuple[str, ...]] | None:
        """Where the link ends that leads up to ``start``, and the fillers after it; else None."""
        window = text[max(0, start - 80) : start].replace("\n", " ")
        base, seen = start - len(window), []
        for _ in range(9):
            window = window.rstrip(WRAPPING)
            if window.endswith(self.marks) and not window.endswith(self.no_marks):
                break
            word = window.rpartition(" ")[2].lstrip(WRAPPING).lower()
            seen.append(word)
            if word in self.links or (word in ("but", "rather") and _after_not(window)):
                break
            if word not in self.fillers:
                return None
            window = window[: len(window) - len(word)]
        return base + len(window), tuple(seen)


def _after_not(window: str) -> bool:
    """As in “not A but”."""
    words = window.lower().split()[-3:]
    return len(words) == 3 and words[0] == "not"


def sentence_start(text: str, end: int, reach: int) -> int:
    """Where the sentence begins that ``end`` stands in, or ``reach`` characters before it."""
    start = max(0, end - reach)
    for stop in _SENTENCE_END.finditer(text, start, end):
        start = stop.end()
    return start


_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)|\n\s{0,8}\n")


def tail(text: str) -> int:
    """Where the part of the text begins in which a conclusion is looked for."""
    return max(0, len(text) - REACH)


def last_before(positions: list[int], end: int, reach: int) -> int | None:
    """The last of the sorted positions in ``end - reach`` to ``end``, or None."""
    index = bisect_left(positions, end + 1) - 1
    found = positions[index] if index >= 0 else -1
    return found if found >= end - reach and found >= 0 else None
