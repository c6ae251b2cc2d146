"""A clock that is wrong: leases go by the database's, so that no worker's own can do harm."""

import ast
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.db.models.functions import Now

from portal.models import User
from tests.support.paths import ROOT
from tests.support.workers import (
    Worker,
    Workers,
    now,
    returned,
    scored_once,
    slow_submission,
    starts_with,
    workers_in,
)

workers = pytest.fixture(workers_in)

_SHIFTED = """\
import datetime, time
real, shift = datetime.datetime, {hours} * 3600
class OfBoth(type):
    def __instancecheck__(cls, value):
        return isinstance(value, real)
class Shifted(real, metaclass=OfBoth):
    @classmethod
    def now(cls, tz=None):
        return real.now(tz) + datetime.timedelta(seconds=shift)
    @classmethod
    def utcnow(cls):
        return real.utcnow() + datetime.timedelta(seconds=shift)
datetime.datetime = Shifted
real_time = time.time
time.time = lambda: real_time() + shift
time.time_ns = lambda: int(time.time() * 1e9)
"""


def lag(worker: Worker) -> timedelta:
    """By how much the worker's clock is ahead, from its log."""
    written = json.loads(worker.log.read_text().splitlines()[-1])["at"]
    return datetime.fromisoformat(written) - datetime.now(UTC)


def with_wrong_clock(workers: Workers, hours: int, folder: Path) -> Worker:
    worker = workers.start(variables=starts_with(_SHIFTED.format(hours=hours), folder))
    assert abs(lag(worker) - timedelta(hours=hours)) < timedelta(minutes=1)
    return worker


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
@pytest.mark.parametrize("hours", [-1, 1])
def test_a_worker_whose_clock_is_off_by_an_hour_scores_normally(
    alice: User, tmp_path: Path, workers: Workers, hours: int
) -> None:
    worker = with_wrong_clock(workers, hours, tmp_path / "clock")
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    [left] = slow.evaluations.values_list(F("lease_until") - Now(), flat=True)
    assert timedelta(0) < left < timedelta(minutes=1)  # and not an hour more or less
    scored_once(slow, attempt=1)
    evaluation = now(slow)
    assert evaluation.started
    assert evaluation.finished
    assert evaluation.created <= evaluation.started <= evaluation.finished
    assert evaluation.finished - evaluation.created < timedelta(minutes=5)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_the_evaluation_of_a_killed_worker_goes_to_another(
    alice: User, tmp_path: Path, workers: Workers
) -> None:
    worker = with_wrong_clock(workers, 1, tmp_path / "clock")
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    worker.kill()
    returned(slow)
    workers.start()
    scored_once(slow, attempt=2)


# What decides who works on what; results and models are written by it.
_BY_THE_DATABASE = (
    "portal/evaluations/leases.py",
    "portal/evaluations/results.py",
    "portal/evaluations/sweeper.py",
    "portal/evaluations/tasks.py",
    "portal/mail/outbox.py",
    "portal/models/evaluation.py",
    "portal/models/notice.py",
    "portal/queue.py",
    "portal/states.py",
    "portal/submissions/services.py",
)
_CLOCKS = {"time", "timezone", "now", "utcnow", "today", "auto_now", "auto_now_add"}


@pytest.mark.parametrize("module", _BY_THE_DATABASE)
def test_jobs_do_not_depend_on_the_local_clock(module: str) -> None:
    used: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.keyword):
            used.add(node.arg or "")
    assert used & _CLOCKS == set()
