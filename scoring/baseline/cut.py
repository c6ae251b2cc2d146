"""What the reader sees of a prompt: its window, and in it the text and the question."""

import re
from dataclasses import dataclass

from scoring.text.prompts import gap

# The question begins here in our prompts and in the official ones for books.
_QUESTION = re.compile(r"\n\n(?:Question:|问题[：:])\s*")
_LONGEST_QUESTION = 8_000  # characters, with four options
_ENDING = 1_500  # characters in which a question without a mark must stand
_OPENING = 400
_OPTION = re.compile(r"^([A-D])[.:)] ?(.*\S)", re.MULTILINE)
_OPTIONS = 4


@dataclass(frozen=True, slots=True)
class Page:
    """``text`` is joined where something was cut out: like a model, the reader sees no gap."""

    text: str
    question: str

    @property
    def asked(self) -> str:
        """All that may tell what is to be done."""
        return f"{self.text[:_OPENING]}\n{self.question}"

    @property
    def options(self) -> list[tuple[str, str]]:
        """The letters and texts of the four options; none where the question has none."""
        return _OPTION.findall(self.question)[:_OPTIONS]


def open_page(prompt: str, window: int | None) -> Page:
    """The prompt as it is, or the first and the last half of a window of so many tokens."""
    if window is not None:
        start, end = gap(prompt, window)
        prompt = prompt[:start] + prompt[end:] if start < end else prompt
    marks = list(_QUESTION.finditer(prompt, max(0, len(prompt) - _LONGEST_QUESTION)))
    if not marks:
        return Page(prompt, prompt[-_ENDING:])
    return Page(prompt[: marks[-1].start()], prompt[marks[-1].end() :])
