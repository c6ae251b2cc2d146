"""What a single-process worker must do itself: Celery's solo pool has no time limits."""

import signal
import time
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from portal import queue
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


QUEUES = {
    queue.SCORE: "scoring",
    queue.SEND: "mail",
    queue.ESTIMATE: "imports",
    queue.HAND_IN: "imports",
    queue.FETCH: "imports",
    queue.ASK: "runs",
    queue.TEST_CONNECTION: "runs",
}


@pytest.mark.parametrize("task", QUEUES)
def test_each_kind_of_task_has_a_queue(task: str, messages: Path) -> None:
    app.send_task(task, args=[1])
    assert [file.name.split(".")[1] for file in messages.iterdir()] == [QUEUES[task]]


def test_no_task_is_without_a_queue() -> None:
    app.loader.import_default_modules()
    assert {name for name in app.tasks if name.startswith("portal.")} == QUEUES.keys()
