"""The Celery tasks of endpoint runs. Messages only wake workers: the rows are the job."""

from threading import Event
from uuid import UUID

from celery.exceptions import Reject
from celery.signals import worker_shutting_down

from portal.celery import app
from portal.endpoint_runs import submissions, worker
from portal.queue import ASK, HAND_IN, TEST_CONNECTION

_YEAR = 365 * 24 * 3_600  # seconds: runs have caps and leases of their own
# Set by SIGTERM, in the solo pool, whose tasks run in the worker's own process.
_stopping = Event()


def ask_endpoints(row_id: str) -> None:
    """Ask for all runs and connection tests that are due, until none is left; the row
    that the message names need not be among them.

    Raises ``DatabaseError`` if the database is unreachable (then the leases expire), and ``Reject``
    if the worker was asked to stop.
    """
    if _stopping.is_set():
        raise Reject(requeue=True)  # the message goes back to the broker, for another worker
    worker.work(_stopping.is_set)


def submit_run(run_id: str) -> None:
    """Submit the answers of a run that has ended."""
    submissions.submit_run(UUID(run_id))


def note_stop(**_: object) -> None:
    """SIGTERM has come: the slices are given back within seconds."""
    _stopping.set()


worker_shutting_down.connect(note_stop)
for name in (ASK, TEST_CONNECTION):
    app.task(ask_endpoints, name=name, soft_time_limit=_YEAR, time_limit=_YEAR)
app.task(submit_run, name=HAND_IN)
