"""Math.Find and Math.Calc."""

import re
from collections.abc import Sequence
from itertools import accumulate
from statistics import median

from scoring.baseline.truncation import VisiblePrompt

_NUMBER = re.compile(r"-?\d{1,18}")  # here and below: these tasks have no longer numbers
_ORDER = re.compile(r"(?:(second|third)\s+)?(largest|smallest|biggest)", re.IGNORECASE)
_PLACES = {"": 0, "second": 1, "third": 2}
_STEP = re.compile(r"([+-]) (\d{1,18})")
_FIRST = re.compile(r"\d{1,18}(?= [+-] \d)")


def number_of_list(prompt: VisiblePrompt) -> str:
    """The largest number of the list, the third smallest, the median, … of the visible part."""
    numbers = [int(number) for number in _NUMBER.findall(prompt.text, prompt.text.find("[") + 1)]
    if not numbers:
        return "There are no numbers in the text."
    order = _ORDER.search(prompt.question)
    if not order:
        return f"{median(numbers):g}"
    return str(_ordered(numbers, order[2].lower(), _PLACES[(order[1] or "").lower()]))


def _ordered(numbers: Sequence[int], which: str, place: int) -> int:
    distinct = sorted(set(numbers), reverse=which != "smallest")
    return distinct[min(place, len(distinct) - 1)]


def values_on_the_way(prompt: VisiblePrompt) -> str:
    """The value after each operation, from left to right, or at the end of each line."""
    first = _FIRST.search(prompt.text, max(0, prompt.text.rfind("Expression:")))
    if not first:
        return "There is no expression in the text."
    whole = prompt.text[first.end() :]
    by_line = "end of each line" in prompt.question
    values, value = [], int(first[0])
    for line in whole.splitlines() if by_line else [whole]:
        steps = (int(sign + number) for sign, number in _STEP.findall(line))
        found = list(accumulate(steps, initial=value))[1:]
        values += found[-1:] if by_line else found
        value = found[-1] if found else value
    return f"[{', '.join(map(str, values))}]"
