"""The part of an answer that is scored: all of it, or what comes after the last “Answer:” where
the template has asked for such a line."""

import re

from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy

_ANSWER = re.compile(
    r"^[ \t>*_#]*(?:(?:the\s+)?(?:final\s+)?answer|最终答案|答案)[*_ \t]*[:：][*_ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_ASKED_FOR_A_LINE = frozenset({Strategy.STEPS, Strategy.RECALL})


def scored_text(settings: RunSettings, task: str, text: str) -> str:
    """One's own templates may ask for anything: then, and without such a line, all is scored."""
    if settings.strategy not in _ASKED_FOR_A_LINE or task in settings.templates:
        return text
    *_, last = [None, *_ANSWER.finditer(text)]
    return text[last.end() :].strip() if last and text[last.end() :].strip() else text
