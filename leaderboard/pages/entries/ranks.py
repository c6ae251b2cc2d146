"""The rank of an entry on its board under every metric set, and the entry in a sentence."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.board.metric_ranks import metric_ranks
from leaderboard.board.ranges import with_ranges
from leaderboard.cache import cached_region
from leaderboard.entries import Mark
from leaderboard.names import asked_note
from leaderboard.pages.entries.entry import EntryDetails
from leaderboard.queries import BoardRelease, find_release, front_release, releases_with_boards
from scoring.metrics import METRIC_SETS


class Place(NamedTuple):
    """Of an entry on its board, under one metric set."""

    is_shown: bool  # False: the board has no such entry, or shows a better one of the model
    rank: int | None
    ranked: int  # number of entries with a rank
    rank_text: str  # the rank, or the range of ranks that it may have


class EntryRanks(NamedTuple):
    release: BoardRelease
    places: list[Place]  # under each metric set
    # Its ranks among the entries ranked under every metric set; empty if it is not one of them.
    shared: Sequence[str] = ()
    shared_count: int = 0  # the number of these entries

    @property
    def is_shown(self) -> bool:
        """Whether the board shows it without being asked for all entries."""
        return any(place.is_shown for place in self.places)


class _Rank(NamedTuple):
    rank: int | None
    text: str  # as ``Place.rank_text``


class _Ranks(NamedTuple):
    of: Mapping[str, _Rank]  # by the id of the entry
    ranked: int  # lines with a rank


class _BoardRanks(NamedTuple):
    release: BoardRelease
    by_set: Sequence[_Ranks]  # under each metric set
    shared: Mapping[str, Sequence[str]]  # by the id of the entry
    shared_count: int


def entry_ranks(details: EntryDetails) -> EntryRanks | None:
    """On the board of its release; for an entry of every official board, on the home page's."""
    mark, submission = details.entry.mark, details.submission
    slug = submission.release.slug if submission and mark is Mark.SCORED else ""
    found = cached_region(f"ranks/{slug}", lambda: _board_ranks(slug))
    if found is None:
        return None
    nowhere = _Rank(None, "")
    places = []
    for ranks in found.by_set:
        rank, text = ranks.of.get(details.entry.id, nowhere)
        places.append(Place(details.entry.id in ranks.of, rank, ranks.ranked, text))
    shared = found.shared.get(details.entry.id, ())
    return EntryRanks(found.release, places, shared, found.shared_count)


def entry_description(details: EntryDetails, ranks: EntryRanks | None) -> str:
    """In one sentence, under the first metric set: ``45.68 (44.6–46.7), rank 2–4 of 9``."""
    metric_set, cell = details.sheet.overall.cells[0]
    if cell is None:
        tasks = details.sheet.overall.column.tasks
        counts = {"held": details.entry.count_scored(tasks), "tasks": len(tasks)}
        score = "{held} of {tasks} tasks".format(**counts)
    else:
        score = f"{cell.text} ({cell.interval})" if cell.interval else cell.text
    score = ", ".join(filter(None, (score, asked_note(details.entry))))
    place = ranks.places[0] if ranks else None
    values = {"model": details.entry.title, "score": score, "metric": metric_set.title}
    if place and place.rank:
        text = "%(model)s on ∞Bench: %(score)s, rank %(rank)s of %(all)s, metric %(metric)s."
        return text % {**values, "rank": place.rank_text, "all": place.ranked}
    return "{model} on ∞Bench: {score}, metric {metric}.".format(**values)


def _board_ranks(slug: str) -> _BoardRanks | None:
    """Without a slug those on the home page's board, if it is an official one."""
    wanted = slug or front_release()
    release = find_release(releases_with_boards(), wanted)
    if release is None or not (slug or release.official):
        return None
    boards = [read_board(release, Filters(metric_set=name)) for name in METRIC_SETS]
    by_set = [
        _Ranks(
            {
                one: _Rank(line.rank, line.rank_text)
                for line in with_ranges(board.on_one_page()).page_lines
                for one in line.entry.ids
            },
            board.ranked_count,
        )
        for board in boards
    ]
    lines = [] if release.hidden else metric_ranks(release)
    shared = {one: [str(rank) for rank in line.ranks] for line in lines for one in line.ids}
    return _BoardRanks(release, by_set, shared, len(lines))
