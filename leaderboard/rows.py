"""What a board is made of: entries with their scores, as plain values."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from leaderboard.columns import Column
from portal.pages.runs import Run
from portal.scores import ByTask


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
        """Whether it has every one of these words in its name or organisation."""
        text = f"{self.name} {self.organisation}".casefold()
        return all(word in text for word in search.casefold().split())


@dataclass(frozen=True, slots=True)
class Entry:
    id: str  # in addresses
    mark: Mark
    model: Model
    scores: ByTask  # under one metric set
    day: date  # when it was handed in, or typed
    run: Run | None = None  # of what was scored here
    source: str = ""  # of what was reported


def held(column: Column, entry: Entry) -> int:
    """How many of the column's tasks the entry has."""
    return sum(task in entry.scores for task in column.tasks)
