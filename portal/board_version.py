"""One number that tells whether what was made from the database still says the truth.

Whoever changes what a board shows raises it in the same transaction. The row is locked from then to
the commit, so the numbers come in the order in which the changes can be seen; a time of the newest
change would not: a slow transaction, or a withdrawal, would leave an old page.

Whoever reads looks at the number first, and at the data after. What is then kept under a number
may be newer than it, never older.
"""

from django.db import connection
from django.db.models import F
from django.db.transaction import TransactionManagementError

from portal.models import BoardVersion

_ONLY = 1


def board_version() -> int:
    """The number as it is now; 0 before anything was ever shown."""
    numbers = BoardVersion.objects.filter(pk=_ONLY).values_list("number", flat=True)
    return next(iter(numbers), 0)


def raise_board_version() -> None:
    """Make everybody read anew, once this transaction is committed; best as its last statement.

    Raises ``TransactionManagementError`` outside of one, where the change would be seen before its
    number is.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("The board's version is raised in a transaction.")
    row = BoardVersion.objects.filter(pk=_ONLY)
    if not row.update(number=F("number") + 1):
        BoardVersion.objects.get_or_create(pk=_ONLY, defaults={"number": 0})
        row.update(number=F("number") + 1)
