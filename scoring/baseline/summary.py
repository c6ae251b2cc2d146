"""En.Sum: the steps of the main plot, by the table that books and summaries are written with."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from scoring.baseline.templates import SLOT, pattern_of
from scoring.baseline.truncation import VisiblePrompt
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.plot import PLOT

_NOTHING = "The text is no book that could be summarized."


class _Way(NamedTuple):
    """One of those in which a book may tell of a step of its plot."""

    mark: str  # stands in every paragraph that does
    told: re.Pattern[str]
    summary: str


def summary_of_book(prompt: VisiblePrompt) -> str:
    """All steps that are told, in their order."""
    steps = (step for line in prompt.text.split("\n") for step in _steps(line))
    return " ".join(dict.fromkeys(steps)) or _NOTHING


def _steps(paragraph: str) -> Iterator[str]:
    for way in _ways():
        if way.mark in paragraph and (found := way.told.search(paragraph)):
            text = way.summary
            for slot, words in found.groupdict().items():
                text = text.replace(f"[{slot}]", words)
            yield ENGLISH.polish(f"^{text}")


@cache
def _ways() -> tuple[_Way, ...]:
    return tuple(
        _Way(_mark(told), re.compile(pattern_of(told)), summary)
        for stage in PLOT["stages"].values()
        for told, summary in stage["ways"]
    )


def _mark(told: str) -> str:
    """The longest text between two slots, without an article before the second."""
    return max((text.removesuffix("a ") for text in SLOT.split(told)[::2]), key=len)
