"""Tell a worker that a job waits. The row is the job: a lost message loses nothing."""

import logging
from collections.abc import Iterable
from itertools import takewhile

from django.db import transaction
from django.db.models.functions import Now

from portal.celery import app
from portal.models import Evaluation

# By their names, so that jobs may call services.
SCORE = "portal.evaluations.tasks.score_evaluation"
SEND = "portal.evaluations.tasks.send_notice"

log = logging.getLogger(__name__)


def wake_after_commit(evaluation_id: int) -> None:
    """Wake a worker as soon as the evaluation can be seen.

    What is stored by then is stored: whatever happens to the message, the request does not fail.
    """
    transaction.on_commit(lambda: wake(evaluation_id), robust=True)


def wake(evaluation_id: int) -> bool:
    """Send the message; returns whether the broker took it. Call it after the commit.

    A broker that is down does no harm: the sweeper sends again.
    """
    if not _is_sent(SCORE, evaluation_id):
        return False
    Evaluation.objects.queued().filter(pk=evaluation_id).update(woken=Now())
    return True


def wake_for_notices(ids: Iterable[int]) -> int:
    """The same for mail. Returns how many messages there were: a broker that is down is not asked
    on."""
    return sum(takewhile(bool, (_is_sent(SEND, notice_id) for notice_id in ids)))


def _is_sent(job: str, row_id: int) -> bool:
    try:
        app.send_task(job, args=[row_id])
    except Exception as error:  # of any broker's library: the row is stored, and stays so
        about = {"evaluation": row_id} if job == SCORE else {"notice": row_id}
        log.warning("no worker could be woken: %r", error, extra=about)
        return False
    return True
