"""The Celery task that uses the Hub. Messages only wake workers: the rows are the jobs."""

from threading import Event
from uuid import UUID

from celery.exceptions import Reject
from celery.signals import worker_shutting_down

from portal.celery import app
from portal.hub import fetching
from portal.queue import FETCH

# Set by SIGTERM, in the solo pool, whose tasks run in the worker's own process.
_stopping = Event()


def fetch_submission(fetch_id: str) -> None:
    """Raises ``DatabaseError`` if the connection to the database is lost: then the lease expires;
    and ``Reject`` if the worker was asked to stop."""
    if _stopping.is_set():
        raise Reject(requeue=True)  # the message goes back to the broker, for another worker
    fetching.fetch_submission(UUID(fetch_id), _stopping.is_set)


def note_stop(**_: object) -> None:
    """SIGTERM has arrived: a fetch in progress is given back after its next step."""
    _stopping.set()


worker_shutting_down.connect(note_stop)
app.task(fetch_submission, name=FETCH)
