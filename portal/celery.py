"""The Celery application, for the worker: ``celery -A portal.celery worker --pool solo``."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from celery import Celery, Task
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

from portal.logs.request_ids import for_request

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # of pages, which no worker needs to load


class TimedTask(Task):  # type: ignore[misc]  # Celery is untyped
    """Enforces the soft time limit itself: the solo pool, which runs tasks in the worker's own
    process, ignores it. Log lines have the number of the request that sent the task."""

    abstract = True

    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as in Celery
        limit = self.soft_time_limit or self.app.conf.task_soft_time_limit
        request_id = str((self.request.headers or {}).get("request") or "")
        with for_request(request_id), time_limit(limit):
            return super().__call__(*arguments, **named)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``SoftTimeLimitExceeded`` in the block once its time is over. Main thread only."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SoftTimeLimitExceeded(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def leave_logging_alone(**_: object) -> None:
    """With a receiver, Celery does not set the root logger to its own level, which would drop our
    info lines."""


# By the name in CELERY_BROKER_URL.
TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "portal.brokers.redis:Transport"))
setup_logging.connect(leave_logging_alone)
app = Celery("portal", task_cls=TimedTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
