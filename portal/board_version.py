"""A number that shows whether a cached page is still valid.

Everything that changes what a board shows raises it in the same transaction. The row is locked from
then until the commit, so the numbers follow the order in which the changes become visible. The time
of the latest change would not: a slow transaction or a withdrawal would leave an outdated page.

Readers look up the number first and the data after. What they cache under a number may be newer
than it, never older.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection
from django.db.models import F, Subquery
from django.db.models.functions import Coalesce
from django.db.transaction import TransactionManagementError

from portal.models import BoardVersion

_ROW = 1
# The number at the beginning of a request that only reads.
_of_request: ContextVar[int | None] = ContextVar("version of the boards", default=None)


def board_version() -> int:
    """The current number; 0 before the first change."""
    known = _of_request.get()
    if known is not None:
        return known
    numbers = BoardVersion.objects.filter(pk=_ROW).values_list("number", flat=True)
    return next(iter(numbers), 0)


@contextmanager
def known_version(number: int) -> Iterator[None]:
    """For a request that only reads, and for which the number was looked up first."""
    token = _of_request.set(number)
    try:
        yield
    finally:
        _of_request.reset(token)


def as_subquery() -> Coalesce:
    """The current number, for a query that reads other data with it."""
    numbers = BoardVersion.objects.filter(pk=_ROW).values("number")
    return Coalesce(Subquery(numbers), 0)


def raise_board_version() -> None:
    """Invalidate cached pages once this transaction is committed; best as its last statement.

    Raises ``TransactionManagementError`` outside of a transaction, where the change would become
    visible before its number.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("The board's version is raised in a transaction.")
    row = BoardVersion.objects.filter(pk=_ROW)
    if not row.update(number=F("number") + 1):
        BoardVersion.objects.get_or_create(pk=_ROW, defaults={"number": 0})
        row.update(number=F("number") + 1)
