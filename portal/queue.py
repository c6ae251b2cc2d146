"""Sends the messages that start tasks. The row is the job: a lost message loses nothing."""

import logging
from collections.abc import Iterable
from itertools import takewhile
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.db.models.functions import Now

from portal.celery import app
from portal.logs.request_ids import current_request_id
from portal.models import Evaluation, HubFetch, RunSlice

# Tasks go by name, so that services need not import them: tasks call services.
SCORE = "portal.evaluations.tasks.score_evaluation"
SEND = "portal.mail.tasks.send_notice"
ASK = "portal.endpoint_runs.tasks.ask_slice"
HAND_IN = "portal.endpoint_runs.tasks.hand_in_run"
ESTIMATE = "portal.endpoint_runs.preparation.make_estimate"
TEST_CONNECTION = "portal.endpoint_runs.preparation.test_connection"
FETCH = "portal.hub.tasks.fetch_submission"

_ESTIMATE_LOST = 300  # seconds after which a message counts as lost

log = logging.getLogger(__name__)


def enqueue_evaluation_on_commit(evaluation_id: int) -> None:
    """Enqueue the evaluation once workers can see its row.

    By then it is stored, so the request succeeds whatever happens to the message.
    """
    transaction.on_commit(lambda: enqueue_evaluation(evaluation_id), robust=True)


def enqueue_evaluation(evaluation_id: int) -> bool:
    """Send the message; returns whether the broker took it. Call it after the commit.

    Where the broker is down, the sweeper sends it later.
    """
    if not _send(SCORE, evaluation_id):
        return False
    Evaluation.objects.queued().filter(pk=evaluation_id).update(enqueued_at=Now())
    return True


def enqueue_mails(ids: Iterable[int]) -> int:
    """Send a message for each mail, until the broker fails once. Returns how many were sent."""
    return sum(takewhile(bool, (_send(SEND, notice_id) for notice_id in ids)))


def enqueue_slices_on_commit(run_id: UUID) -> None:
    """Enqueue the slices of a run that wait for a worker, once workers can see them."""
    transaction.on_commit(lambda: enqueue_slices(run_id), robust=True)


def enqueue_slices(run_id: UUID) -> int:
    """Send a message for each, until the broker fails once. Call it after the commit.

    Returns how many were sent; the sweeper sends the others later.
    """
    waiting = RunSlice.objects.claimable().filter(run=run_id)
    return sum(takewhile(bool, map(enqueue_slice, waiting)))


def enqueue_slice(part: RunSlice) -> bool:
    if not _send(ASK, str(part.run_id)):
        return False
    RunSlice.objects.filter(pk=part.pk).update(enqueued_at=Now())
    return True


def enqueue_hand_in_on_commit(run_id: UUID) -> None:
    transaction.on_commit(lambda: enqueue_hand_in(run_id), robust=True)


def enqueue_hand_in(run_id: UUID) -> bool:
    return _send(HAND_IN, str(run_id))


def enqueue_estimate_on_commit(run_id: UUID) -> None:
    transaction.on_commit(lambda: enqueue_estimate(run_id), robust=True)


def enqueue_estimate(run_id: UUID) -> bool:
    """If the message is lost, a button of the page sends another one, but only after a while: each
    keeps a worker until the estimate is made, and other jobs wait in the same queue."""
    if not cache.add(_estimate_key(run_id), True, _ESTIMATE_LOST):
        return True  # a message is on its way
    if _send(ESTIMATE, str(run_id)):
        return True
    note_estimate_turn(run_id)
    return False


def note_estimate_turn(run_id: UUID) -> None:
    """The message has done what it was sent for: another may be sent."""
    cache.delete(_estimate_key(run_id))


def _estimate_key(run_id: UUID) -> str:
    return f"estimate-message/{run_id}"


def enqueue_connection_test_on_commit(run_id: UUID) -> None:
    transaction.on_commit(lambda: _send(TEST_CONNECTION, str(run_id)), robust=True)


def enqueue_fetch_on_commit(fetch_id: UUID) -> None:
    transaction.on_commit(lambda: enqueue_fetch(fetch_id), robust=True)


def enqueue_fetch(fetch_id: UUID) -> bool:
    if not _send(FETCH, str(fetch_id)):
        return False
    HubFetch.objects.filter(pk=fetch_id).update(enqueued_at=Now())
    return True


_LOG_FIELDS = {  # that the row of a task is logged as; “run” for all others
    SCORE: "evaluation", SEND: "notice", FETCH: "hub_job",
}  # fmt: skip


def _send(task: str, row_id: int | str) -> bool:
    try:
        app.send_task(task, args=[row_id], headers={"request": current_request_id()})
    except Exception as error:  # of any broker's client library; the row is stored anyway
        row = {_LOG_FIELDS.get(task, "run"): row_id}
        log.warning("the broker took no message: %r", error, extra=row)
        return False
    return True
