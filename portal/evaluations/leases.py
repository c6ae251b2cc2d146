"""Who works on an evaluation: a lease by the database's clock, and a number that fences.

A worker claims the row with one conditional UPDATE and renews its lease while it works. A lease
that runs out is anybody's; the one who comes back late finds another attempt in the row, and what
it brings is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from portal.models import Evaluation, EvaluationState
from portal.states import change_evaluation


class LeaseLostError(Exception):
    """Somebody else has this evaluation by now, or it has ended."""


@dataclass(frozen=True, slots=True)
class Lease:
    evaluation_id: int
    attempt: int

    def renew(self) -> None:
        """Keep it for another while. Raises ``LeaseLostError``."""
        mine = Evaluation.objects.held_by(self.evaluation_id, self.attempt)
        if not mine.update(lease_until=_end_of_lease()):
            raise LeaseLostError

    @contextmanager
    def settled(self) -> Iterator[Evaluation]:
        """A transaction in which the evaluation is locked and certainly ours. Raises
        ``LeaseLostError``."""
        with transaction.atomic():
            mine = Evaluation.objects.held_by(self.evaluation_id, self.attempt)
            evaluation = mine.select_for_update().first()
            if evaluation is None:
                raise LeaseLostError
            yield evaluation


def claim_evaluation(evaluation_id: int) -> Lease | None:
    """The lease, or None where there is nothing to do: somebody works on it, or it has ended."""
    free = Q(state=EvaluationState.QUEUED) | Q(lease_until__lt=Now())
    rows = Evaluation.objects.with_an_attempt_left().filter(free, pk=evaluation_id)
    with transaction.atomic():
        won = change_evaluation(
            "claim", rows, attempt=F("attempt") + 1, lease_until=_end_of_lease(), started=Now()
        )
        if not won:
            return None
        return Lease(evaluation_id, Evaluation.objects.get(pk=evaluation_id).attempt)


def _end_of_lease() -> object:
    return Now() + timedelta(seconds=settings.LEASE)
