"""The database as it was at one moment, for processes that read all of it and write nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection, transaction
from django.http import HttpRequest

_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
TOGETHER = "portal.together"  # in META of a request, which no client can set
_joined: list[str] = []  # the snapshot that this process reads, if it does


@contextmanager
def one_moment() -> Iterator[str]:
    """The name of a snapshot that other processes can join meanwhile. It is empty within a
    transaction, which goes on to be read instead."""
    if connection.in_atomic_block:
        yield ""
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_READ_ONLY)
        cursor.execute("SELECT pg_export_snapshot()")
        [name] = cursor.fetchone() or [""]
        _joined.append(name)
        try:
            yield name
        finally:
            _joined.clear()


def join_snapshot(name: str) -> None:
    """Read the database as it was in that snapshot, until this process ends."""
    if not name or name in _joined:
        return
    transaction.atomic().__enter__()
    with connection.cursor() as cursor:
        cursor.execute(_READ_ONLY)
        cursor.execute("SET TRANSACTION SNAPSHOT %s", [name])
    _joined[:] = [name]


def reads_snapshot() -> bool:
    """Whether nothing can change for this process: what it has read from the database stays true,
    even though it is within a transaction."""
    return bool(_joined)


def asked_together(request: HttpRequest) -> Sequence[str]:
    """Of all pages that are requested from this process one after the other while it reads a
    snapshot, this one included, the part of the address that differs (an id, a slug): so the data
    of all can be read at once. Empty for readers of the site."""
    together: Sequence[str] = request.META.get(TOGETHER, ())
    return together
