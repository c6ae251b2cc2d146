"""Whether two answers are nearly the same text: a copy in which a few characters were changed."""

import re
from collections import Counter

_WORD = re.compile(r"\w+")
_LENGTH = 3  # characters of a shingle
_ALIKE = 0.8  # Dice coefficient of the shingles: one character in thirty may be another one
# Bytes of a normal form: shorter answers of two honest models may well be alike. 24 letters, or
# 8 Chinese characters.
LONG = 24

Shingles = Counter[str]


def normal_form(text: str) -> str:
    """The words, whatever their case and what stands between them."""
    return " ".join(_WORD.findall(text.casefold()))


def shingles(form: str) -> Shingles:
    """All groups of neighbouring characters of a normal form."""
    padded = f" {form} "
    return Counter(padded[i : i + _LENGTH] for i in range(len(padded) - _LENGTH + 1))


def nearly_equal(one: Shingles, other: Shingles) -> bool:
    total = one.total() + other.total()
    if 2 * min(one.total(), other.total()) < _ALIKE * total:
        return False  # their lengths alone tell them apart
    return 2 * (one & other).total() >= _ALIKE * total
