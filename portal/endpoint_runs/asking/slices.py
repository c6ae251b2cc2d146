"""Which worker has which part of a run: a lease by the database's clock, fenced by a number.

A worker claims a slice of the run's concurrency and renews its lease while it asks. What it enters
in the book after its lease was given to another is refused. Runs take turns: a worker that is free
goes to the run that has the fewest.

The run's row is locked before its slices, and these before its questions.
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
    SpotCheck,
)
from portal.queue import enqueue_slices_on_commit
from scoring.endpoint.budget import Spent
from scoring.endpoint.run.runner import End, RunEnd

log = logging.getLogger(__name__)
BROKEN_OFF = "broken off"  # by us: the kind of failure of what was in flight
_MOST_BROKEN_OFF = 3  # times that a question is, until its run pauses


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
    resumed: datetime | None  # the run, when it was last resumed
    seconds: float  # that it has been running


class Sight(NamedTuple):
    """What a worker sees of its run."""

    is_going_on: bool  # as it was when the slice was claimed
    is_stopped: bool


# How many workers the run of a slice has.
_BUSY = RunSlice.objects.filter(run=OuterRef("run")).exclude(lease_until=None).order_by()
_SHARE = Coalesce(Subquery(_BUSY.values("run").annotate(n=Count("pk")).values("n")), 0)


def claim_slice() -> Claim | None:
    """The part of a run whose turn it is; None where no run waits for a worker."""
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
    """Whether a run waits for a worker that has fewer of them than this one, the test of a
    connection, a spot check, or what the Hub is to be asked."""
    waiting = RunSlice.objects.claimable().exclude(run=lease.run_id)
    share = RunSlice.objects.filter(run=lease.run_id).exclude(lease_until=None).count()
    is_turn_of_another = waiting.alias(share=_SHARE).filter(share__lt=share).exists()
    is_tested = EndpointRun.objects.under_test().filter(connection_until=None).exists()
    others = (SpotCheck.objects, HubFetch.objects, CardRequest.objects)
    return is_turn_of_another or is_tested or any(one.all().claimable().exists() for one in others)


def announce(claim: Claim, end: RunEnd) -> None:
    """Tell the other workers that the run pauses or comes to its end. Raises ``LeaseLostError``."""
    with locked_run(claim.lease) as run:
        _enter_end(run, claim, end)


def give_back(claim: Claim, end: RunEnd) -> None:
    """The worker asks no more: what it has not asked waits again, and what is still in flight is
    spent. The last one of a run ends it. Raises ``LeaseLostError``."""
    with locked_run(claim.lease) as run:
        _enter_end(run, claim, end)
        _release(run, claim.lease.number)


def reclaim_lost() -> int:
    """Take slices back from workers that do not renew their leases; returns how many. Counts of
    one run that the database refuses pause this run. Whatever else is wrong with one is logged, and
    hinders no other."""
    return sum(map(_reclaim, RunSlice.objects.lost()))


def _reclaim(lost: RunSlice) -> bool:
    about = {"run": str(lost.run_id)}
    try:
        return _take_back(lost)
    except (OperationalError, InterfaceError):  # of the database, not of this run: tried next time
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
    """``uncounted``: why what was in flight cannot be counted. Then the run pauses, but has its
    slice back all the same: else it could not go on, nor end and lose its key."""
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
    """A transaction in which the run is locked and the slice still this worker's. Raises
    ``LeaseLostError``."""
    with transaction.atomic():
        rows = EndpointRun.objects.defer("settings", "key", "connection", "estimate")
        run = rows.select_for_update(no_key=True).filter(pk=lease.run_id).first()
        if run is None or not lease.row.exists():
            raise LeaseLostError
        yield run


def _enter_end(run: EndpointRun, claim: Claim, end: RunEnd) -> None:
    """An end without a code says nothing about the run; and one of before its last pause, while an
    answer was still in flight, says nothing any more."""
    is_current = run.state == RunState.RUNNING and run.resumed == claim.resumed
    if not end.code or not is_current or run.ending:
        return
    if end.kind is End.CAP:
        note_cap(run, end.code, end.sentence)
    elif end.kind is End.PAUSED:
        change_to_paused(run, None, reason=end.code, details=end.sentence)


def note_cap(run: EndpointRun, code: str, sentence: str) -> None:
    """The run comes to its end: nobody asks any more."""
    run.ending, run.reason, run.reason_details = RunEnding.CAP, code, sentence
    run.save(update_fields=["ending", "reason", "reason_details"])


def _release(run: EndpointRun, number: int, *, is_counted: bool = True) -> None:
    """``run``: locked. What is reserved then is what the other slices have in flight, whatever the
    sums of the run were: with too much, nothing would ever be sent again.

    A question of which every worker dies, or that takes longer than any turn, would be asked and
    paid for without an end: then the run pauses."""
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
    """Whether one of them was broken off too often since the run was started or resumed."""
    times = RunFailure.objects.filter(
        kind=BROKEN_OFF, at__gte=run.resumed, question__in=in_flight.order_by().values("pk")
    )
    counted = times.order_by().values("question").annotate(n=Count("pk"))
    return counted.filter(n__gte=_MOST_BROKEN_OFF).exists()


def _expiry() -> object:
    return Now() + timedelta(seconds=site.LEASE)
