"""A search through all contexts of a task, some at a time.

There is no index: scanning 200 MB takes about half a second.
"""

import logging
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import Min

from leaderboard.example_links import example_address
from leaderboard.examples.context.places import ANCHOR
from leaderboard.examples.queries import QuestionSet
from portal.models import Context, Example
from portal.releases.context_search import Hit, count_up_to
from scoring.text.text_index import WindowError

log = logging.getLogger(__name__)

BYTES_AT_ONCE = 100_000_000
MOST_FOUND = 100  # contexts in one response
MOST_COUNTED = 1_000  # occurrences in one context
_MOST_KEYS = 5  # keys shown for one context


class FoundContext(NamedTuple):
    examples: Sequence[tuple[str, str]]  # keys with their addresses, which continue the search
    more: int  # further examples about it
    total: int
    hit: Hit

    @property
    def is_exact(self) -> bool:
        return self.total < MOST_COUNTED


class Search(NamedTuple):
    rows: Sequence[FoundContext]
    searched: int  # contexts, including those of earlier responses
    total: int
    next: str  # the query string for the rest; empty: all have been searched


def search_contexts(questions: QuestionSet, query: str, start: str) -> Search:
    """``start`` is the number of the first context, from 0, as typed; contexts are ordered by the
    examples about them."""
    of_set = Example.objects.filter(data_set=questions.data_set, context__isnull=False)
    order = list(
        of_set.order_by()
        .values_list("context", flat=True)
        .annotate(first=Min("index"))
        .order_by("first")
    )
    is_number = start.isascii() and start.isdecimal() and len(start) < 8
    place = first = min(int(start), len(order)) if is_number else 0
    contexts = Context.objects.in_bulk(order[first:])
    found: dict[int, tuple[int, Hit]] = {}
    size = 0
    for pk in order[first:]:
        if size >= BYTES_AT_ONCE or len(found) == MOST_FOUND:
            break
        place, size = place + 1, size + contexts[pk].size
        total, hit = _count(contexts[pk], query)
        if hit:
            found[pk] = total, hit
    keys: dict[int, list[str]] = {pk: [] for pk in found}
    asking = of_set.filter(context__in=found).order_by("index")
    for pk, key in asking.values_list("context", "key"):
        keys[pk].append(key)
    rows = [_row(questions, query, keys[pk], total, hit) for pk, (total, hit) in found.items()]
    following = urlencode({"q": query, "from": place}) if place < len(order) else ""
    return Search(rows, place, len(order), following)


def _count(context: Context, query: str) -> tuple[int, Hit | None]:
    """0 if the context cannot be read."""
    try:
        return count_up_to(context, query, MOST_COUNTED)
    except (OSError, WindowError):
        log.exception("context %s cannot be read", context)
        return 0, None


def _row(
    questions: QuestionSet, query: str, keys: Sequence[str], total: int, hit: Hit
) -> FoundContext:
    release, task = questions.release.slug, questions.task.id
    place = urlencode({"find": query})
    examples = [
        (key, f"{example_address(release, task, key)}?{place}#{ANCHOR}")
        for key in keys[:_MOST_KEYS]
    ]
    return FoundContext(examples, len(keys) - len(examples), total, hit)
