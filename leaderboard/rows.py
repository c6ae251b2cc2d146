"""What a board is made of: entries with their scores, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from leaderboard.columns import Column
from portal.guarded import guarded
from scoring.stats import error_of_mean, mean_of_means

Z_95 = 1.959964  # a 95 % interval reaches so many standard errors to each side


class Mark(StrEnum):
    """Where the scores of an entry come from; the most trusted first."""

    SCORED = "scored"  # here, against the labels of the release
    HISTORICAL = "historical"  # here, against the labels that released files carry
    REPORTED = "reported"  # typed from what somebody published


class Score(NamedTuple):
    """Percent and percentage points; counts are not known of what was only reported."""

    percent: float
    stderr: float | None = None
    size: int | None = None  # examples
    answered: int | None = None
    exact: bool = True  # of a hidden release none is (``portal.guarded``)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %; within what a score can be."""
        if self.stderr is None:
            return None
        reach = Z_95 * self.stderr
        return max(0.0, self.percent - reach), min(100.0, self.percent + reach)


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
    scores: Mapping[str, Score]  # by task, under one metric set
    day: date  # when it was handed in, or typed
    settings: str = ""  # how the predictions were made, in a line
    source: str = ""  # of what was reported


def score_in(column: Column, scores: Mapping[str, Score]) -> Score | None:
    """The unweighted mean of the column's tasks; None unless there is every one of them."""
    found = [scores[task] for task in column.tasks if task in scores]
    mean = mean_of_means([score.percent for score in found])
    if mean is None or len(found) < len(column.tasks):
        return None
    error = error_of_mean([score.stderr for score in found])
    sizes = _sum([score.size for score in found])
    answered = _sum([score.answered for score in found])
    if all(score.exact for score in found):
        return Score(mean, error, sizes, answered)
    return guarded_score(Score(mean, None, sizes, answered))


def guarded_score(score: Score) -> Score | None:
    """The score as it is told of a hidden release, where that may be."""
    percent = guarded(score.percent, answered=score.answered or 0, size=score.size or 0)
    return None if percent is None else score._replace(percent=percent, stderr=None, exact=False)


def held(column: Column, entry: Entry) -> int:
    """How many of the column's tasks the entry has."""
    return sum(task in entry.scores for task in column.tasks)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
