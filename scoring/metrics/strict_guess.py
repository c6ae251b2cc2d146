"""What the one-guess rules share: the guess, its verdict, and where the answer's own text ends.

A guess is read from the prediction alone and compared with the label afterwards. A constant
prediction, however long a list it is, is therefore one constant guess and scores like one.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from scoring.metrics.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Guess:
    """What was read as the answer, and the characters of the prediction that decided it."""

    text: str
    start: int
    end: int
    way: str  # how it was found: a word of ``REASONS`` with ``strict_`` before it
    cue: str = ""  # the words that announced it


def judged(guess: Guess | None, right: Callable[[str], bool], wanted: str) -> Verdict:
    """Full score where the guess is right; the reason carries its characters (``end`` excluded)."""
    if guess is None:
        return Verdict(0.0, None, "nothing_found", {"wanted": wanted})
    score = float(right(guess.text))
    code = f"strict_{guess.way}_{'right' if score else 'wrong'}"
    place = {"start": guess.start, "end": guess.end, "cue": guess.cue}
    return Verdict(score, guess.text, code, place)


# Models without a stop sign go on with a question of their own after the answer.
_RUN_ON = re.compile(
    r"(?i)\n[ \t>*#]{0,8}(?:"
    r"questions?[ \t]{0,3}\d{0,3}[ \t]{0,3}[:：]|q\d{0,3}[ \t]{0,3}[:：]|问题?\d{0,3}[：:]|"
    r"user[ \t]{0,3}:|human[ \t]{0,3}:|instructions?[ \t]{0,3}:|input[ \t]{0,3}:|passage[ \t]{0,3}:|"
    r"context[ \t]{0,3}:|please give me the exact number|below is (?:a|an) |read the (?:book|following))"
    r"|</s>|<\|(?:im_end|im_start|endoftext|eot_id|end|user)\|>|\[/?INST\]"
)


def read_guess(prediction: str, extract: Callable[[str], Guess | None]) -> Guess | None:
    """The guess in the text before a made-up next question, or else in the whole prediction."""
    for cut in _RUN_ON.finditer(prediction):
        before = prediction[: cut.start()]
        if not before.isspace() and before:
            return extract(before) or extract(prediction)
    return extract(prediction)


def last_before(positions: list[int], end: int, reach: int) -> int | None:
    """The last of the sorted positions in ``end - reach`` to ``end``, or None."""
    index = bisect_left(positions, end + 1) - 1
    found = positions[index] if index >= 0 else -1
    return found if found >= end - reach and found >= 0 else None
