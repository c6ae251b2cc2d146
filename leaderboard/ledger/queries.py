"""Read the ledger, newest entry first: a page in two queries, all of it in one."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.ledger.filters import LedgerFilter
from portal.ledger.chain import public_entry
from portal.models import Decision, LedgerEntry, Opening

ROWS = 50  # on a page
_CHUNK = 2_000  # rows in memory


class NamedEntry(NamedTuple):
    id: UUID
    title: str


class LedgerRow(NamedTuple):
    public: Mapping[str, Any]  # as in a line of the download
    entry: LedgerEntry
    content: Mapping[str, Any]  # empty: the entry is closed
    decision: Decision | None
    entries: Sequence[NamedEntry]  # that it is about, or that were published from this attempt
    is_published: bool  # only for attempts


class LedgerPage(NamedTuple):
    rows: Sequence[LedgerRow]
    newer: int | None  # ``after`` for the previous page
    older: int | None


def read_page(
    chosen: LedgerFilter, *, before: int | None = None, after: int | None = None, size: int = ROWS
) -> LedgerPage:
    """``before``: from the entry below this number on; ``after``: up to the entry above this
    number."""
    found = _entries(chosen)
    if after is not None:
        above = list(found.filter(number__gt=after).order_by("number")[: size + 1])
        has_newer, has_older = len(above) > size, True
        entries = above[:size][::-1]
    else:
        below = found if before is None else found.filter(number__lt=before)
        entries = list(below.order_by("-number")[: size + 1])
        has_newer, has_older = before is not None, len(entries) > size
        entries = entries[:size]
    numbers = [entry.number for entry in entries]
    return LedgerPage(
        list(_rows(entries)),
        numbers[0] if numbers and has_newer else None,
        numbers[-1] if numbers and has_older else None,
    )


def all_rows(chosen: LedgerFilter) -> Iterator[LedgerRow]:
    """Of any length, oldest first."""
    entries = _entries(chosen).order_by("number").iterator(chunk_size=_CHUNK)
    while chunk := list(islice(entries, _CHUNK)):
        yield from _rows(chunk)


def _entries(chosen: LedgerFilter) -> QuerySet[LedgerEntry]:
    rows = LedgerEntry.objects.with_opening().filter(chosen.condition)
    return rows.select_related("decision__submission__language_model")


def _rows(entries: Sequence[LedgerEntry]) -> Iterator[LedgerRow]:
    opened = [entry for entry in entries if vars(entry)["is_open"]]
    attempts = [entry.pk for entry in opened if entry.kind == LedgerEntry.Kind.ATTEMPT]
    publications = _publications(attempts)
    for entry in entries:
        public = public_entry(entry)
        content = json.loads(public["content"]) if "content" in public else {}
        decision = entry.decision if content and hasattr(entry, "decision") else None
        of_attempt = publications.get(entry.pk, [])
        about = [decision] if decision else of_attempt
        yield LedgerRow(
            public,
            entry,
            content,
            decision,
            list(dict.fromkeys(_named(about))),
            any(one.attempt_id == entry.pk for one in of_attempt),
        )


def _publications(attempts: Sequence[int]) -> dict[int, list[Decision]]:
    """By attempt, the publications that opened it."""
    shown = Decision.objects.publications().values("pk")
    rows = Opening.objects.filter(attempt__in=attempts, decision__in=shown)
    found: dict[int, list[Decision]] = {}
    related = rows.select_related("decision__submission__language_model")
    for opening in related.order_by("decision") if attempts else ():
        found.setdefault(opening.attempt_id, []).append(opening.decision)
    return found


def _named(decisions: Iterable[Decision]) -> Iterator[NamedEntry]:
    for one in decisions:
        if one.submission:
            yield NamedEntry(one.submission.pk, one.submission.title)
