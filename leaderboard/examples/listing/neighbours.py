"""The examples before and after one, within a filtered list."""

from typing import NamedTuple

from django.http import QueryDict

from leaderboard.examples.listing.facts import facts_of
from leaderboard.examples.listing.forms import ExampleFilterForm
from leaderboard.examples.listing.search import Around, words_around
from leaderboard.examples.queries import QuestionSet
from portal.permissions.access import Reader


class Neighbours(NamedTuple):
    """Keys; None: there is none."""

    previous: str | None
    next: str | None
    # The example's position, from 1; None: it is not in the list, or not everything was searched.
    place: int | None
    total: int | None  # the number of all examples in the list; None: not everything was searched


def neighbours(
    reader: Reader, questions: QuestionSet, list_query: str, key: str
) -> Neighbours | None:
    """For an example of the task, in the order of the list; if that does not have it, its first
    example comes next. None if the filter of the list is wrong."""
    if not list_query:  # independent of answers, so no entries need to be read
        keys = facts_of(questions).keys
        at = keys.index(key)
        previous, following = keys[at - 1] if at else None, next(iter(keys[at + 1 : at + 2]), None)
        return Neighbours(previous, following, at + 1, len(keys))
    form = ExampleFilterForm(reader, questions, QueryDict(list_query))
    if not form.is_valid():
        return None
    selection = form.selection
    keys, order = selection.facts.keys, selection.order
    index = keys.index(key)
    at = order.index(index) if index in order else -1
    if not form.filter.words:
        before = order[at - 1 : at] if at > 0 else []
        found = Around(before, order[at + 1 : at + 2], at + 1 or None, len(order))
    else:
        found = words_around(selection, at)
    previous, following = (keys[one[0]] if one else None for one in found[:2])
    return Neighbours(previous, following, found.place, found.total)
