"""The sweeper: repairs what lost workers and lost messages have left behind."""

import logging
from datetime import timedelta
from itertools import takewhile
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Coalesce, Now

from portal.heartbeats import count_lost_leases
from portal.models import Evaluation
from portal.queue import enqueue_evaluation
from portal.states import change_evaluation

_MOST_RESENT = 100  # messages at a time: a broker may be slow, or full

log = logging.getLogger(__name__)


class Swept(NamedTuple):
    """How many evaluations have failed, were taken from lost workers, and were enqueued again."""

    failed: int
    reclaimed: int
    resent: int

    def __bool__(self) -> bool:
        return any(self)


def sweep() -> Swept:
    """Several sweepers may run at once."""
    expired = Evaluation.objects.with_expired_lease()
    failed = change_evaluation(
        "fail",
        expired.without_an_attempt_left(),
        failure="worker_lost",
        finished=Now(),
        lease_until=None,
    )
    with transaction.atomic():
        locked = expired.with_an_attempt_left().select_for_update(skip_locked=True)
        reclaimed = list(locked.values_list("pk", flat=True))
        rows = Evaluation.objects.filter(pk__in=reclaimed)
        change_evaluation("requeue", rows, lease_until=None, enqueued_at=Now(), due=Now())
    for evaluation_id in reclaimed:
        log.warning("its worker stopped responding", extra={"evaluation": evaluation_id})
        enqueue_evaluation(evaluation_id)
    # Those whose message must have been lost, the oldest first, until the broker fails once.
    queued = Evaluation.objects.queued().annotate(since=Coalesce("enqueued_at", "created"))
    lost = queued.filter(since__lt=Now() - timedelta(seconds=settings.RESEND))
    ids = lost.order_by("since").values_list("pk", flat=True)[:_MOST_RESENT]
    resent = sum(takewhile(bool, map(enqueue_evaluation, ids)))
    count_lost_leases(failed + len(reclaimed))
    return Swept(failed, len(reclaimed), resent)
