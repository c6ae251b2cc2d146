"""Where an entry stands on its board."""

from typing import NamedTuple

from leaderboard.boards import Board, Line, read_board
from leaderboard.details import EntryDetails
from leaderboard.filters import Filters
from leaderboard.queries import BoardRelease, front_release, releases_with_boards
from leaderboard.rows import Mark
from scoring.metrics import METRIC_SETS


class Place(NamedTuple):
    line: Line | None  # None: the board shows no such entry, or a better one of the model
    ranked: int  # entries with a rank


class Standing(NamedTuple):
    release: BoardRelease
    places: list[Place]  # under each metric set

    @property
    def is_shown(self) -> bool:
        """Whether a reader of the board finds it there, without asking for all entries."""
        return any(place.line for place in self.places)


def standing_of(details: EntryDetails) -> Standing | None:
    """On the board of its release; of what stands on every official board, on the first page's."""
    mark, submission = details.entry.mark, details.submission
    of_its_own = submission if mark is Mark.SCORED else None
    slug = of_its_own.release.slug if of_its_own else front_release()
    release = next((one for one in releases_with_boards() if one.slug == slug), None)
    if release is None:
        return None
    boards = (read_board(release, Filters(metric_set=name)) for name in METRIC_SETS)
    return Standing(release, [_place(board, details.entry.id) for board in boards])


def _place(board: Board, entry_id: str) -> Place:
    line = next((line for line in board.lines if line.entry.id == entry_id), None)
    return Place(line, board.ranked)
