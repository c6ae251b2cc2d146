"""Repairs runs after lost workers and lost messages, and deletes keys in time."""

from datetime import timedelta
from itertools import takewhile
from typing import NamedTuple

from django.conf import settings as site
from django.db.models import Q
from django.db.models.functions import Now

from portal.endpoint_runs.asking.slices import reclaim_lost
from portal.endpoint_runs.submissions import submit_ended_runs
from portal.heartbeats import count_lost_leases
from portal.models import EndpointRun, RunSlice
from portal.queue import enqueue_slice


class Swept(NamedTuple):
    """How many slices were taken from lost workers, how many were enqueued again, how many runs
    were submitted, and how many expired keys were deleted."""

    reclaimed: int
    resent: int
    handed_in: int
    keys_deleted: int

    def __bool__(self) -> bool:
        return any(self)


def sweep_runs() -> Swept:
    """Several sweepers may run at once."""
    reclaimed = reclaim_lost()
    count_lost_leases(reclaimed)
    long_ago = Now() - timedelta(seconds=site.RESEND)
    lost = RunSlice.objects.claimable().filter(Q(enqueued_at=None) | Q(enqueued_at__lt=long_ago))
    resent = sum(takewhile(bool, map(enqueue_slice, lost.order_by("enqueued_at")[:100])))
    # Safe against a concurrent resume: the UPDATE checks the state again once it has the row's
    # lock.
    keys_deleted = EndpointRun.objects.with_expired_key().update(key="")
    return Swept(reclaimed, resent, submit_ended_runs(), keys_deleted)
