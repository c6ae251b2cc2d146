"""What is shown of one example: read from a query string."""

from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.example_links import query_string
from scoring.metrics import METRIC_SETS, PAPER_SET

MOST_OPENED = 4  # answers shown in full, side by side
_MAX_ID, _MAX_PAGE = 60, 100_000
_MAX_LIST, _MAX_PARAMETERS = 6_000, 100  # characters of a query string, and its parameters


@dataclass(frozen=True, slots=True)
class Choice:
    entries: tuple[
        str, ...
    ] = ()  # ids of those whose answers are opened; the first is the baseline
    metric_set: str = PAPER_SET
    list_query: str = ""  # the query string of the list that the reader came from
    page: int = 1  # of the other answers
    place: tuple[tuple[str, str], ...] = ()  # in the context: names and values from its viewer

    @classmethod
    def from_query(cls, query: QueryDict) -> Self:
        """Never raises, whatever the query string says."""
        entries = [one[:_MAX_ID] for one in query.getlist("entry") if one]
        metric_set, page = query.get("metric_set", ""), query.get("page", "")
        is_number = page.isascii() and page.isdecimal() and len(page) < 9
        return cls(
            entries=tuple(dict.fromkeys(entries))[:MOST_OPENED],
            metric_set=metric_set if metric_set in METRIC_SETS else PAPER_SET,
            list_query=_list_query(query.get("list", "")),
            page=min(max(1, int(page)), _MAX_PAGE) if is_number else 1,
        )

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the query string, for everything that differs from the default except
        the place in the context."""
        pairs = [("entry", one) for one in self.entries]
        if self.metric_set != PAPER_SET:
            pairs.append(("metric_set", self.metric_set))
        if self.list_query:
            pairs.append(("list", self.list_query))
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return pairs

    def __str__(self) -> str:
        pairs = (*self.pairs(), *self.place)
        return f"?{urlencode(pairs)}" if pairs else ""

    def of_other_example(self) -> Self:
        """The same view of another example."""
        return replace(self, page=1, place=())

    def toggled(self, entry: str) -> Self:
        """With this answer opened, replacing the last one if there are too many; or closed."""
        others = tuple(one for one in self.entries if one != entry)
        opened = others if entry in self.entries else (*others[: MOST_OPENED - 1], entry)
        return replace(self, entries=opened)

    def with_metric_set(self, metric_set: str) -> Self:
        return replace(self, metric_set=metric_set)

    def on_page(self, page: int) -> Self:
        return replace(self, page=page)


def _list_query(text: str) -> str:
    """Encoded anew, so that it can follow any address; empty if it is none of ours."""
    if len(text) > _MAX_LIST or text.count("&") > _MAX_PARAMETERS:
        return ""
    lists = QueryDict(text).lists()
    return query_string([(name, str(value)) for name, values in lists for value in values])
