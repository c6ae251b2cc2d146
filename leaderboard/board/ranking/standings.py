"""What all filter choices of a board have in common, kept in each process."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from leaderboard.board.ranking.facets import FACETS, UNKNOWN
from leaderboard.board.ranking.ranking import Candidate, best_of_each_system, candidates_of
from leaderboard.cache import locked
from leaderboard.columns import Column, columns_of
from leaderboard.entries import Entry
from leaderboard.queries import BoardRelease, entries_of
from portal.scores.comparison.runs import runs_key


@dataclass(frozen=True, slots=True)
class Standings:
    release: BoardRelease
    columns: Sequence[Column]
    candidates: Sequence[Candidate]
    best: Sequence[Candidate]  # of each system
    titles: Mapping[str, Mapping[str, str]]  # by facet: the titles of values that are free texts
    facets: Sequence[str]  # those that the entries differ in
    keys: Sequence[str]  # of all entries, for comparisons


def standings_of(
    release: BoardRelease, entries: Sequence[Entry], before: Standings | None = None
) -> Standings:
    """A pure function. What ``before`` knows about unchanged entries is not computed again."""
    columns = columns_of(release.sizes)
    is_similar = before is not None and before.release.sizes.keys() == release.sizes.keys()
    known = {one.entry.id: one for one in before.candidates} if before and is_similar else {}
    candidates = candidates_of(entries, columns, known)
    titles: dict[str, dict[str, str]] = {}
    for index, facet in enumerate(FACETS):
        if not facet.values:
            found = titles.setdefault(facet.name, {})
            for candidate in candidates:
                for value in candidate.facets[index]:
                    if value != UNKNOWN:
                        found.setdefault(value, facet.title_of(candidate.entry))
    values = zip(*(candidate.facets for candidate in candidates), strict=True)
    facets = [facet.name for facet, found in zip(FACETS, values, strict=False) if len({*found}) > 1]
    best = best_of_each_system(candidates)
    repeated = {entry.runs for entry in entries if entry.runs}
    keys = [*(entry.key for entry in entries), *map(runs_key, repeated)]
    return Standings(release, columns, candidates, best, titles, facets, keys)


class _Key(NamedTuple):
    slug: str
    metric_set: str


_MOST = 6  # with 1,000 entries each takes a few megabytes
_kept: OrderedDict[_Key, Standings] = OrderedDict()  # least recently used first


def kept_standings(release: BoardRelease, metric_set: str) -> Standings:
    """The standings of the published entries, read once for each version of the boards.

    They are kept as objects, not pickled: the entries of a large board take longer to unpickle than
    to filter. Within a transaction they are always read afresh, since its changes may be rolled
    back and its version number used again.
    """
    if connection.in_atomic_block:
        return standings_of(release, entries_of(release, metric_set))
    key = _Key(release.slug, metric_set)
    with locked(repr(key)):
        found = _kept.pop(key, None)
        # The version was read before the entries: they may be newer than it, never older.
        if found is None or found.release.board_version < release.board_version:
            # While the release was hidden they had disclosed scores only.
            candidates = found.candidates if found and not found.release.hidden else ()
            known = [one.entry for one in candidates]
            found = standings_of(release, entries_of(release, metric_set, known), before=found)
        _kept[key] = found
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
    return found


def forget() -> None:
    """Forgets all that is kept: for tests, whose version numbers repeat."""
    _kept.clear()
