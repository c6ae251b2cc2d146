"""Heartbeats of workers: every quarter of a minute, and before and after each job; a worker that
ends signs out."""

import logging
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any

from celery import bootsteps
from celery.signals import task_postrun, task_prerun, worker_shutdown
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from portal.celery import app
from portal.evaluations.sandbox import sandbox
from portal.heartbeats import beat, sign_out
from portal.models import HeartbeatKind

log = logging.getLogger(__name__)
_worker: dict[str, Any] = {}  # of this process, once it is a worker that consumes
_GRACE = 60.0  # seconds that a job may take beyond its limit


class Job:
    """Beats while a job occupies the main thread, for which Celery's timer waits. A job that hangs
    beyond its limit falls silent."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name, self._end = name, monotonic() + seconds + _GRACE
        self._has_ended = Event()
        self._thread = Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while monotonic() < self._end and not self._has_ended.wait(3 * settings.HEARTBEAT):
            beat_as_worker(self._name)

    def end(self) -> None:
        self._has_ended.set()
        self._thread.join()


_jobs: list[Job] = []  # one at most: the solo pool has one thread


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
        self.timer = consumer.timer.call_repeatedly(3 * settings.HEARTBEAT, beat_as_worker)

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
        if current_thread() is not main_thread():  # that of a ``Job``: nothing else closes it
            connection.close()


def beat_before(task: Any = None, **_: object) -> None:  # noqa: ANN401 - Celery is untyped
    name = getattr(task, "name", "")
    beat_as_worker(name)
    if _worker:
        limit = getattr(task, "soft_time_limit", None) or settings.CELERY_TASK_SOFT_TIME_LIMIT
        _jobs.append(Job(name, limit))


def beat_after(**_: object) -> None:
    while _jobs:
        _jobs.pop().end()
    beat_as_worker()


def leave(**_: object) -> None:
    """A worker that was asked to stop is not missed; one that was killed is."""
    try:
        if _worker:
            sign_out(_worker["name"])
    except (DatabaseError, InterfaceError) as error:
        log.warning("not signed out: %s", error)


app.steps["consumer"].add(BeatingConsumer)
task_prerun.connect(beat_before)
task_postrun.connect(beat_after)
worker_shutdown.connect(leave)
