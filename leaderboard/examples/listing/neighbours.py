"""The examples before and after one, within a filter."""

from typing import NamedTuple

from leaderboard.examples.filters import Filter
from leaderboard.examples.listing.facts import facts_of
from leaderboard.examples.listing.search import Around, words_around
from leaderboard.examples.listing.selection import select
from leaderboard.examples.queries import QuestionSet
from portal.permissions.access import Reader


class Neighbours(NamedTuple):
    """Keys; None: there is none."""

    previous: str | None
    next: str | None
    # The example's position, from 1; None: it was not found, or not everything was searched.
    place: int | None
    total: int | None  # the number of all found; None: not everything was searched


def neighbours(reader: Reader, questions: QuestionSet, chosen: Filter, key: str) -> Neighbours:
    """For an example of the task, in the order of the filter; if the filter does not find it, the
    first one found comes next. Raises ``FilterError``."""
    if chosen == Filter():  # independent of answers, so no entries need to be read
        keys = facts_of(questions).keys
        at = keys.index(key)
        previous, following = keys[at - 1] if at else None, next(iter(keys[at + 1 : at + 2]), None)
        return Neighbours(previous, following, at + 1, len(keys))
    selection = select(reader, questions, chosen)
    keys, order = selection.facts.keys, selection.order
    index = keys.index(key)
    at = order.index(index) if index in order else -1
    if not chosen.words:
        before = order[at - 1 : at] if at > 0 else []
        found = Around(before, order[at + 1 : at + 2], at + 1 or None, len(order))
    else:
        found = words_around(selection, at)
    previous, following = (keys[one[0]] if one else None for one in found[:2])
    return Neighbours(previous, following, found.place, found.total)
