"""Code.Run: follow the calls by reading; nothing in a prompt is ever executed."""

import re

from scoring.baseline.truncation import VisiblePrompt

_CALL = re.compile(r"\b(\w+)\((-?\d{1,18})\)")
_FUNCTION = re.compile(
    r"def (\w+)\(x\):(?:\s*return\s+(?:(\w+)\(x\)|x)\s*(?:([+-])\s*(\d{1,18}))?)?"
)


def returned(prompt: VisiblePrompt) -> str:
    """The value that the call returns; for a function that is not visible, its argument."""
    call = _CALL.search(prompt.question)
    if not call:
        return "The question names no call."
    name, value = call[1], int(call[2])
    steps = _steps(prompt.text)
    while name in steps:
        name, change = steps.pop(name)  # popped, since a second visit would be an endless loop
        value += change
    return str(value)


def _steps(text: str) -> dict[str, tuple[str, int]]:
    """Which function each one calls, and what it adds; the first definition of a name counts."""
    steps: dict[str, tuple[str, int]] = {}
    for name, called, sign, number in _FUNCTION.findall(text):
        steps.setdefault(name, (called, int(f"{sign}{number or 0}")))
    return steps
