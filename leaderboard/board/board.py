"""From entries and filters to a board: lines with ranks and scores, ready to be shown."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, Self

from leaderboard.board.filters import BY_MODEL, Filters
from leaderboard.board.ranking.facets import FACETS
from leaderboard.board.ranking.ranking import (
    Candidate,
    Line,
    ascending,
    best_of_each_system,
    percent_in,
    rank_in,
    ranked,
)
from leaderboard.board.ranking.standings import Standings, kept_standings, standings_of
from leaderboard.columns import Column, columns_of, group_of
from leaderboard.details import detailed
from leaderboard.entries import Entry
from leaderboard.queries import BoardRelease
from portal.models import spelled_alike
from portal.scores.comparison.separations import Apart
from scoring.catalog import OVERALL

PAGE_ROWS = 100


@dataclass(frozen=True, slots=True)
class Ranges:
    """How certain the ranks of a board are, as far as its entries have been compared."""

    is_pending: bool = False
    # By column: how many points apart neighbours must be to be distinguishable.
    smallest_differences: Mapping[str, float | None] = field(default_factory=dict)
    focused: Line | None = None  # the line that the reader has focused
    alike: Collection[str] = ()  # ids of the entries that are indistinguishable from it
    apart_from_baseline: Mapping[str, Apart] = field(default_factory=dict)  # by column


NO_RANGES = Ranges()
_Printed = tuple[Decimal | None, Candidate]  # with the score in the column that ranks


@dataclass(frozen=True, slots=True)
class Board:
    release: BoardRelease
    filters: Filters  # valid for this board
    columns: Sequence[Column]
    ranked_by: Column
    all_lines: Sequence[Line]  # in order; ranks count among these
    lines: Sequence[Line]  # accepted by the filters, on all pages
    pinned: Sequence[Line]  # shown on top, whether or not the filters accept them
    page_lines: Sequence[Line]  # the pinned ones and those of this page, in the order shown
    pages: int
    counts: Mapping[str, Mapping[str, int]]  # by facet and value: lines if it alone were chosen
    titles: Mapping[str, Mapping[str, str]]
    facets: Sequence[str]  # with more than one value to choose from
    entry_count: int  # including those that are not the best of their system
    systems: int  # combinations of model and method that have an entry
    keys: Sequence[str]  # of all entries, for comparisons
    ranges: Ranges = NO_RANGES
    baseline: Line | None = None  # if set, differences to it replace scores

    @property
    def ranked_count(self) -> int:
        return sum(line.rank is not None for line in self.lines)

    @property
    def has_estimates(self) -> bool:
        """Whether a visible line, or the baseline, comes from a run that asked only a sample."""
        lines = [*self.lines, *([self.baseline] if self.baseline else [])]
        return any(line.entry.is_sample for line in lines)

    def on_one_page(self) -> Self:
        """For files, which have no pages."""
        return dataclasses.replace(self, page_lines=self.lines)

    def with_details(self) -> Self:
        """Reads the scores, caveats and data of the page's entries from the database."""
        lines = self.page_lines
        entries = detailed([line.entry for line in lines], self.release, self.filters.metric_set)
        shown = [line._replace(entry=entry) for line, entry in zip(lines, entries, strict=True)]
        return dataclasses.replace(self, page_lines=shown)

    def compared_column(self, column: Column) -> str:
        """The name under which entries are compared in a column; empty for a reader's own choice of
        tasks, which has no comparisons."""
        is_choice = column.id == OVERALL and self.filters.tasks
        return group_of(self.filters.tasks) if is_choice else column.id


def read_board(release: BoardRelease, filters: Filters) -> Board:
    return board_of(kept_standings(release, filters.metric_set), filters)


def build_board(release: BoardRelease, entries: Sequence[Entry], filters: Filters) -> Board:
    return board_of(standings_of(release, entries), filters)


