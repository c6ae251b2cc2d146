"""The part of a prompt that the baseline sees, split into text and question."""

import re
from dataclasses import dataclass

from scoring.text.prompts import gap

# Where the question begins in our prompts, and in the official ones for books.
_QUESTION = re.compile(r"\n\n(?:Question:|问题[：:])\s*")
_LONGEST_QUESTION = 8_000  # characters, with four options
_ENDING = 1_500  # characters within which a question without a marker must be
_OPENING = 400
_OPTION = re.compile(r"^([A-D])[.:)] ?(.*\S)", re.MULTILINE)
_OPTIONS = 4


@dataclass(frozen=True, slots=True)
class VisiblePrompt:
    """``text`` shows no gap where the middle was removed, as for a model."""

    text: str
    question: str

    @property
    def asked(self) -> str:
        """Everything that may tell which task this is."""
        return f"{self.text[:_OPENING]}\n{self.question}"

    @property
    def options(self) -> list[tuple[str, str]]:
        """The letters and texts of the four options; empty if the question has none."""
        return _OPTION.findall(self.question)[:_OPTIONS]


def truncate_prompt(prompt: str, window: int | None) -> VisiblePrompt:
    """The whole prompt, or the first and last half of a window of ``window`` tokens."""
    if window is not None:
        start, end = gap(prompt, window)
        prompt = prompt[:start] + prompt[end:] if start < end else prompt
    marks = list(_QUESTION.finditer(prompt, max(0, len(prompt) - _LONGEST_QUESTION)))
    if not marks:
        return VisiblePrompt(prompt, prompt[-_ENDING:])
    return VisiblePrompt(prompt[: marks[-1].start()], prompt[marks[-1].end() :])
