"""Whether two answers are nearly the same text: a copy with a few characters changed."""

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_LENGTH = 3  # characters of a shingle
_ALIKE = 0.8  # Dice coefficient of the shingles: one character in thirty may differ
_OWN_ALIKE = 0.6  # the same for own parts: a changed character takes its shingles out of the frame
_USUAL = 0.2  # of an author's answers: what so many share is their frame, which tells nothing
_SAMPLED = 100  # answers, enough to show what is usual
# Bytes of a normal form: shorter answers of two honest models may well agree. 24 letters, or
# 8 Chinese characters.
LONG = 24

Shingles = Counter[str]


def normal_form(text: str) -> str:
    """The words, ignoring case and what separates them."""
    return " ".join(_WORD.findall(text.casefold()))


def shingles(form: str) -> Shingles:
    """All groups of neighbouring characters of a normal form."""
    padded = f" {form} "
    return Counter(padded[i : i + _LENGTH] for i in range(len(padded) - _LENGTH + 1))


def usual_shingles(forms: Sequence[str]) -> frozenset[str]:
    """The shingles that many answers of one model have: “The answer is …”, and those of every
    sentence."""
    sample = forms[:: max(1, len(forms) // _SAMPLED)]
    counts = Counter[str]()
    for form in sample:
        counts.update(set(shingles(form)))
    least = max(1.0, _USUAL * len(sample))
    return frozenset(one for one, count in counts.items() if count > least)


def own_part(found: Shingles, usual: frozenset[str], given: frozenset[str]) -> Shingles:
    """Without what is usual, and without what the question gives, such as its options."""
    return Counter({one: n for one, n in found.items() if one not in usual and one not in given})


def is_long(found: Shingles) -> bool:
    """Whether the model's own part is longer than two models would share by chance."""
    return sum(n * len(one[1].encode()) for one, n in found.items()) >= LONG


def own_parts_alike(one: Shingles, other: Shingles) -> bool:
    return 2 * (one & other).total() >= _OWN_ALIKE * (one.total() + other.total())


def nearly_equal(one: Shingles, other: Shingles) -> bool:
    total = one.total() + other.total()
    if 2 * min(one.total(), other.total()) < _ALIKE * total:
        return False  # their lengths alone tell them apart
    return 2 * (one & other).total() >= _ALIKE * total
