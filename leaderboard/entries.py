"""What a board is made of: entries with their scores, as plain values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from unicodedata import normalize

from leaderboard.columns import Column
from portal.scores.runs import Run
from portal.scores.scores import ByTask

_SEPARATORS = re.compile(r"[\s._\u2010-\u2015\u2212-]+")  # dots, dashes of any kind, and spaces


class Mark(StrEnum):
    """Where the scores of an entry come from; the most trusted first."""

    SCORED = "scored"  # here, against the labels of the release
    HISTORICAL = "historical"  # here, against the labels that released files carry
    REPORTED = "reported"  # typed from what somebody published


@dataclass(frozen=True, slots=True)
class Model:
    """A language model, as far as a board names it."""

    slug: str
    name: str
    organisation: str = ""
    weights: str = ""  # open, closed; empty: not known

    def is_found_by(self, search: str) -> bool:
        """Whether it has every one of these words in its name or organisation, however they are
        spelt: ``qwen3`` is in Qwen-3, and ``qwen 3`` is too."""
        words = [_plain(word) for word in search.split()]
        texts = [_plain(self.name), _plain(self.organisation)] if words else []
        return all(any(word in text for text in texts) for word in words)


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", normalize("NFKC", text).casefold())


@dataclass(frozen=True, slots=True)
class Entry:
    id: str  # in addresses
    mark: Mark
    model: Model
    scores: ByTask  # under one metric set
    at: datetime  # when it was handed in, or imported
    run: Run | None = None  # of what was scored here
    source: str = ""  # of what was reported
    doubts: Mapping[str, str] = field(default_factory=dict)  # by task: why its score says little

    @property
    def handed_in(self) -> date | None:
        """The day; None of what the site has imported, which is older than that."""
        return self.at.date() if self.mark is Mark.SCORED else None


def held(column: Column, entry: Entry) -> int:
    """How many of the column's tasks the entry has."""
    return sum(task in entry.scores for task in column.tasks)
