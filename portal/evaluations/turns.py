"""Whose evaluation is next: owners take turns, whatever the order of the messages.

A message only wakes a worker. The claim goes to the owner whose last claim was longest ago, so each
evaluation waits behind at most one evaluation of each other owner.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.models.functions import Now

from portal.evaluations.leases import Lease, claim_evaluation
from portal.models import Evaluation, OwnerTurn

_CLAIMS = 0x7475726E  # the number of an advisory lock, used for nothing else


def claim_next() -> Lease | None:
    """The lease on the evaluation whose turn it is; None if there is nothing to do."""
    with transaction.atomic(), _one_claim_at_a_time():
        for evaluation_id, owner in Evaluation.objects.claimable().in_turn():
            lease = claim_evaluation(evaluation_id)
            if lease:  # not if it was deleted just now
                OwnerTurn.objects.update_or_create(owner=owner, defaults={"at": Now()})
                return lease
    return None


@contextmanager
def _one_claim_at_a_time() -> Iterator[None]:
    """Two concurrent claims would both take the turn of the same owner.

    A worker that is suspended inside loses its connection, and with it the lock.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10s'")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIMS])
        yield
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT")


def claims_before(evaluation: Evaluation) -> list[int]:
    """Primary keys of those that will be claimed before this one if nobody else submits
    anything."""
    order = order_of_claims(Evaluation.objects.claimable().in_turn())
    return order[: order.index(evaluation.pk)] if evaluation.pk in order else order


def order_of_claims(waiting: Iterable[tuple[int, Hashable]]) -> list[int]:
    """The keys in the order of claims. ``waiting``: keys with their owners, in turn.

    The first of each owner, then the second of each, and so on.
    """
    rounds: Counter[Hashable] = Counter()
    positions: dict[Hashable, int] = {}  # of owners
    ranked = []
    for key, owner in waiting:
        position = positions.setdefault(owner, len(positions))
        rounds[owner] += 1
        ranked.append((rounds[owner], position, key))
    return [key for _, _, key in sorted(ranked, key=lambda found: found[:2])]
