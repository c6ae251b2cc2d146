"""The Celery task that scores an evaluation.

A message wakes it; it claims the row whose turn it is, and returns quietly if there is none.
Failures become codes of ``FAILURES``; if that cannot be stored either, the lease expires and the
sweeper takes over.
"""

import logging
from datetime import timedelta
from threading import Event

from celery.exceptions import Reject
from celery.signals import worker_init, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, InterfaceError

from portal.celery import app
from portal.errors import ReleaseError
from portal.evaluations.boxes import AttemptFailedError, score_in_boxes
from portal.evaluations.leases import Lease, LeaseLostError
from portal.evaluations.results import store_failure, store_outcome
from portal.evaluations.sandbox import may_score, sandbox
from portal.evaluations.turns import claim_next
from portal.logs.request_ids import for_request
from portal.models import Evaluation, Stage
from portal.queue import SCORE
from portal.storage.folder import StorageUnavailableError
from scoring.sandbox.results_file import ResultsFileError
from scoring.sandbox.run import Boxes

log = logging.getLogger(__name__)
# Set by SIGTERM, in the solo pool, whose tasks run in the worker's own process.
_stopping = Event()


class WorkerStoppingError(Exception):
    """The worker was asked to stop; another one will score the evaluation."""


def score_evaluation(evaluation_id: int) -> None:
    """Score the evaluation whose turn it is, if there is one and if the sandbox holds.

    It need not be the one that the message names. Raises ``DatabaseError`` if the database is
    unreachable (then the lease expires), and ``Reject`` if the worker was asked to stop.
    """
    about = {"evaluation": evaluation_id}
    if _stopping.is_set():
        raise Reject(requeue=True)  # the message goes back to the broker, for another worker
    if not may_score():
        log.error("not scored: %s", sandbox().reason, extra=about)
        return
    lease = claim_next()
    if lease is None:
        log.info("nothing to do", extra=about)
        return
    about = {"evaluation": lease.evaluation_id}
    asked_by = Evaluation.objects.filter(pk=lease.evaluation_id).values_list(
        "request_id", flat=True
    )
    with for_request(asked_by.first() or ""):
        try:
            _run_attempt(lease)
            log.info("attempt %s has ended", lease.attempt, extra=about)
        except LeaseLostError:
            log.warning("attempt %s is too late", lease.attempt, extra=about)
        except WorkerStoppingError:
            lease.release()
            log.info("attempt %s is given back: the worker stops", lease.attempt, extra=about)
            raise Reject(requeue=True) from None
        except StorageUnavailableError as error:
            # Nobody's fault, and it may last: the attempt does not count.
            lease.release(pause=timedelta(seconds=settings.RESEND))
            log.error("the files cannot be reached: %s", error, extra=about)


def _run_attempt(lease: Lease) -> None:
    """One attempt, stored as scores or as a failure. Raises ``LeaseLostError``,
    ``WorkerStoppingError``, ``StorageUnavailableError`` and ``DatabaseError``."""
    try:
        _score_in_boxes(lease)
        return
    except (
        LeaseLostError, WorkerStoppingError, StorageUnavailableError, DatabaseError, InterfaceError,
    ):  # fmt: skip
        raise
    except AttemptFailedError as error:
        code, details = error.code, error.details
    except ResultsFileError as error:
        code, details = "output_invalid", str(error)
    except ReleaseError as error:
        code, details = "labels_invalid", str(error)
    except Exception as error:  # the author is told that it was not their fault
        log.exception("an internal error", extra={"evaluation": lease.evaluation_id})
        code, details = "internal_error", repr(error)
    log.warning("%s: %s", code, details, extra={"evaluation": lease.evaluation_id})
    store_failure(lease, code, details)


def _score_in_boxes(lease: Lease) -> None:
    """Parse the upload, score the rows, store the results."""
    chosen = Evaluation.objects.select_related("submission__release").get(pk=lease.evaluation_id)
    submission = chosen.submission
    about = {"evaluation": chosen.pk, "submission": submission.pk}
    log.info("attempt %s", lease.attempt, extra=about)
    level = sandbox().level

    def watch() -> None:
        if _stopping.is_set():
            raise WorkerStoppingError
        lease.renew()

    boxes = Boxes(level, watch=watch, interval=settings.HEARTBEAT)
    with score_in_boxes(chosen, boxes, lambda: lease.enter(Stage.SCORING)) as found:
        lease.enter(Stage.STORING)
        store_outcome(lease, found.report, found.examples, level=level, contents=found.contents)


def measure_sandbox(**_: object) -> None:
    """Once for each worker, before it forks: its children inherit the result."""
    found = sandbox()
    if may_score():
        log.info("the sandbox is %s: %s", found.level, found.reason)
    else:
        log.critical("NOTHING IS SCORED HERE, the sandbox is %s: %s", found.level, found.reason)


def note_stop(**_: object) -> None:
    """SIGTERM has come: what is being scored is given back at the next heartbeat."""
    _stopping.set()


worker_init.connect(measure_sandbox)
worker_shutting_down.connect(note_stop)
app.task(score_evaluation, name=SCORE)
