"""The built-in length model: how many tokens the units of synthetic text take.

Lengths are planned with it and not with tiktoken, so that a release has the same bytes where the
vocabulary cannot be loaded. Measured with cl100k_base (tiktoken 0.14) on a million tokens of each
task: the constants are exact, but for pairs of UUIDs, which differ by one token each (standard
deviation) and by nothing on average.
"""

import re

from scoring.text.tokens import estimate_tokens

NOISE_LINE = 24
LISTED_NUMBER = 3  # comma, space, one or two digits
OPERAND = 3  # operator, space, one or two digits
CALLING_FUNCTION = 15  # and its own number, and that of the function it calls
LAST_FUNCTION = 12  # and its own number
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
