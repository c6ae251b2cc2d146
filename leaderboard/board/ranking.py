"""Rank entries: pure functions that do not depend on the order in which the entries come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.columns import Column
from leaderboard.entries import Entry, Mark
from portal.scores.scores import Score, mean_of, percent_of
from scoring.stats import rounded

_DECIMALS = 2  # of a score as printed, which decides about ranks
_TRUST_ORDER = {mark: position for position, mark in enumerate(Mark)}  # the most trusted first


@dataclass(frozen=True, slots=True)
class Line:
    """An entry on a board."""

    rank: int | None  # None: a task is missing in the column that ranks
    entry: Entry
    columns: Sequence[Column]  # of the board
    percents: Sequence[float | None]  # in the order of the columns
    # The ranks that cannot be told apart from this one; None: not computed yet.
    rank_low: int | None = None
    rank_high: int | None = None

    @property
    def scores(self) -> list[Score | None]:
        """In the order of the columns. Of all lines they would cost more than the rest of the
        board: only for lines that are shown."""
        return [mean_of(column.tasks, self.entry.scores) for column in self.columns]


def ranks(values: Sequence[Decimal | float | None]) -> list[int | None]:
    """The rank of each value, from the greatest; equal values share one: 1, 2, 2, 4.

    None has no rank, and takes none from the others.
    """
    first: dict[Decimal | float, int] = {}
    for rank, value in enumerate(sorted((v for v in values if v is not None), reverse=True), 1):
        first.setdefault(value, rank)
    return [None if value is None else first[value] for value in values]


def rank_entries(entries: Iterable[Entry], columns: Sequence[Column], by: Column) -> list[Line]:
    """The entries by their score in one of the columns, the best first.

    Scores are compared as printed: a difference that is not visible decides nothing. Of equal
    scores the more trusted one comes first. Entries without a score in that column follow without
    a rank, those with the most of its tasks first.
    """
    found = list(entries)
    rows = [[percent_of(column.tasks, entry.scores) for column in columns] for entry in found]
    index = columns.index(by)
    places = ranks([printed_percent(percents[index]) for percents in rows])
    lines = [
        Line(rank, entry, columns, percents)
        for rank, entry, percents in zip(places, found, rows, strict=True)
    ]

    def order(line: Line) -> tuple[int, int, int, str, str]:
        entry = line.entry
        rank = line.rank or len(lines) + 1
        most_tasks = -entry.count_scored(by.tasks)
        return rank, most_tasks, _TRUST_ORDER[entry.mark], entry.title.casefold(), entry.id

    return sorted(lines, key=order)


def best_of_each_system(entries: Iterable[Entry], overall: Column) -> list[Entry]:
    """One entry of each language model with the same method: the best with an overall mean, or
    else the one with the most tasks.

    Scores from here take precedence over reported ones: an unchecked number never replaces one
    that can be checked.
    """
    best: dict[tuple[str, str], tuple[tuple[object, ...], Entry]] = {}
    for entry in entries:
        score = printed_percent(percent_of(overall.tasks, entry.scores))
        value = (
            score is not None,
            entry.mark is not Mark.REPORTED,
            score or 0,
            entry.count_scored(overall.tasks),
            -_TRUST_ORDER[entry.mark],
            entry.created,
            entry.id,
        )
        if entry.system not in best or value > best[entry.system][0]:
            best[entry.system] = value, entry
    return [entry for _, entry in best.values()]


def printed_percent(percent: float | None) -> Decimal | None:
    return None if percent is None else rounded(percent, _DECIMALS)
