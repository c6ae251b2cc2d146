"""What a worker of one process has to do by itself: Celery's solo pool knows no time limits."""

import signal
import time

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from portal.celery import app, time_limit


def test_a_task_that_takes_too_long_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(SoftTimeLimitExceeded), time_limit(0.01):
        time.sleep(30)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_every_task_has_a_limit_of_its_own_or_the_general_one() -> None:
    limits: list[float] = []

    def left() -> None:
        limits.append(signal.getitimer(signal.ITIMER_REAL)[0])

    app.task(left, name="tests.left", soft_time_limit=40)()
    app.task(left, name="tests.left_by_default")()
    assert [round(limit, -1) for limit in limits] == [40, 420]
