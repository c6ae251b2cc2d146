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
    """The name of a snapshot that other processes can join meanwhile. Within a transaction it is
    empty: whoever is in one reads that."""
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
    """Read the database as it was then, until this process ends."""
    if not name or name in _joined:
        return
    transaction.atomic().__enter__()
    with connection.cursor() as cursor:
        cursor.execute(_READ_ONLY)
        cursor.execute("SET TRANSACTION SNAPSHOT %s", [name])
    _joined[:] = [name]


def reads_snapshot() -> bool:
    """Whether nothing can change for this process: what it has read of the database stays true,
    although it is within a transaction."""
    return bool(_joined)


def asked_together(request: HttpRequest) -> Sequence[str]:
    """The same part of the address (an id, a slug) of all pages that this process is asked for one
    after the other while it reads a snapshot, this one among them: what they show can be read at
    once. Empty for readers of the site."""
    together: Sequence[str] = request.META.get(TOGETHER, ())
    return together