def board_of(standings: Standings, filters: Filters) -> Board:
    """A pure function. Ranks and shades are those of the whole board: filters hide lines and change
    neither, but each line also has its rank among the lines that are shown."""
    release = standings.release
    columns, everyone, best = standings.columns, standings.candidates, standings.best
    if filters.tasks:
        columns = columns_of(release.sizes, filters.tasks)
        everyone = _with_columns(everyone, standings.columns, columns)
        best = best_of_each_system(everyone)
    ids = [column.id for column in columns]
    filters = filters.valid_for(ids, release.versions)
    column = columns[ids.index(OVERALL if filters.sort == BY_MODEL else filters.sort)]
    whole = _in_order(best if filters.entries == "best" else everyone, columns, column, filters)
    accepted, counts = _accepted(everyone, filters)
    shown = whole
    if filters.hides_entries:
        left = best_of_each_system(accepted) if filters.entries == "best" else accepted
        shown = _in_order(left, columns, column, filters)
    ranks = _Ranks(columns, _percents(whole), _percents(shown), frozenset(filters.pins))
    all_lines = ranks.lines(whole)
    lines = ranks.lines(shown) if filters.hides_entries else all_lines
    # For repeated runs this is the mean, where the board shows it.
    pinnable = (*everyone, *(candidate for _, candidate in whole)) if filters.pins else ()
    named = {one.entry.id: one for one in pinnable if one.entry.id in ranks.pins}
    pinned = ranks.pinned_lines(_in_order(named.values(), columns, column, filters), lines)
    unpinned = [line for line in lines if not line.is_pinned]
    pages = max(1, -(-len(unpinned) // PAGE_ROWS))
    page = min(filters.page, pages)
    chosen = filters.baseline  # most readers have none
    baseline = next((line for line in all_lines if chosen and chosen in line.entry.ids), None)
    return Board(
        release=release,
        filters=dataclasses.replace(
            filters, page=page, baseline=baseline.entry.id if baseline else ""
        ),
        columns=columns,
        ranked_by=column,
        all_lines=all_lines,
        lines=lines,
        pinned=pinned,
        page_lines=[*pinned, *unpinned[PAGE_ROWS * (page - 1) : PAGE_ROWS * page]],
        pages=pages,
        counts=counts,
        titles=standings.titles,
        facets=standings.facets,
        entry_count=len(everyone),
        systems=sum(one.entry.control is None for one in best),
        keys=standings.keys,
        baseline=baseline,
    )


class _Ranks(NamedTuple):
    """The two sets of scores that lines are ranked in: all of the board, and those shown."""

    columns: Sequence[Column]
    whole: Sequence[Decimal | float]
    shown: Sequence[Decimal | float]
    pins: Collection[str]  # ids of entries

    def lines(self, pairs: Iterable[_Printed]) -> list[Line]:
        return [
            Line(
                rank=rank_in(self.whole, percent),
                entry=one.entry,
                columns=self.columns,
                percents=one.percents,
                filtered_rank=rank_in(self.shown, percent),
                is_pinned=one.entry.id in self.pins,
            )
            for percent, one in pairs
        ]

    def pinned_lines(self, pairs: Iterable[_Printed], lines: Iterable[Line]) -> list[Line]:
        """A pinned line that the filters hide has no rank among those shown."""
        shown = {line.entry.id for line in lines if line.is_pinned}
        return [
            line if line.entry.id in shown else line._replace(filtered_rank=None)
            for line in self.lines(pairs)
        ]


def _percents(pairs: Iterable[_Printed]) -> Sequence[Decimal | float]:
    return ascending(percent for percent, _ in pairs)


def _with_columns(
    candidates: Iterable[Candidate], known: Sequence[Column], columns: Sequence[Column]
) -> list[Candidate]:
    """The candidates with other columns, of which only the first one may be new."""
    first, *others = columns
    kept = [known.index(column) for column in others]
    return [
        one._replace(
            percents=(
                percent_in(first, one.entry.scores),
                *[one.percents[index] for index in kept],
            )
        )
        for one in candidates
    ]


def _in_order(
    candidates: Iterable[Candidate], columns: Sequence[Column], column: Column, filters: Filters
) -> list[_Printed]:
    backwards = filters.direction == "back"
    pairs = ranked(candidates, columns.index(column), column.tasks)
    if filters.sort == BY_MODEL:
        return sorted(pairs, key=lambda pair: pair[1].order[1:], reverse=backwards)
    if backwards:  # lines without a rank stay at the end
        with_rank = sum(percent is not None for percent, _ in pairs)
        pairs[:with_rank] = reversed(pairs[:with_rank])
    return pairs


def _accepted(
    candidates: Iterable[Candidate], filters: Filters
) -> tuple[list[Candidate], dict[str, dict[str, int]]]:
    """The lines that every facet and the search accept; and by facet and value, how many lines
    there would be if that value were the only one chosen of its facet."""
    wanted = [
        (index, values)
        for index, facet in enumerate(FACETS)
        if (values := frozenset(getattr(filters, facet.name)))
    ]
    words = [spelled_alike(word) for word in filters.search.split()]
    everything = range(len(FACETS))
    systems: list[dict[str, set[object]]] = [{} for _ in FACETS]
    accepted = []
    for one in candidates:
        if words and not all(word in one.text for word in words):
            continue
        refusing = [index for index, values in wanted if values.isdisjoint(one.facets[index])]
        if not refusing:
            accepted.append(one)
        if len(refusing) < 2:
            line = one.system if filters.entries == "best" else one.entry.id
            for index in refusing or everything:
                for value in one.facets[index]:
                    systems[index].setdefault(value, set()).add(line)
    counts = {
        facet.name: {value: len(lines) for value, lines in found.items()}
        for facet, found in zip(FACETS, systems, strict=True)
    }
    return accepted, counts
