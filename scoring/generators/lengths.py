"""The built-in length model: how many tokens the units of synthetic text take.

Lengths are planned with it and not with tiktoken, so that a release has the same bytes where the
vocabulary cannot be loaded. Measured with cl100k_base (tiktoken 0.14) on a million tokens of each
task: the constants are exact, but for pairs of UUIDs, which differ by one token each (standard
deviation) and by nothing on average.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from scoring.text.tokens import estimate_tokens

NOISE_LINE = 24
LISTED_NUMBER = 3  # comma, space, one or two digits
OPERAND = 3  # operator, space, one or two digits
CALLING_FUNCTION = 15  # and its own number, and that of the function it calls
LAST_FUNCTION = 12  # and its own number
FEW = 60  # tokens that may be missing where texts fill up a length
_PAIR = 0.8  # added to the runs that the pattern below finds in a pair

_RUNS = re.compile(r"-?[a-f]{1,2}|\d{1,3}|-|[^\w-]+")


def number(value: int) -> int:
    """Tokens of a number that is not negative: three digits each."""
    return (len(str(value)) + 2) // 3


def pair(text: str) -> float:
    """Tokens of two UUIDs as one entry of a JSON object, on average."""
    return len(_RUNS.findall(text)) + _PAIR


def rest(tokens: int, *texts: str) -> int:
    """The tokens of a length left for the units, after the question and other fixed texts."""
    return tokens - sum(map(estimate_tokens, texts))


def filled(texts: Iterable[str], room: float) -> Iterator[str]:
    """Texts until the room is taken; of the last one as many lines as fit, if several do."""
    for text in texts:
        if (taken := estimate_tokens(text)) > room:
            lines = text.splitlines(keepends=True)
            ends = [*accumulate(map(estimate_tokens, lines))]
            kept = "".join(lines[: bisect_right(ends, room)])
            if kept.count("\n") > 1:
                yield f"{kept.rstrip()}\n\n"
            return
        yield text
        room -= taken
        if room < FEW:
            return
