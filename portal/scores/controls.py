"""Controls: entries whose model was given no context to read, or only the evidence.

They show what the scores of other entries are worth. Boards list them below these, without a rank,
since they do not read long contexts.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from django.db.models import Q


class Control(StrEnum):
    NO_CONTEXT = "no-context"
    EVIDENCE_ONLY = "evidence-only"


class _Definition(NamedTuple):
    strategy: str  # of runs by this site
    spelling: str  # how authors of files state it: a regular expression for Python and PostgreSQL
    title: str
    meaning: str


_DEFINITIONS: dict[Control, _Definition] = {
    Control.NO_CONTEXT: _Definition(
        "closed-book",
        r"^\s*(closed[\s_-]?book|no[\s_-]?context)\s*$",
        "No context",
        "A control: the same questions without their texts. What it scores was not read.",
    ),
    Control.EVIDENCE_ONLY: _Definition(
        "evidence-only",
        r"^\s*evidence[\s_-]?only\s*$",
        "Evidence only",
        (
            "A control: the same questions with nothing but the evidence. What others score less "
            "they did not find."
        ),
    ),
}


def title_of(control: Control) -> str:
    return _DEFINITIONS[control].title


def meaning_of(control: Control) -> str:
    return _DEFINITIONS[control].meaning


def strategy_of(control: Control) -> str:
    """The prompt strategy of runs by this site."""
    return _DEFINITIONS[control].strategy


def control_of(strategy: str | None, stated: str) -> Control | None:
    """``strategy``: of a run by this site; None for files, for which ``stated`` is what their
    author says. Returns None if it is no control."""
    for control, definition in _DEFINITIONS.items():
        is_stated = strategy is None and re.match(definition.spelling, stated, re.IGNORECASE)
        if is_stated or strategy == definition.strategy:
            return control
    return None


def submissions_of(*controls: Control) -> Q:
    """Selects the submissions that are one of these controls."""
    found = Q()
    for one in (_DEFINITIONS[control] for control in controls):
        found |= Q(endpoint_run__settings__strategy=one.strategy)
        found |= Q(endpoint_run__isnull=True, prompt_strategy__iregex=one.spelling)
    return found
