"""Verify the hash chain of the audit log.

The database links entries when they are inserted (``0002_database.sql``).
Here each hash is computed again from what the entry says now. An attacker who may change everything
could link the whole chain again; so the command prints its end, to be kept elsewhere and compared
the next time.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from portal.models import AuditEntry, AuditHead, Submission, SubmissionState
from portal.permissions.actions import PUBLICATION_ACTIONS

_CHUNK = 2_000  # rows in memory


class BrokenLogError(Exception):
    """The message names the first entry or submission that is wrong."""


class Link(NamedTuple):
    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


EMPTY = Link(0, "")


def verify_log(known: Link = EMPTY) -> Link:
    """Returns the newest entry. ``known``: one that was the newest before.

    Compares the submissions too: each must be in the state of its last entry. Raises
    ``BrokenLogError``. Entries may be written meanwhile.
    """
    head = AuditHead.objects.first()
    end = Link(head.entries, head.hash) if head else EMPTY
    last = EMPTY
    for last in _links(end.number):
        if last.number == known.number and last.hash != known.hash:
            raise BrokenLogError(f"Entry {last.number} does not match the known one: {known}.")
    _check_the_end(last, end, known)
    _check_states()
    return end


def hash_of(previous: str, entry: AuditEntry) -> str:
    """As the database computes it on insertion; lengths are in bytes of UTF-8."""
    fields = (
        previous,
        entry.number,
        entry.submission_id,
        entry.actor_id,
        entry.action,
        entry.before,
        entry.after,
        entry.reason,
        entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f"),
        *([entry.subject] if entry.subject else []),  # a field of its own only where there is one
    )
    texts = [b"" if field is None else str(field).encode() for field in fields]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(text), text) for text in texts)).hexdigest()


def _links(end: int) -> Iterator[Link]:
    """The entries up to this number. Raises for the first that does not follow the one before."""
    before, at = EMPTY, None
    entries = AuditEntry.objects.filter(number__range=(1, end)).order_by("number")
    for entry in entries.iterator(chunk_size=_CHUNK):
        if entry.number != before.number + 1:
            raise BrokenLogError(_missing(before.number + 1, entry.number - 1))
        before = Link(entry.number, hash_of(before.hash, entry))
        if entry.hash != before.hash:
            raise BrokenLogError(
                f"Entry {entry.number} ({entry.action}, {entry.at:%Y-%m-%d %H:%M:%S} UTC, of "
                f"{entry.about}) is broken: it, or the entry before it, was changed after it was "
                "written."
            )
        if at is not None and entry.at < at:
            raise BrokenLogError(
                f"Entry {entry.number} has an earlier date than the entry before it."
            )
        at = entry.at
        yield before


def _check_the_end(last: Link, end: Link, known: Link) -> None:
    """``last``: the last entry found; ``end``: what the log's head says is the last."""
    if last.number < end.number:
        raise BrokenLogError(_missing(last.number + 1, end.number))
    if last != end:
        raise BrokenLogError(f"Entry {last.number} is the newest, but the log's head is {end}.")
    if end.number < known.number:
        raise BrokenLogError(
            f"The log ends with entry {end.number}, but entry {known} is known to exist."
        )
    # In one statement, so that entries written meanwhile are not among them.
    newest = Coalesce(Subquery(AuditHead.objects.values("entries")[:1]), 0)
    if extra := AuditEntry.objects.exclude(number__range=(1, newest)).first():
        raise BrokenLogError(
            f"Entry {extra.number} is outside the chain: it was not added in the usual way."
        )


def _check_states() -> None:
    """In one statement, so that what is done meanwhile is seen with its entry, or not at all."""
    changes = AuditEntry.objects.filter(submission=OuterRef("pk"), action__in=PUBLICATION_ACTIONS)
    last = Subquery(changes.order_by("-number").values("after")[:1])
    should_be = Coalesce(last, Value(SubmissionState.PRIVATE.value))
    states = Submission.objects.annotate(logged=should_be).exclude(state=F("logged")).order_by("pk")
    if wrong := states.values("pk", "state", "logged").first():
        raise BrokenLogError(
            "Submission {pk} is “{state}”, but its last entry says “{logged}”.".format(**wrong)
        )


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"Entry {first} is missing."
    return f"Entries {first} to {last} are missing."
