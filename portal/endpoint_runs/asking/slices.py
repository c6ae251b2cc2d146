"""Which worker has which slice of a run: a lease by the database's clock, with a fencing number.

A worker claims a slice of the run's concurrency and renews its lease while it asks. What it enters
in the book after another worker has got the lease is refused. Runs take turns: a free worker goes
to the run that has the fewest workers.

Locks are taken in this order: the run's row, its slices, its questions.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings as site
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from portal.endpoint_runs.asking.spending import hold_only, save_counts, settle
from portal.endpoint_runs.services import RUNNING_SECONDS, change_to_paused, end_if_over
from portal.models import (
    CardRequest,
    EndpointRun,
    HubFetch,
    QuestionState,
    RunEnding,
    RunFailure,
    RunQuestion,
    RunSlice,
    RunState,
)
from portal.queue import enqueue_slices_on_commit
from scoring.endpoint.budget import Spent
from scoring.endpoint.run.runner import End, RunEnd

log = logging.getLogger(__name__)
BROKEN_OFF = "broken off"  # by us: the kind of failure of a request that was in flight
_MOST_BROKEN_OFF = 3  # failures of this kind of one question that pause its run


class LeaseLostError(Exception):
    """The slice was given to another worker, or the run has ended."""


@dataclass(frozen=True, slots=True)
class Lease:
    run_id: UUID
    number: int
    fence: int

    @property
    def row(self) -> QuerySet[RunSlice]:
        held = RunSlice.objects.filter(run=self.run_id, number=self.number, fence=self.fence)
        return held.exclude(lease_until=None)


class Claim(NamedTuple):
    lease: Lease
    width: int
    resumed: datetime | None  # when the run was last resumed
    seconds: float  # that the run has been running


class Sight(NamedTuple):
    """What a worker sees of its run."""

    is_going_on: bool  # neither paused, ending nor resumed since the slice was claimed
    is_stopped: bool


# How many workers the run of a slice has.
_BUSY = RunSlice.objects.filter(run=OuterRef("run")).exclude(lease_until=None).order_by()
_SHARE = Coalesce(Subquery(_BUSY.values("run").annotate(n=Count("pk")).values("n")), 0)


def claim_slice() -> Claim | None:
    """A slice of the run whose turn it is; None if no run waits for a worker."""
    reclaim_lost()
    in_turn = _SHARE.asc(), F("claimed").asc(nulls_first=True), "pk"
    for candidate in RunSlice.objects.claimable().order_by(*in_turn):
        row = RunSlice.objects.filter(pk=candidate.pk, lease_until=None)
        if not row.update(fence=F("fence") + 1, lease_until=_expiry(), claimed=Now()):
            continue  # another worker was faster
        claimed = RunSlice.objects.filter(pk=candidate.pk).first()
        run = EndpointRun.objects.filter(pk=candidate.run_id).annotate(seconds=RUNNING_SECONDS)
        found = run.values_list("resumed", "seconds").first()
        if claimed and found:
            lease = Lease(claimed.run_id, claimed.number, claimed.fence)
            return Claim(lease, claimed.width, *found)
    return None


def renew(claim: Claim) -> Sight:
    """Raises ``LeaseLostError``."""
    if not claim.lease.row.update(lease_until=_expiry()):
        raise LeaseLostError
    run = EndpointRun.objects.filter(pk=claim.lease.run_id)
    state, ending, resumed = run.values_list("state", "ending", "resumed").get()
    goes_on = state == RunState.RUNNING and not ending and resumed == claim.resumed
    return Sight(goes_on, ending == RunEnding.STOPPED)


def is_awaited(lease: Lease) -> bool:
    """Whether other work waits for a worker: a run that has fewer workers than this one, a
    connection test, or a request to the Hub."""
    waiting = RunSlice.objects.claimable().exclude(run=lease.run_id)
    share = RunSlice.objects.filter(run=lease.run_id).exclude(lease_until=None).count()
    is_turn_of_another = waiting.alias(share=_SHARE).filter(share__lt=share).exists()
    is_tested = EndpointRun.objects.under_test().filter(connection_until=None).exists()
    others = (HubFetch.objects, CardRequest.objects)
    return is_turn_of_another or is_tested or any(one.all().claimable().exists() for one in others)


def announce(claim: Claim, end: RunEnd) -> None:
    """Tell the other workers that the run pauses or ends. Raises ``LeaseLostError``."""
    with locked_run(claim.lease) as run:
        _enter_end(run, claim, end)


def give_back(claim: Claim, end: RunEnd) -> None:
    """The worker stops asking: its questions wait again, and requests still in flight count as
    spent. The last worker of a run ends it. Raises ``LeaseLostError``."""
    with locked_run(claim.lease) as run:
        _enter_end(run, claim, end)
        _release(run, claim.lease.number)


def reclaim_lost() -> int:
    """Take slices back from workers that have not renewed their leases; returns how many. A run
    whose counts the database refuses is paused. Any other error is logged, and does not keep the
    next slice from being taken back."""
    return sum(map(_reclaim, RunSlice.objects.lost()))


def _reclaim(lost: RunSlice) -> bool:
    about = {"run": str(lost.run_id)}
    try:
        return _take_back(lost)
    except (OperationalError, InterfaceError):  # not the run's fault: tried again next time
        log.exception("a slice cannot be taken back now", extra=about)
        return False
    except Exception as error:
        log.exception("a slice cannot be counted", extra=about)
        uncounted = type(error).__name__
    try:
        return _take_back(lost, uncounted=uncounted)
    except Exception:
        log.exception("a slice cannot be taken back", extra=about)
        return False


def _take_back(lost: RunSlice, uncounted: str = "") -> bool:
    """``uncounted``: why the requests in flight cannot be counted. Then the run pauses, but gets
    its slice back all the same: otherwise it could neither go on nor end and have its key
    deleted."""
    with transaction.atomic():
        rows = EndpointRun.objects.select_for_update(no_key=True, skip_locked=True)
        run = rows.filter(pk=lost.run_id).first()
        if run is None or not RunSlice.objects.lost().filter(pk=lost.pk, fence=lost.fence).exists():
            return False
        if uncounted and run.state == RunState.RUNNING and not run.ending:
            change_to_paused(run, None, reason="our_fault", details=uncounted)
        _release(run, lost.number, is_counted=not uncounted)
        return True


@contextmanager
def locked_run(lease: Lease) -> Iterator[EndpointRun]:
    """A transaction in which the run is locked and this worker still has the slice. Raises
    ``LeaseLostError``."""
    with transaction.atomic():
        rows = EndpointRun.objects.defer("settings", "key", "connection", "estimate")
        run = rows.select_for_update(no_key=True).filter(pk=lease.run_id).first()
        if run is None or not lease.row.exists():
            raise LeaseLostError
        yield run


def _enter_end(run: EndpointRun, claim: Claim, end: RunEnd) -> None:
    """An end without a code says nothing about the run. Nor does one from before its last pause,
    which may come late because an answer was still in flight."""
    is_current = run.state == RunState.RUNNING and run.resumed == claim.resumed
    if not end.code or not is_current or run.ending:
        return
    if end.kind is End.CAP:
        note_cap(run, end.code, end.sentence)
    elif end.kind is End.PAUSED:
        change_to_paused(run, None, reason=end.code, details=end.sentence)


def note_cap(run: EndpointRun, code: str, sentence: str) -> None:
    """End the run: no worker asks for it from here on."""
    run.ending, run.reason, run.reason_details = RunEnding.CAP, code, sentence
    run.save(update_fields=["ending", "reason", "reason_details"])


def _release(run: EndpointRun, number: int, *, is_counted: bool = True) -> None:
    """``run`` is locked. Its reservations are computed anew from what the other slices have in
    flight: a sum that had become too large would block every further request.

    A question that kills every worker, or takes longer than any turn, would be asked and paid for
    endlessly, so the run pauses."""
    taken = RunQuestion.objects.taken().filter(run=run, slice=number)
    in_flight = taken.exclude(reserved_input=None)
    for question in in_flight.only("attempts", "reserved_input", "reserved_output"):
        if is_counted:
            settle(run, Spent(1, question.reserved_input or 0, 0, question.reserved_output or 0))
        RunFailure.objects.create(
            run_id=run.pk, question=question, attempt=question.attempts, kind=BROKEN_OFF
        )
    is_hopeless = _is_broken_off_again(run, in_flight)
    taken.update(
        state=QuestionState.WAITING,
        slice=None,
        fence=None,
        reserved_input=None,
        reserved_output=None,
    )
    held_by_others = RunQuestion.objects.taken().filter(run=run).exclude(reserved_input=None)
    hold_only(run, held_by_others.values_list("reserved_input", "reserved_output"))
    save_counts(run)
    run.slices.filter(number=number).update(lease_until=None, fence=F("fence") + 1, freed=Now())
    if is_hopeless and run.state == RunState.RUNNING and not run.ending:
        change_to_paused(run, None, reason="broken_off")
    end_if_over(run)
    enqueue_slices_on_commit(run.pk)


def _is_broken_off_again(run: EndpointRun, in_flight: QuerySet[RunQuestion]) -> bool:
    """Whether one of them was broken off too often since the run was last started or resumed."""
    times = RunFailure.objects.filter(
        kind=BROKEN_OFF, at__gte=run.resumed, question__in=in_flight.order_by().values("pk")
    )
    counted = times.order_by().values("question").annotate(n=Count("pk"))
    return counted.filter(n__gte=_MOST_BROKEN_OFF).exists()


def _expiry() -> object:
    return Now() + timedelta(seconds=site.LEASE)
