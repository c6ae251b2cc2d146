"""Workers that say every half minute, and before and after each job, that they are there."""

import logging
from threading import current_thread, main_thread
from typing import Any

from celery import bootsteps
from celery.signals import task_postrun, task_prerun
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from portal.celery import app
from portal.evaluations.sandbox import sandbox
from portal.heartbeats import beat
from portal.models import HeartbeatKind

log = logging.getLogger(__name__)
_worker: dict[str, Any] = {}  # of this process, once it is a worker that consumes


class BeatingConsumer(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery is untyped
    """A step of Celery's consumer, whose timer runs while it waits for messages: a worker that has
    lost its broker, or whose process hangs, falls silent."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, _consumer: object, **_: object) -> None:
        self.timer: Any = None

    def start(self, consumer: Any) -> None:  # noqa: ANN401 - Celery is untyped
        found = sandbox()
        _worker.update(
            name=str(consumer.hostname),
            queues=sorted(consumer.app.amqp.queues.consume_from),
            sandbox=found.level,
            details=found.reason[:500],
        )
        beat_as_worker()
        self.timer = consumer.timer.call_repeatedly(6 * settings.HEARTBEAT, beat_as_worker)

    def stop(self, _consumer: object) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None


def beat_as_worker(job: str = "") -> None:
    """A database that is down stops no worker: its jobs find that out by themselves."""
    if not _worker:
        return
    try:
        close_old_connections()
        beat(HeartbeatKind.WORKER, job=job[-100:], **_worker)
    except (DatabaseError, InterfaceError) as error:
        log.warning("no heartbeat: %s", error)
    finally:
        if current_thread() is not main_thread():  # a timer's, which has nothing else to ask
            connection.close()


def beat_before(task: Any = None, **_: object) -> None:  # noqa: ANN401 - Celery is untyped
    beat_as_worker(getattr(task, "name", ""))


def beat_after(**_: object) -> None:
    beat_as_worker()


app.steps["consumer"].add(BeatingConsumer)
task_prerun.connect(beat_before)
task_postrun.connect(beat_after)
