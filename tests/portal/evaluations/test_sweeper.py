"""The sweeper as a process of its own, two of them at once, and its other chores."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from portal.evaluations.leases import claim_evaluation
from portal.evaluations.sweeper import Swept, sweep
from portal.evaluations.word_index import merge_words
from portal.management.commands import sweep as command
from portal.models import Evaluation, EvaluationState, Release, User
from portal.submissions.files.originals import UPLOADS
from tests.support.environments import environment
from tests.support.example_results import add_results
from tests.support.factories import make_submission, only_evaluation
from tests.support.paths import ROOT
from tests.support.processes import DEADLINE, eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(alice: User, release: Release, messages: Path) -> Evaluation:
    """An evaluation whose worker was lost; no new message has been sent."""
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    assert claim_evaluation(evaluation.pk)
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


def test_it_sweeps_repeatedly_until_it_is_stopped(
    lost: Evaluation, sweeper: "subprocess.Popen[bytes]", messages: Path
) -> None:
    for attempt in (2, 3):
        eventually(lambda: list(messages.glob("*.msg")), "a message")
        lost.refresh_from_db()
        assert lost.state == EvaluationState.QUEUED
        for message in messages.glob("*.msg"):  # not drafts, which become messages
            message.unlink()
        lease = claim_evaluation(lost.pk)
        assert lease
        assert lease.attempt == attempt
        Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    eventually(lambda: Evaluation.objects.filter(failure="worker_lost").exists(), "the end")
    sweeper.send_signal(signal.SIGTERM)
    assert sweeper.wait(DEADLINE) == 0


def test_concurrent_sweepers_do_each_chore_once(lost: Evaluation, messages: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: _swept_in_a_thread(), range(4)))
    assert sum(one.reclaimed for one in found) == 1
    assert len(list(messages.iterdir())) == 1
    lost.refresh_from_db()
    assert (lost.state, lost.attempt) == (EvaluationState.QUEUED, 1)


def _swept_in_a_thread() -> Swept:
    try:
        return sweep()
    finally:
        connection.close()  # this thread's connection


def test_of_concurrent_claims_one_succeeds(lost: Evaluation) -> None:
    with ThreadPoolExecutor(5) as pool:
        leases = list(pool.map(lambda _: _claimed_in_a_thread(lost.pk), range(5)))
    assert [lease for lease in leases if lease] == [2]


def _claimed_in_a_thread(evaluation_id: int) -> int | None:
    try:
        lease = claim_evaluation(evaluation_id)
        return lease.attempt if lease else None
    finally:
        connection.close()


# Other chores


def old_orphan() -> str:
    name = default_storage.save(f"{UPLOADS}/orphan", ContentFile(b"of a process that was killed"))
    os.utime(default_storage.path(name), (0, 0))
    return name


def old_session() -> Session:
    return Session.objects.create(session_key="old", expire_date=Now() - timedelta(days=1))


@pytest.mark.usefixtures("lost")
def test_one_turn_also_removes_orphaned_files_and_expired_sessions() -> None:
    name = old_orphan()
    old_session()
    call_command("sweep", "--once")
    assert not default_storage.exists(name)
    assert not Session.objects.exists()
    assert Evaluation.objects.get().state == EvaluationState.QUEUED


def test_a_failing_chore_does_not_stop_the_others(
    lost: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> object:
        raise DatabaseError("no such table")

    broken = command.Chore("broken", fails)
    monkeypatch.setattr(command, "CHORES", (broken, *command.CHORES))
    with pytest.raises(CommandError, match="broken"):
        call_command("sweep", "--once")
    lost.refresh_from_db()
    assert lost.state == EvaluationState.QUEUED


def test_infrequent_chores_are_not_done_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    chores = (
        command.Chore("each turn", lambda: done.append("each turn")),
        command.Chore("each day", lambda: done.append("each day"), every=86_400.0),
    )
    monkeypatch.setattr(command, "CHORES", chores)
    due: dict[str, float] = {}
    for _ in range(3):
        assert command.turn(due) == []
    assert done == ["each turn", "each day", "each turn", "each turn"]


def test_words_that_were_noted_are_merged(alice: User, release: Release) -> None:
    merge_words()
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    add_results(evaluation, {"passkey": 3}, "the answer")
    assert merge_words() > 0
    assert merge_words() == 0
