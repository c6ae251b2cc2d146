"""En.Sum: the steps of the main plot, by the table that books and summaries are written with."""

from collections.abc import Iterator
from functools import cache

from scoring.baseline.truncation import VisiblePrompt
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.plot import PLOT
from scoring.generators.novel.telling import Pattern, pattern_of

_NOTHING = "The text is no book that could be summarized."


def summary_of_book(prompt: VisiblePrompt) -> str:
    """All steps that are told, in order."""
    steps = (step for line in prompt.text.split("\n") for step in _steps(line))
    return " ".join(dict.fromkeys(steps)) or _NOTHING


def _steps(paragraph: str) -> Iterator[str]:
    for told, summary in _ways():
        if told.mark in paragraph and (found := told.whole.search(paragraph)):
            text = summary
            for slot, words in found.groupdict().items():
                text = text.replace(f"[{slot}]", words)
            yield ENGLISH.polish(f"^{text}")


@cache
def _ways() -> list[tuple[Pattern, str]]:
    """The sentences in which a book may tell a step of its plot, each with the words for a
    summary."""
    return [
        (pattern_of(told), summary)
        for stage in PLOT["stages"].values()
        for told, summary in stage["ways"]
    ]
