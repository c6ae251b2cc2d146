"""Whose evaluation is next: owners take turns, whatever order the messages come in.

A message only starts a worker. The claim goes to the owner whose last claim is longest ago, so for
each of their own, owners wait behind at most one evaluation of each other owner.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.models.functions import Now

from portal.evaluations.leases import Lease, claim_evaluation
from portal.models import Evaluation, OwnerTurn

_CLAIMS = 0x7475726E  # an advisory lock: no other number of this kind is used


def claim_next() -> Lease | None:
    """The lease on the evaluation whose turn it is; None where there is nothing to do."""
    with transaction.atomic(), _one_claim_at_a_time():
        for evaluation_id, *owners in Evaluation.objects.claimable().in_turn():
            lease = claim_evaluation(evaluation_id)
            if lease:  # not if it was deleted just now
                for owner in {*owners}:
                    OwnerTurn.objects.update_or_create(owner=owner, defaults={"at": Now()})
                return lease
    return None


@contextmanager
def _one_claim_at_a_time() -> Iterator[None]:
    """Two at once would both take the turn of the same owner.

    A worker that is stopped in the middle loses its connection, and so the lock.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10s'")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIMS])
        yield
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT")


def claims_before(evaluation: Evaluation) -> list[int]:
    """The keys of those that will be claimed before this one if no other owner submits anything."""
    waiting = Evaluation.objects.claimable().in_turn()
    order = order_of_claims((pk, holder) for pk, _, holder in waiting)
    return order[: order.index(evaluation.pk)] if evaluation.pk in order else order


def order_of_claims(waiting: Iterable[tuple[int, Hashable]]) -> list[int]:
    """Keys with their owners, in turn → the keys as they will be claimed.

    The first of each owner, then the second of each, and so on.
    """
    rounds: Counter[Hashable] = Counter()
    owners: dict[Hashable, int] = {}
    places = []
    for key, owner in waiting:
        place = owners.setdefault(owner, len(owners))
        rounds[owner] += 1
        places.append((rounds[owner], place, key))
    return [key for _, _, key in sorted(places, key=lambda found: found[:2])]
