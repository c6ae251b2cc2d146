"""Retrieve.PassKey, Retrieve.Number, Retrieve.KV."""

import re

from scoring.baseline.truncation import VisiblePrompt

# Either half of the line contains it, in case the other one is cut off.
_TOLD = re.compile(r"\bis (\d{4,})\b|\b(\d{4,}) is\b")
_QUOTED = re.compile(r'"([^"\s]+)"')
_PAIR = re.compile(r'"([^"\s]+)": ?"([^"\s]+)"')


def hidden_digits(prompt: VisiblePrompt) -> str:
    """The digits that the text says something is."""
    found = _TOLD.search(prompt.text)
    return found[1] or found[2] if found else "I could not find it in the text."


def value_of_key(prompt: VisiblePrompt) -> str:
    """The value of the key, or of the key with the longest common beginning."""
    quoted = _QUOTED.findall(prompt.question)
    if not quoted:
        return "The question names no key."
    key = quoted[-1]
    if found := re.search(rf'"{re.escape(key)}": ?"([^"]+)"', prompt.text):
        return found[1]
    pairs = dict(_PAIR.findall(prompt.text))
    if not pairs:
        return "There is no such key."
    return str(pairs[max(pairs, key=lambda other: _alike(other, key))])


def _alike(one: str, other: str) -> int:
    """How many characters they have in common at the start."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
