"""Controls: entries whose model was given no text to read, or only what decides.

They say what the scores of other entries are worth. On boards they stand below these, without a
rank: they are no way to read long texts.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Control(StrEnum):
    NO_CONTEXT = "no-context"
    EVIDENCE_ONLY = "evidence-only"


class _Way(NamedTuple):
    strategy: str  # of runs by this site
    spelling: str  # by authors of files, as an expression that Python and PostgreSQL understand
    title: str | Promise
    meaning: str | Promise


_WAYS: dict[Control, _Way] = {
    Control.NO_CONTEXT: _Way(
        "closed-book",
        r"^\s*(closed[\s_-]?book|no[\s_-]?context)\s*$",
        _("No context"),
        _("A control: the same questions without their texts. What it scores was not read."),
    ),
    Control.EVIDENCE_ONLY: _Way(
        "evidence-only",
        r"^\s*evidence[\s_-]?only\s*$",
        _("Evidence only"),
        _(
            "A control: the same questions with nothing but the evidence. What others score less "
            "they did not find."
        ),
    ),
}


def title_of(control: Control) -> str | Promise:
    return _WAYS[control].title


def meaning_of(control: Control) -> str | Promise:
    return _WAYS[control].meaning


def strategy_of(control: Control) -> str:
    """Of runs by this site."""
    return _WAYS[control].strategy


def control_of(strategy: str | None, stated: str) -> Control | None:
    """What an entry is: by the strategy of its run, or, of files, as their author states it. None:
    no control."""
    for control, way in _WAYS.items():
        is_stated = strategy is None and re.match(way.spelling, stated, re.IGNORECASE)
        if is_stated or strategy == way.strategy:
            return control
    return None


def submissions_of(*controls: Control) -> Q:
    """Condition on submissions: that they are one of these."""
    found = Q()
    for way in (_WAYS[control] for control in controls):
        found |= Q(endpoint_run__settings__strategy=way.strategy)
        found |= Q(endpoint_run__isnull=True, prompt_strategy__iregex=way.spelling)
    return found
