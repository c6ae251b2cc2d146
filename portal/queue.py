"""Sends the messages that start tasks. The row is the job: a lost message loses nothing."""

import logging
from collections.abc import Iterable
from itertools import takewhile

from django.db import transaction
from django.db.models.functions import Now

from portal.celery import app
from portal.models import Evaluation

# Tasks go by name, so that services need not import them: tasks call services.
SCORE = "portal.evaluations.tasks.score_evaluation"
SEND = "portal.mail.tasks.send_notice"

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
    if not _is_sent(SCORE, evaluation_id):
        return False
    Evaluation.objects.queued().filter(pk=evaluation_id).update(enqueued_at=Now())
    return True


def enqueue_mails(ids: Iterable[int]) -> int:
    """Send a message for each mail, until the broker fails once. Returns how many were sent."""
    return sum(takewhile(bool, (_is_sent(SEND, notice_id) for notice_id in ids)))


def _is_sent(task: str, row_id: int) -> bool:
    try:
        app.send_task(task, args=[row_id])
    except Exception as error:  # of whichever broker's client library: the row is stored anyway
        about = {"evaluation": row_id} if task == SCORE else {"notice": row_id}
        log.warning("the broker took no message: %r", error, extra=about)
        return False
    return True
