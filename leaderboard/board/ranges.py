"""The range of ranks that each entry may have, and which entries are indistinguishable from one."""

import dataclasses

from leaderboard.board.board import Board, Ranges
from portal.scores.comparison.separations import read_apart, read_separations


def with_ranges(board: Board) -> Board:
    """The board with the results of comparing its entries; takes one query or two.

    Ranges count among the entries that are ranked on the whole board. A reader's own choice of
    tasks has none. Nor have hidden releases, where they would disclose more than the scores.
    """
    if board.release.hidden:
        return board
    about = board.release.slug, board.filters.metric_set
    column = board.compared_column(board.ranked_by)
    found = read_separations(*about, column, board.keys)
    if found is None:
        ranges = Ranges(is_pending=bool(column and board.keys))
        return dataclasses.replace(board, ranges=ranges)
    apart = read_apart(*about, board.keys, board.baseline.entry.key) if board.baseline else {}
    separation = found.column
    if separation is None:
        return dataclasses.replace(board, ranges=Ranges(apart_from_baseline=apart))
    ranges = Ranges(smallest_differences=found.smallest_differences, apart_from_baseline=apart)
    ranked = [line for line in board.all_lines if line.rank is not None]
    among = {line.entry.key: line.entry.id for line in ranked}
    spans = separation.rank_ranges(among)
    lines = []
    for line in board.page_lines:
        low, high = spans.get(line.entry.key, (None, None))
        lines.append(line._replace(rank_low=low, rank_high=high))
    focused = next((line for line in ranked if line.entry.id == board.filters.focus), None)
    if focused and focused.entry.key in separation.places:
        keys = separation.indistinguishable_from(focused.entry.key, among)
        alike = {among[key] for key in keys}
        ranges = dataclasses.replace(ranges, focused=focused, alike=alike)
    return dataclasses.replace(board, page_lines=lines, ranges=ranges)
