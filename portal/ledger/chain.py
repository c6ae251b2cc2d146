"""The ledger as everybody may read it, its head, and whether the database still agrees with it."""

import json
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.db.models import Exists, OuterRef

from portal.models import Attempt, Evaluation, LedgerEntry, LedgerHead
from scoring.ledger import BrokenLedgerError, Head, check_ledger, commitment_of

_CHUNK = 2_000  # rows in memory


def ledger_head() -> Head:
    """The newest entry. Whoever knows it can tell if anything before it is changed later."""
    row = LedgerHead.objects.first()
    return Head(row.entries, row.hash) if row else Head()


def head_document() -> dict[str, Any]:
    """The same for everybody to note: its number, hash and day; null before there is an entry."""
    newest = LedgerEntry.objects.order_by("-number").first()
    return {
        "number": newest.number if newest else 0,
        "hash": newest.hash if newest else None,
        "day": _day(newest) if newest else None,
    }


def public_entry(entry: LedgerEntry) -> dict[str, Any]:
    """Of ``LedgerEntry.objects.with_opening()``: a line of the ledger."""
    line = {
        "number": entry.number,
        "day": _day(entry),
        "kind": entry.kind,
        "release": entry.release,
        "commitment": entry.commitment,
        "reconstructed": entry.reconstructed,
        "hash": entry.hash,
    }
    if vars(entry)["is_open"]:
        line |= {"key": entry.key, "content": entry.content}
    return line


def _day(entry: LedgerEntry) -> str:
    return entry.at.astimezone(UTC).strftime("%Y-%m-%d")


def ledger_lines(after: int = 0) -> Iterator[str]:
    """As JSON lines, which ``scoring.ledger`` checks: all that is newer than this number."""
    rows = LedgerEntry.objects.with_opening().filter(number__gt=after).order_by("number")
    for entry in rows.iterator(chunk_size=_CHUNK):
        yield json.dumps(public_entry(entry), ensure_ascii=False) + "\n"


def verify_ledger(known: Head | None = None) -> Head:
    """Check the chain, and with it what only the site knows: that each commitment is of the content
    that is stored, that the columns say the same, and that no scoring is missing. Returns the
    newest entry. Raises ``BrokenLedgerError``."""
    head = ledger_head()
    found = check_ledger(ledger_lines(), known).head
    if found.number < head.number:
        raise BrokenLedgerError(f"Entry {found.number + 1} is missing.")
    for entry in LedgerEntry.objects.order_by("number").iterator(chunk_size=_CHUNK):
        if commitment_of(entry.key, entry.content) != entry.commitment:
            raise BrokenLedgerError(f"The content of entry {entry.number} was changed.")
    _check_attempts()
    return head


def _check_attempts() -> None:
    for attempt in Attempt.objects.select_related("entry").iterator(chunk_size=_CHUNK):
        content = json.loads(attempt.entry.content)
        stored = {
            "group": attempt.group,
            "model": attempt.language_model,
            "release": attempt.release,
            "predictions": attempt.predictions,
            "in_part": attempt.in_part,
        }
        if content | stored != content:
            raise BrokenLedgerError(f"Entry {attempt.entry.number} says another than its columns.")
    entries = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.ATTEMPT, attempt=None)
    if lost := entries.order_by("number").first():
        raise BrokenLedgerError(f"The columns of entry {lost.number} are missing.")
    same = Attempt.objects.filter(
        owner=OuterRef("submission__owner"),
        release=OuterRef("submission__release__slug"),
        predictions__startswith=OuterRef("predictions_hash"),
    )
    own = Attempt.objects.filter(submission=OuterRef("submission"))
    scored = Evaluation.objects.scored().exclude(submission__owner=None)
    if missing := scored.exclude(Exists(own)).exclude(Exists(same)).order_by("pk").first():
        raise BrokenLedgerError(f"Submission {missing.submission_id} was scored, but not counted.")
