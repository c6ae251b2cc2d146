"""The site, which writes a byte into the file ``BOARDS_MADE`` for each board that it makes."""

import os

from portal.wsgi import application  # first: it loads the models

# isort: split
from leaderboard.board import views
from leaderboard.board.board import Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.queries import BoardRelease

_COUNT = os.open(os.environ["BOARDS_MADE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _counted(release: BoardRelease, filters: Filters) -> Board:
    os.write(_COUNT, b".")
    return read_board(release, filters)


views.read_board = _counted  # type: ignore[attr-defined]

__all__ = ["application"]
