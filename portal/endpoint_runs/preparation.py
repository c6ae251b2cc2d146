"""The Celery task that makes the estimate of a run.

It is not needed to start the run, and a button repeats what a lost message would have done.
"""

import logging

from portal.celery import app
from portal.endpoint_runs.configuration.estimate import estimate_run
from portal.errors import ReleaseError
from portal.models import EndpointRun, RunState
from portal.queue import ESTIMATE, enqueue_estimate, note_estimate_turn

log = logging.getLogger(__name__)


def make_estimate(run_id: str) -> None:
    """Do one turn. Another message follows while something is left to do, or if the settings were
    changed meanwhile."""
    related = EndpointRun.objects.select_related("release", "language_model", "same_questions_as")
    run = related.filter(pk=run_id, state=RunState.DRAFT).first()
    if run is None:  # it has started, or was deleted
        return
    try:
        is_left = estimate_run(run)
    except (OSError, ReleaseError, ValueError):  # unusable settings, or an unreadable context
        log.exception("no estimate", extra={"run": run_id})
        EndpointRun.objects.filter(pk=run.pk).update(estimate={"failed": True})
        is_left = False
    finally:
        note_estimate_turn(run.pk)
    drafts = EndpointRun.objects.filter(pk=run.pk, state=RunState.DRAFT)
    if is_left or drafts.exclude(settings=run.settings, release=run.release).exists():
        enqueue_estimate(run.pk)


app.task(make_estimate, name=ESTIMATE)
