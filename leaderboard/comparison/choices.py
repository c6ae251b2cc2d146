"""What is compared: read from a query string, and offered in a form."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.cache import cached_region
from leaderboard.columns import COLUMN_IDS
from leaderboard.entries import Entry, Mark
from leaderboard.names import mark_of
from leaderboard.queries import (
    BoardRelease,
    public_submissions,
    reported_entry,
    submitted_entry,
)
from portal.models import ReportedEntry, Submission
from portal.permissions.access import with_current_ids
from portal.scores.scores import REPORTED_UNDER
from scoring.metrics import METRIC_SETS, PAPER_SET

LETTERS = "abcd"  # of the entries, in a query string and in pictures
MOST_OPTIONS = 100
_MAX_ID, _MAX_SEARCH = 60, 100  # characters
_MAX_PRICE = 10_000


@dataclass(frozen=True, slots=True)
class Choice:
    ids: tuple[str, ...] = ()  # of distinct entries, at most four
    metric_set: str = PAPER_SET
    task: str = ""  # or a domain, or ``overall``; empty: all tasks
    release: str = ""  # its entries are offered; empty: the one of the chosen entries
    search: str = ""  # limits the entries that are offered
    price: float | None = None  # of a million tokens, in any currency
    interactive: bool = False  # with a chart of Plotly

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Never raises, whatever the query string says."""
        ids = [query.get(letter, "")[:_MAX_ID] for letter in LETTERS]
        metric_set, task = query.get("metric_set", ""), query.get("task", "")
        return cls(
            ids=tuple(dict.fromkeys(filter(None, ids))),
            metric_set=metric_set if metric_set in METRIC_SETS else PAPER_SET,
            task=task if task in COLUMN_IDS else "",
            release=query.get("release", "")[:_MAX_ID],
            search=" ".join(query.get("q", "").split())[:_MAX_SEARCH].strip(),
            price=_price(query.get("price", "")),
            interactive=query.get("interactive") == "1",
        )

    def with_current_ids(self) -> Self:
        return replace(self, ids=with_current_ids(self.ids))

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the query string, for everything that differs from the default."""
        pairs = list(zip(LETTERS, self.ids, strict=False))
        if self.metric_set != PAPER_SET:
            pairs.append(("metric_set", self.metric_set))
        others = (
            ("task", self.task),
            ("release", self.release),
            ("q", self.search),
            ("price", self.price_text),
            ("interactive", "1" if self.interactive else ""),
        )
        return pairs + [(name, value) for name, value in others if value]

    def __str__(self) -> str:
        return f"?{urlencode(self.pairs())}" if self.pairs() else ""

    def matches_query(self, query: Mapping[str, str]) -> bool:
        """Whether the query string says exactly this, without naming a default."""
        known = (*LETTERS, "metric_set", "task", "release", "q", "price", "interactive")
        return sorted(self.pairs()) == sorted((k, v) for k, v in query.items() if k in known)

    @property
    def price_text(self) -> str:
        return "" if self.price is None else f"{self.price:g}"

    @property
    def swapped(self) -> Self:
        """With the first two entries exchanged."""
        first, second, *others = self.ids
        return replace(self, ids=(second, first, *others))

    def without_task(self) -> Self:
        return replace(self, task="")

    @property
    def toggled(self) -> Self:
        """With the interactive chart opened or closed."""
        return replace(self, interactive=not self.interactive)

    def as_claim(self) -> Self:
        """Without what a claim does not depend on."""
        return replace(self, search="", price=None, interactive=False)

    def claim(self, task: str) -> str:
        """The address of the claim that the first entry is better than the second."""
        pairs = replace(self, ids=self.ids[:2], task=task).as_claim().pairs()
        return f"{reverse('claims')}?{urlencode(pairs)}"


def _price(text: str) -> float | None:
    try:
        price = float(text)
    except ValueError:
        return None
    return float(f"{price:g}") if math.isfinite(price) and 0 < price <= _MAX_PRICE else None


class Option(NamedTuple):
    value: str
    title: str
    is_chosen: bool = False


class Options(NamedTuple):
    """The entries that a form offers."""

    entries: list[Option]
    found: int  # how many match, even if not all of them are offered


def options_of(release: BoardRelease, choice: Choice, chosen: Sequence[Entry]) -> Options:
    """The entries of a board that match the search, by name, and those that are chosen."""
    ids = {entry.id for entry in chosen}
    offered = _offered(release, choice)
    listed = [one for one in offered.entries if one.value not in ids][:MOST_OPTIONS]
    return Options([*map(_option, chosen), *listed], offered.found)


def _offered(release: BoardRelease, choice: Choice) -> Options:
    """As many as a form can need. Kept, except for searches, of which there are infinitely many."""
    with_reported = release.official and choice.metric_set == REPORTED_UNDER

    def read() -> Options:
        on_board = Submission.objects.on_board_of(release.slug, official=release.official)
        submissions = public_submissions().filter(pk__in=on_board)
        entries = [submitted_entry(one, {}, {}) for one in submissions]
        if with_reported:
            rows = ReportedEntry.objects.select_related("language_model")
            entries += [reported_entry(row, {}) for row in rows]
        found = [entry for entry in entries if entry.matches(choice.search)]
        found.sort(key=lambda entry: (entry.title.casefold(), entry.created, entry.id))
        return Options([*map(_option, found[: MOST_OPTIONS + len(LETTERS)])], len(found))

    name = f"options/{release.slug}/{with_reported}"
    return read() if choice.search else cached_region(name, read)


def _option(entry: Entry) -> Option:
    return Option(entry.id, title_of(entry))


def title_of(entry: Entry) -> str:
    """Its name, and what distinguishes it from other entries of the model."""
    parts = [entry.title, str(mark_of(entry).title)]
    if entry.mark is Mark.REPORTED:
        parts.append(entry.source)
    elif entry.submitted_on:
        parts.append(entry.submitted_on.isoformat())
    return " · ".join(parts)
