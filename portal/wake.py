"""Tell a worker that an evaluation waits. The row is the job: a lost message loses nothing."""

import logging

from django.db.models.functions import Now

from portal.celery import app
from portal.models import Evaluation

SCORE = "portal.jobs.score_evaluation"  # by its name, so that jobs may call services

log = logging.getLogger(__name__)


def wake(evaluation_id: int) -> bool:
    """Send the message; returns whether the broker took it. Call it after the commit.

    A broker that is down does no harm: the sweeper sends again.
    """
    try:
        app.send_task(SCORE, args=[evaluation_id])
    except Exception as error:  # of any broker's library: the submission is stored, and stays so
        log.warning("no worker could be woken: %r", error, extra={"evaluation": evaluation_id})
        return False
    Evaluation.objects.queued().filter(pk=evaluation_id).update(woken=Now())
    return True
