"""Who stands where: pure functions of the entries, whatever order they come in."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from leaderboard.columns import Column
from leaderboard.entries import Entry, Mark, held
from portal.scores.scores import mean_of
from scoring.stats import rounded

_PRINTED = 2  # decimal places of a score, which decide who is better
_TRUST = {mark: -place for place, mark in enumerate(Mark)}


class Ranked(NamedTuple):
    rank: int | None  # None: it does not complete the mean
    entry: Entry


def ranks(values: Sequence[Decimal | float | None]) -> list[int | None]:
    """The place of each value, from the greatest; equal ones share it: 1, 2, 2, 4.

    What has no value has no place, and takes nobody's.
    """
    places: dict[Decimal | float, int] = {}
    for place, value in enumerate(sorted((v for v in values if v is not None), reverse=True), 1):
        places.setdefault(value, place)
    return [None if value is None else places[value] for value in values]


def ranked(entries: Iterable[Entry], column: Column) -> list[Ranked]:
    """The entries by their score in the column, the best first.

    Scores are compared as they are printed: a difference that nobody sees makes nobody better. Of
    equal ones the more trusted stands first. Those that do not complete the column's mean come
    after, without a rank: whoever has most of it first.
    """
    found = list(entries)
    places = ranks([_score(column, entry) for entry in found])
    lines = [Ranked(place, entry) for place, entry in zip(places, found, strict=True)]
    return sorted(lines, key=lambda line: (line.rank or len(lines) + 1, *_after(line, column)))


def _score(column: Column, entry: Entry) -> Decimal | None:
    score = mean_of(column.tasks, entry.scores)
    return rounded(score.percent, _PRINTED) if score else None


def _after(line: Ranked, column: Column) -> tuple[int, int, str, str]:
    entry = line.entry
    return -held(column, entry), -_TRUST[entry.mark], entry.model.name.casefold(), entry.id


def best_of_each_model(entries: Iterable[Entry], overall: Column) -> list[Entry]:
    """One entry of each language model: the best that completes the overall mean, or else the one
    with the most tasks.

    What was scored here goes before what was only reported: a number that nobody can check never
    takes the place of one that can be.
    """
    best: dict[str, tuple[tuple[object, ...], Entry]] = {}
    for entry in entries:
        worth = _worth(entry, overall)
        if entry.model.slug not in best or worth > best[entry.model.slug][0]:
            best[entry.model.slug] = worth, entry
    return [entry for _, entry in best.values()]


def _worth(entry: Entry, overall: Column) -> tuple[object, ...]:
    score = _score(overall, entry)
    is_checked = entry.mark is not Mark.REPORTED
    complete = (score is not None, is_checked, score or 0)
    return *complete, held(overall, entry), _TRUST[entry.mark], entry.at, entry.id
