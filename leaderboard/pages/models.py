"""Where an entry stands on its board."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.cache import kept
from leaderboard.entries import Mark
from leaderboard.pages.entry import EntryDetails
from leaderboard.queries import BoardRelease, front_release, releases_with_boards
from scoring.metrics import METRIC_SETS


class Place(NamedTuple):
    is_shown: bool  # if not, the board has no such entry, or a better one of the model
    rank: int | None
    ranked: int  # entries with a rank


class Standing(NamedTuple):
    release: BoardRelease
    places: list[Place]  # under each metric set

    @property
    def is_shown(self) -> bool:
        """Whether a reader of the board finds it there, without asking for all entries."""
        return any(place.is_shown for place in self.places)


class _Ranks(NamedTuple):
    """Of everybody on a board."""

    release: BoardRelease
    by_set: Sequence[Mapping[str, int | None]]  # under each metric set, by the entry's id


def standing_of(details: EntryDetails) -> Standing | None:
    """On the board of its release; of what stands on every official board, on the first page's."""
    mark, submission = details.entry.mark, details.submission
    slug = submission.release.slug if submission and mark is Mark.SCORED else ""
    found = kept(f"ranks/{slug}", lambda: _ranks(slug))
    if found is None:
        return None
    return Standing(found.release, [_place(ranks, details.entry.id) for ranks in found.by_set])


def _ranks(slug: str) -> _Ranks | None:
    """Those of the board that everybody sees first, if it is an official one, without a name."""
    wanted = slug or front_release()
    release = next((one for one in releases_with_boards() if one.slug == wanted), None)
    if release is None or not (slug or release.official):
        return None
    boards = [read_board(release, Filters(metric_set=name)) for name in METRIC_SETS]
    by_set = [{line.entry.id: line.rank for line in board.lines} for board in boards]
    return _Ranks(release, by_set)


def _place(ranks: Mapping[str, int | None], entry_id: str) -> Place:
    ranked = sum(rank is not None for rank in ranks.values())
    return Place(entry_id in ranks, ranks.get(entry_id), ranked)
