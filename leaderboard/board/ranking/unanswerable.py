"""Unanswerable questions, which are a release of their own: a column beside the scores of the
release whose books they are about, and in none of its means."""

from typing import NamedTuple

from leaderboard.board.ranking.standings import kept_standings
from leaderboard.entries import Entry, System
from leaderboard.queries import BoardRelease, find_release, releases_with_boards

TITLE: str = "No answer"
MEANING: str = (
    "Questions that the books do not answer: how often the same model with the same method says "
    "so. A leaderboard of its own; in no score here."
)


class Silence(NamedTuple):
    """An entry's overall score on the unanswerable questions."""

    entry: str  # its id
    percent: float


Silences = dict[System, Silence]


def silences_of(release: BoardRelease, metric_set: str) -> Silences | None:
    """By system, that of its best entry; None if the release has no such questions."""
    if not release.unanswerable:
        return None
    other = find_release(releases_with_boards(), release.unanswerable)
    if other is None:
        return None
    return {
        one.system: Silence(one.entry.id, percent)
        for one in kept_standings(other, metric_set).best
        if (percent := one.percents[0]) is not None and not one.entry.is_sample
    }


def silence_of(entry: Entry, slug: str, metric_set: str) -> Silence | None:
    """The one that belongs to an entry on the board of that release."""
    release = find_release(releases_with_boards(), slug)
    found = silences_of(release, metric_set) if release else None
    return found.get(entry.system) if found else None
