"""Ranks under every metric set, among the entries that have a score under all of them."""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.board.board import Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranking.ranking import printed_percent, ranks, score_of
from leaderboard.entries import Entry, System
from leaderboard.queries import BoardRelease
from portal.scores.comparison.separations import read_separations
from portal.scores.scores import Score
from scoring.catalog import OVERALL
from scoring.metrics import METRIC_SETS
from scoring.stats import rounded


class SetRank(NamedTuple):
    score: Score  # without interval
    rank: int
    low: int | None = None  # the first of the indistinguishable ranks; None: unknown
    high: int | None = None

    @property
    def score_text(self) -> str:
        return str(rounded(self.score.percent, min(self.score.digits, 2)))

    def __str__(self) -> str:
        if self.low is None:
            return str(self.rank)
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


class RankedLine(NamedTuple):
    entry: Entry  # shown by the board under the first metric set
    ids: frozenset[str]  # of the entries that it stands for under every metric set
    ranks: Sequence[SetRank]  # under each metric set


def metric_ranks(release: BoardRelease, column_id: str = OVERALL) -> list[RankedLine]:
    """Sorted by one of the board's columns under the first metric set; only for releases with
    public labels.

    A model and method may be represented by different entries under different metric sets. Entries
    that lack a rank under any of them, as merely reported ones do, do not count in the ranks of the
    others.
    """
    boards = [read_board(release, Filters(metric_set=name, sort=column_id)) for name in METRIC_SETS]
    by_set = [
        {one.entry.system: one.entry for one in board.all_lines if one.rank is not None}
        for board in boards
    ]
    shared = [system for system in by_set[0] if all(system in entries for entries in by_set)]
    found: dict[System, list[SetRank]] = {system: [] for system in shared}
    for board, entries in zip(boards, by_set, strict=True):
        scores = [score_of(board.ranked_by, entries[system].scores) for system in shared]
        percents = [score.percent if score else 0.0 for score in scores]
        places = ranks([printed_percent(percent) for percent in percents])
        spans = _spans(board, [entries[system].key for system in shared])
        for system, score, rank, span in zip(shared, scores, places, spans, strict=True):
            if score and rank:
                found[system].append(SetRank(score, rank, *span))
    return [
        RankedLine(
            by_set[0][system],
            frozenset.intersection(*(frozenset(entries[system].ids) for entries in by_set)),
            found[system],
        )
        for system in shared
    ]


def _spans(board: Board, keys: Sequence[str]) -> list[tuple[int, int] | tuple[()]]:
    """For each entry the ranks it may have among these; empty if they are unknown."""
    about = board.release.slug, board.filters.metric_set, board.compared_column(board.ranked_by)
    separations = read_separations(*about, board.keys)
    column = separations and separations.column
    found = column.rank_ranges(keys) if column else {}
    return [found.get(key, ()) for key in keys]
