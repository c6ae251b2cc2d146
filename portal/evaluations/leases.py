"""Which worker has an evaluation: a lease by the database's clock, fenced by the attempt number.

A worker claims the row with one conditional UPDATE and renews its lease while it works. When a
lease expires, any worker may claim the row: this changes the attempt number, so that results of the
earlier attempt are refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from portal.models import Evaluation, EvaluationState, Stage
from portal.states import change_evaluation


class LeaseLostError(Exception):
    """Another worker has claimed the evaluation, or it has ended."""


@dataclass(frozen=True, slots=True)
class Lease:
    evaluation_id: int
    attempt: int

    def renew(self) -> None:
        """Raises ``LeaseLostError``."""
        held = Evaluation.objects.held_by(self.evaluation_id, self.attempt)
        if not held.update(lease_until=_expiry()):
            raise LeaseLostError

    def enter(self, stage: Stage) -> None:
        """Record the stage, which the page shows. Raises ``LeaseLostError``."""
        held = Evaluation.objects.held_by(self.evaluation_id, self.attempt)
        if not held.update(stage=stage, lease_until=_expiry()):
            raise LeaseLostError

    def release(self, pause: timedelta = timedelta()) -> None:
        """Queue the evaluation again, due after the pause; this attempt does not count.

        Without a pause, the message goes back to the broker; after one, the sweeper sends another.
        Raises ``LeaseLostError``."""
        with self.locked_evaluation() as evaluation:
            change_evaluation(
                "requeue",
                Evaluation.objects.filter(pk=evaluation.pk),
                attempts_allowed=F("attempts_allowed") + 1,
                lease_until=None,
                enqueued_at=Now(),
                due=Now() + pause,
            )

    @contextmanager
    def locked_evaluation(self) -> Iterator[Evaluation]:
        """A transaction in which the row is locked and this lease still holds. Raises
        ``LeaseLostError``."""
        with transaction.atomic():
            held = Evaluation.objects.held_by(self.evaluation_id, self.attempt)
            evaluation = held.select_for_update().first()
            if evaluation is None:
                raise LeaseLostError
            yield evaluation


def claim_evaluation(evaluation_id: int) -> Lease | None:
    """The lease; None if another worker has the evaluation, or it has ended.

    Workers call ``portal.evaluations.turns.claim_next``, which chooses one."""
    free = Q(state=EvaluationState.QUEUED) | Q(lease_until__lt=Now())
    rows = Evaluation.objects.with_an_attempt_left().filter(free, pk=evaluation_id)
    with transaction.atomic():
        claimed = change_evaluation(
            "claim",
            rows,
            attempt=F("attempt") + 1,
            lease_until=_expiry(),
            started=Now(),
            stage=Stage.READING,
        )
        if not claimed:
            return None
        return Lease(evaluation_id, Evaluation.objects.get(pk=evaluation_id).attempt)


def _expiry() -> object:
    return Now() + timedelta(seconds=settings.LEASE)
