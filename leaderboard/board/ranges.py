"""Between which ranks entries lie, and which cannot be told apart from one of them."""

import dataclasses

from leaderboard.board.board import Board, Ranges
from portal.scores.separations import read_apart, read_separations


def with_ranges(board: Board) -> Board:
    """The board with the ranges of the ranks of the lines on its page; one query, or two.

    Ranges are among the entries that are ranked on the whole board. There are none on hidden
    releases, where a range would disclose more than the scores, and by tasks that a reader has
    chosen.
    """
    column = board.compared_column(board.ranked_by)
    if board.release.hidden or not column:
        return board
    metric_set = board.filters.metric_set
    found = read_separations(board.release.slug, metric_set, column, board.keys)
    if found is None:
        return dataclasses.replace(board, ranges=Ranges(is_pending=bool(board.keys)))
    separation = found.column
    if separation is None:
        return board
    ranked = [line for line in board.all_lines if line.rank is not None]
    among = {line.entry.key: line.entry.id for line in ranked}
    lines = []
    for line in board.page_lines:
        span = separation.rank_range(line.entry.key, among) if line.entry.key in among else None
        low, high = span or (None, None)
        lines.append(dataclasses.replace(line, rank_low=low, rank_high=high))
    focused = next((line for line in ranked if line.entry.id == board.filters.focus), None)
    alike: set[str] = set()
    if focused and focused.entry.key in separation.places:
        keys = separation.indistinguishable_from(focused.entry.key, among)
        alike = {among[key] for key in keys}
    apart_from_baseline = {}
    if board.baseline:
        apart_from_baseline = read_apart(
            board.release.slug, metric_set, board.keys, board.baseline.entry.key
        )
    ranges = Ranges(
        smallest_differences=found.smallest_differences,
        focused=focused if alike else None,
        alike=alike,
        apart_from_baseline=apart_from_baseline,
    )
    return dataclasses.replace(board, page_lines=lines, ranges=ranges)
