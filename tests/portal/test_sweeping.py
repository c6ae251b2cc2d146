"""The sweeper as a process of its own, and two of them at once."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.functions import Now

from portal.jobs import Swept, sweep
from portal.leases import claim
from portal.models import Evaluation, EvaluationState, Release, User
from tests.conftest import ROOT
from tests.portal.handing_in import hand_in, only_evaluation
from tests.portal.runs import eventually
from tests.portal.workers import environment

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(alice: User, release: Release, messages: Path) -> Evaluation:
    """An evaluation whose worker is not heard of any more; nobody has been woken."""
    evaluation = only_evaluation(hand_in(alice, release, b"{}"))
    assert claim(evaluation.pk)
    Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    for message in messages.iterdir():
        message.unlink()
    return evaluation


@pytest.fixture
def sweeper() -> "Iterator[subprocess.Popen[bytes]]":
    command = [sys.executable, "manage.py", "sweep"]
    variables = environment() | {"SWEEP_SECONDS": "0.1"}
    with subprocess.Popen(command, cwd=ROOT, env=variables) as process:
        yield process
        process.kill()


def test_it_sweeps_turn_after_turn_until_it_is_asked_to_stop(
    lost: Evaluation, sweeper: "subprocess.Popen[bytes]", messages: Path
) -> None:
    for attempt in (2, 3):
        eventually(lambda: list(messages.iterdir()), "a worker to be woken")
        lost.refresh_from_db()
        assert lost.state == EvaluationState.QUEUED
        for message in messages.iterdir():
            message.unlink()
        lease = claim(lost.pk)
        assert lease
        assert lease.attempt == attempt
        Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    eventually(lambda: Evaluation.objects.filter(failure="worker_lost").exists(), "the end")
    sweeper.send_signal(signal.SIGTERM)
    assert sweeper.wait(10) == 0


def test_two_sweepers_at_once_do_it_once(lost: Evaluation, messages: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: _swept_in_a_thread(), range(4)))
    assert sum(one.returned for one in found) == 1
    assert len(list(messages.iterdir())) == 1
    lost.refresh_from_db()
    assert (lost.state, lost.attempt) == (EvaluationState.QUEUED, 1)


def _swept_in_a_thread() -> Swept:
    try:
        return sweep()
    finally:
        connection.close()  # that of this thread


def test_many_claim_at_once_and_one_gets_it(lost: Evaluation) -> None:
    with ThreadPoolExecutor(5) as pool:
        leases = list(pool.map(lambda _: _claimed_in_a_thread(lost.pk), range(5)))
    assert [lease for lease in leases if lease] == [2]


def _claimed_in_a_thread(evaluation_id: int) -> int | None:
    try:
        lease = claim(evaluation_id)
        return lease.attempt if lease else None
    finally:
        connection.close()
