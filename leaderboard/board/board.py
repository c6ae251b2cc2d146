"""A board: entries and filters → lines with their ranks and scores, ready to be shown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.ranking import Ranked, best_of_each_model, ranked
from leaderboard.columns import OVERALL, Column, Kind, columns_of
from leaderboard.entries import Entry, Mark
from leaderboard.queries import BoardRelease, entries_of
from portal.scores.scores import Score, mean_of


@dataclass(frozen=True, slots=True)
class Line:
    rank: int | None
    entry: Entry
    scores: Sequence[Score | None]  # in the order of the columns


@dataclass(frozen=True, slots=True)
class Board:
    release: BoardRelease
    filters: Filters
    columns: Sequence[Column]
    ranked_by: Column
    everybody: Sequence[Line]  # whom the ranks are of, in order
    lines: Sequence[Line]  # of these whom the filters find
    marks: Mapping[Mark, int]  # entries of each

    @property
    def ranked(self) -> int:
        return sum(line.rank is not None for line in self.lines)


def read_board(release: BoardRelease, filters: Filters) -> Board:
    return board_of(release, entries_of(release, filters.metric_set), filters)


def board_of(release: BoardRelease, entries: Sequence[Entry], filters: Filters) -> Board:
    """A pure function. Ranks are those on the whole board: a search hides rows, and moves none.

    So are shades and the axis of the intervals, which makes two searches of a board alike.
    """
    columns = columns_of(release.sizes)
    by_id = {column.id: column for column in columns}
    filters = filters.within(by_id)
    marked = [entry for entry in entries if entry.mark in filters.marks]
    chosen = marked if filters.entries == "all" else best_of_each_model(marked, by_id[OVERALL])
    ranked_by = by_id[OVERALL if filters.sort == BY_MODEL else filters.sort]
    in_order = _in_order(ranked(chosen, ranked_by), filters)
    everybody = [_line(one, columns) for one in in_order]
    return Board(
        release=release,
        filters=filters,
        columns=columns,
        ranked_by=ranked_by,
        everybody=everybody,
        lines=[line for line in everybody if filters.finds(line.entry.model)],
        marks=Counter(entry.mark for entry in entries),
    )


def _in_order(lines: list[Ranked], filters: Filters) -> list[Ranked]:
    """As they are asked for; those without a rank stay at the end."""
    turned = filters.direction == "back"
    if filters.sort == BY_MODEL:
        return sorted(lines, key=_by_name, reverse=turned)
    with_rank = [line for line in lines if line.rank is not None]
    rest = lines[len(with_rank) :]
    return [*(reversed(with_rank) if turned else with_rank), *rest]


def _by_name(line: Ranked) -> tuple[str, str]:
    return line.entry.model.name.casefold(), line.entry.id


def _line(line: Ranked, columns: Sequence[Column]) -> Line:
    scores = [mean_of(column.tasks, line.entry.scores) for column in columns]
    return Line(line.rank, line.entry, scores)


def domains_in(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    """The columns of the tasks, by domain."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        if column.kind is Kind.TASK:
            found.setdefault(column.domain, []).append(column)
    return list(found.items())
