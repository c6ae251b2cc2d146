"""Repairs what lost workers and lost messages have left of runs."""

from datetime import timedelta
from itertools import takewhile
from typing import NamedTuple

from django.conf import settings as site
from django.db.models import Q
from django.db.models.functions import Now

from portal.endpoint_runs.handing_in import hand_in_ended_runs
from portal.endpoint_runs.slices import reclaim_lost
from portal.models import RunSlice
from portal.queue import enqueue_slice


class Swept(NamedTuple):
    """How many slices were taken from lost workers and sent to the queue again, and how many runs
    were submitted."""

    reclaimed: int
    resent: int
    handed_in: int

    def __bool__(self) -> bool:
        return any(self)


def sweep_runs() -> Swept:
    """Any number of sweepers may run at once."""
    reclaimed = reclaim_lost()
    long_ago = Now() - timedelta(seconds=site.RESEND)
    lost = RunSlice.objects.claimable().filter(Q(enqueued_at=None) | Q(enqueued_at__lt=long_ago))
    resent = sum(takewhile(bool, map(enqueue_slice, lost.order_by("enqueued_at")[:100])))
    return Swept(reclaimed, resent, hand_in_ended_runs())
