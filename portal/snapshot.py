"""The database as it was at one moment, for processes that read all of it and write nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


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
        yield name
