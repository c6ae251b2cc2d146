"""The Celery tasks of endpoint runs. Messages only wake workers: the rows are the job."""

import logging
from threading import Event
from uuid import UUID

from celery.exceptions import Reject
from celery.signals import worker_shutting_down

from portal.celery import app
from portal.endpoint_runs import submissions
from portal.endpoint_runs.asking.slices import LeaseLostError, claim_slice
from portal.endpoint_runs.asking.turns import ask_slice as ask
from portal.queue import ASK, HAND_IN

_YEAR = 365 * 24 * 3_600  # seconds: runs have caps and leases of their own

log = logging.getLogger(__name__)
# Set by SIGTERM, in the solo pool, whose tasks run in the worker's own process.
_stopping = Event()


def ask_slice(run_id: str) -> None:
    """Ask for the run whose turn it is, which need not be the one that the message names.

    Raises ``DatabaseError`` if the database is unreachable (then the lease expires), and ``Reject``
    if the worker was asked to stop.
    """
    if _stopping.is_set():
        raise Reject(requeue=True)  # the message goes back to the broker, for another worker
    claim = claim_slice()
    if claim is None:
        log.info("nothing to do", extra={"run": run_id})
        return
    about = {"run": str(claim.lease.run_id)}
    log.info("slice %s: %s at once", claim.lease.number, claim.width, extra=about)
    try:
        ask(claim, _stopping.is_set)
    except LeaseLostError:
        log.warning("slice %s was given to another worker", claim.lease.number, extra=about)
    else:
        log.info("slice %s is given back", claim.lease.number, extra=about)


def submit_run(run_id: str) -> None:
    """Submit the answers of a run that has ended."""
    submissions.submit_run(UUID(run_id))


def note_stop(**_: object) -> None:
    """SIGTERM has come: the slice is given back within seconds."""
    _stopping.set()


worker_shutting_down.connect(note_stop)
app.task(ask_slice, name=ASK, soft_time_limit=_YEAR, time_limit=_YEAR)
app.task(submit_run, name=HAND_IN)
