"""A board: entries and filters → lines with ranks and scores, ready to be shown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.ranking import Line, best_of_each_system, rank_entries
from leaderboard.columns import OVERALL, Column, columns_of
from leaderboard.entries import Entry, Mark
from leaderboard.queries import BoardRelease, entries_of


@dataclass(frozen=True, slots=True)
class Board:
    release: BoardRelease
    filters: Filters
    columns: Sequence[Column]
    ranked_by: Column
    all_lines: Sequence[Line]  # that the ranks are among, in order
    lines: Sequence[Line]  # those that a search does not hide
    marks: Mapping[Mark, int]  # number of entries
    systems: int  # models and methods that have an entry

    @property
    def ranked_count(self) -> int:
        return sum(line.rank is not None for line in self.lines)


def read_board(release: BoardRelease, filters: Filters) -> Board:
    return build_board(release, entries_of(release, filters.metric_set), filters)


def build_board(release: BoardRelease, entries: Sequence[Entry], filters: Filters) -> Board:
    """A pure function. Ranks are those on the whole board: a search hides lines and changes none.

    The same holds for shades and for the axis of the intervals.
    """
    columns = columns_of(release.sizes)
    by_id = {column.id: column for column in columns}
    filters = filters.valid_for(by_id, release.versions)
    chosen = [entry for entry in entries if filters.accepts(entry)]
    if filters.entries == "best":
        chosen = best_of_each_system(chosen, by_id[OVERALL])
    ranked_by = by_id[OVERALL if filters.sort == BY_MODEL else filters.sort]
    lines = rank_entries(chosen, columns, ranked_by)
    backwards = filters.direction == "back"
    if filters.sort == BY_MODEL:
        lines.sort(key=lambda line: (line.entry.title.casefold(), line.entry.id), reverse=backwards)
    elif backwards:  # lines without a rank stay at the end
        ranked = sum(line.rank is not None for line in lines)
        lines[:ranked] = reversed(lines[:ranked])
    return Board(
        release=release,
        filters=filters,
        columns=columns,
        ranked_by=ranked_by,
        all_lines=lines,
        lines=[line for line in lines if filters.includes(line.entry)],
        marks=Counter(entry.mark for entry in entries),
        systems=len({entry.system for entry in entries}),
    )
