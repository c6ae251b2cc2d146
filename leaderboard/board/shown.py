"""The lines on a page of a board, with all that is shown of them."""

import dataclasses

from leaderboard.board.board import Board
from leaderboard.details import detailed


def with_details(board: Board, most: int | None = None) -> Board:
    """The board with the scores, caveats and data of the entries on its page in full, or on the
    first ``most`` lines of it."""
    lines = board.page_lines[:most]
    entries = detailed([line.entry for line in lines], board.release, board.filters.metric_set)
    shown = [
        dataclasses.replace(line, entry=entry) for line, entry in zip(lines, entries, strict=True)
    ]
    return dataclasses.replace(board, page_lines=shown)
