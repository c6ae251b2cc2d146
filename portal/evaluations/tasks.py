"""What workers and the sweeper do.

A job takes an id, claims the row, and returns quietly where there is nothing to do. What goes wrong
becomes a code of ``FAILURES``; where even that cannot be written, the lease runs out, and the
sweeper sees to it.
"""

import logging
import shutil
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from itertools import takewhile
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Now

from portal.celery import app
from portal.errors import ReleaseError
from portal.evaluations.leases import Lease, LeaseLostError, claim_evaluation
from portal.evaluations.results import store_failure, store_outcome
from portal.evaluations.sandbox import may_score, sandbox
from portal.models import Evaluation, Submission
from portal.queue import SCORE, enqueue_evaluation
from portal.releases.label_files import labels_of
from portal.states import change_evaluation
from scoring.sandbox.results_file import ResultsFileError, read_examples, read_report
from scoring.sandbox.run import Boxes, BoxResult, read_in_box, score_in_box

_RESENT_AT_ONCE = 100  # messages of one turn of the sweeper: a broker may be slow, or full

log = logging.getLogger(__name__)


class _AttemptFailedError(Exception):
    def __init__(self, code: str, details: str) -> None:
        super().__init__(code)
        self.code, self.details = code, details


def score_evaluation(evaluation_id: int) -> None:
    """Score an evaluation, if it waits and the sandbox holds; otherwise do nothing.

    Raises ``DatabaseError`` where the database is gone: then the lease runs out.
    """
    about = {"evaluation": evaluation_id}
    if not may_score():
        log.error("not scored: %s", sandbox().reason, extra=about)
        return
    lease = claim_evaluation(evaluation_id)
    if lease is None:
        log.info("nothing to do", extra=about)
        return
    try:
        _score(lease)
        log.info("attempt %s is at its end", lease.attempt, extra=about)
    except LeaseLostError:
        log.warning("attempt %s comes too late", lease.attempt, extra=about)


def _score(lease: Lease) -> None:
    """One attempt, and what came of it. Raises ``LeaseLostError`` and ``DatabaseError``."""
    try:
        _run_boxes(lease)
    except _AttemptFailedError as failed:
        _fail(lease, failed.code, failed.details)
    except ResultsFileError as error:
        _fail(lease, "output_invalid", str(error))
    except ReleaseError as error:
        _fail(lease, "labels_invalid", str(error))
    except (LeaseLostError, DatabaseError, InterfaceError):
        raise
    except Exception as error:  # whatever it is, the author is told that it was not their fault
        log.exception("an error of our own", extra={"evaluation": lease.evaluation_id})
        _fail(lease, "internal_error", repr(error))


def _fail(lease: Lease, code: str, details: str) -> None:
    log.warning("%s: %s", code, details, extra={"evaluation": lease.evaluation_id})
    store_failure(lease, code, details)


def _run_boxes(lease: Lease) -> None:
    """Read the upload, score what was read, store what came out."""
    chosen = Evaluation.objects.select_related("submission__release").get(pk=lease.evaluation_id)
    submission = chosen.submission
    about = {"evaluation": chosen.pk, "submission": submission.pk}
    log.info("attempt %s", lease.attempt, extra=about)
    labels = labels_of(submission.release)
    level = sandbox().level
    boxes = Boxes(level, watch=lease.renew, interval=settings.HEARTBEAT)
    with ExitStack() as opened:
        upload = _open_upload(submission, opened)
        read = opened.enter_context(
            read_in_box(boxes, {submission.upload_name: upload}, task=submission.task or None)
        )
        _check(read)
        scored = opened.enter_context(
            score_in_box(
                boxes,
                read.outputs["predictions"],
                labels.files,
                align=chosen.align or None,
                drop_first=submission.drop_first,
                questions=labels.questions,
                compare_labels=not submission.release.hidden,
            )
        )
        _check(scored)
        report = read_report(scored.outputs["report"])
        store_outcome(lease, report, read_examples(scored.outputs["examples"]), level=level)


def _check(result: BoxResult) -> None:
    if not result.ok:
        raise _AttemptFailedError(result.code, result.details)


def _open_upload(submission: Submission, opened: ExitStack) -> BinaryIO:
    """The original bytes as a file of this machine, wherever they are kept."""
    try:
        stored = opened.enter_context(submission.upload.open("rb"))
        stream: BinaryIO = stored.file
        try:
            stream.fileno()
        except (AttributeError, OSError):
            copy = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - closed by the stack
            shutil.copyfileobj(stored, copy)
            copy.seek(0)
            return copy
    except OSError as error:
        raise _AttemptFailedError("upload_lost", str(error)) from error
    return stream


class Swept(NamedTuple):
    """How many evaluations were failed, taken from lost workers, and sent to the queue again."""

    failed: int
    reclaimed: int
    resent: int

    def __bool__(self) -> bool:
        return any(self)


def sweep() -> Swept:
    """Look after what workers and messages have left lying. Any number may do so at once."""
    expired = Evaluation.objects.with_expired_lease()
    failed = change_evaluation(
        "fail",
        expired.without_an_attempt_left(),
        failure="worker_lost",
        finished=Now(),
        lease_until=None,
    )
    returned = _give_back_expired(expired.with_an_attempt_left())
    resent = _resend_lost()
    return Swept(failed, returned, resent)


def _give_back_expired(expired: "QuerySet[Evaluation]") -> int:
    with transaction.atomic():
        ids = list(expired.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows = Evaluation.objects.filter(pk__in=ids)
        change_evaluation("requeue", rows, lease_until=None, enqueued_at=Now())
    for evaluation_id in ids:
        log.warning("its worker was not heard of any more", extra={"evaluation": evaluation_id})
        enqueue_evaluation(evaluation_id)
    return len(ids)


def _resend_lost() -> int:
    """Send again where a message must have been lost, the oldest first."""
    since = Now() - timedelta(seconds=settings.RESEND)
    waiting = Evaluation.objects.queued().annotate(waiting_since=Coalesce("enqueued_at", "created"))
    ids = (
        waiting.filter(waiting_since__lt=since)
        .order_by("waiting_since")
        .values_list("pk", flat=True)
    )
    sent = takewhile(
        bool, map(enqueue_evaluation, ids[:_RESENT_AT_ONCE])
    )  # a broker that is down is not asked on
    return sum(sent)


app.task(score_evaluation, name=SCORE)
