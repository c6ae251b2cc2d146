"""Faults, with real processes: at the end it is scored exactly once, or has failed with a reason.

Here what happens to workers, boxes and the database; the broker, full disks, memory and clocks
have their own modules.
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from portal.celery import app
from portal.demo.postgres import DATABASE, Server, prepared
from portal.models import ATTEMPTS, EvaluationState, Submission, User
from portal.queue import SCORE
from tests.support.databases import open_folder
from tests.support.factories import make_submission
from tests.support.processes import DEADLINE, eventually, gone
from tests.support.workers import (
    Worker,
    Workers,
    eventually_in,
    now,
    quick_submission,
    resend_message,
    returned,
    scored_once,
    slow_submission,
    workers_in,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)
place = pytest.fixture(open_folder)


@pytest.fixture
def slow(alice: User, tmp_path: Path) -> Submission:
    return slow_submission(alice, tmp_path)


@pytest.fixture
def quick(alice: User, tmp_path: Path) -> Submission:
    return quick_submission(alice, tmp_path)


def test_the_worker_is_killed_while_scoring(slow: Submission, workers: Workers) -> None:
    worker = workers.start()
    boxes = worker.at_work()
    worker.kill()
    eventually(lambda: all(map(gone, boxes)), "the end of its boxes")
    assert now(slow).state == EvaluationState.RUNNING
    returned(slow)
    workers.start()
    scored_once(slow, attempt=2)


def test_the_process_that_watches_the_box_is_killed(slow: Submission, workers: Workers) -> None:
    """As by a kernel that is out of memory. The worker itself lives, and makes a new one."""
    worker = workers.start()
    boxes = worker.at_work()
    [child] = worker.children()
    os.kill(child, signal.SIGKILL)
    eventually(lambda: all(map(gone, boxes)), "the end of its boxes")
    returned(slow)
    scored_once(slow, attempt=2)


def test_the_box_is_killed(slow: Submission, workers: Workers) -> None:
    worker = workers.start()
    for box in worker.at_work():
        os.kill(box, signal.SIGKILL)
    scored_once(slow, attempt=2)


def test_the_worker_is_killed_between_the_scores_and_the_commit(
    quick: Submission, workers: Workers
) -> None:
    with closing(psycopg.connect(**connection.get_connection_params())) as other:
        other.execute("LOCK TABLE portal_taskscore IN SHARE MODE")
        worker = workers.start()
        eventually(lambda: _somebody_waits(other), "a worker that wants to store scores")
        worker.kill()
        other.rollback()
    assert not now(quick).example_results.exists()
    returned(quick)
    workers.start()
    scored_once(quick, attempt=2)


def _somebody_waits(session: "psycopg.Connection[tuple[object, ...]]") -> bool:
    cursor = session.execute("SELECT FROM pg_locks WHERE NOT granted")
    return cursor.fetchone() is not None


def test_five_deliveries_at_once(quick: Submission, workers: Workers, messages: Path) -> None:
    for _ in range(4):
        app.send_task(SCORE, args=[now(quick).pk])
    assert len(list(messages.iterdir())) == 5
    worker = workers.start(concurrency=4)
    scored_once(quick, attempt=1)
    eventually(lambda: worker.log.read_text().count("succeeded") == 5, "all five to be taken")
    scored_once(quick, attempt=1)


def test_the_message_is_lost(quick: Submission, workers: Workers, messages: Path) -> None:
    [message] = messages.iterdir()
    message.unlink()
    workers.start()
    resend_message(quick)
    scored_once(quick, attempt=1)


def test_a_poison_file_fails_after_three_attempts_and_the_next_is_scored(
    slow: Submission, quick: Submission, workers: Workers
) -> None:
    """A file that ends the box whenever it is read: here by our hand."""
    worker = workers.start()
    for attempt in (1, 2, 3):
        _end_the_box_of(slow, attempt, worker)
        if attempt == 2:  # the third attempt waits for the sweeper
            scored_once(quick, attempt=1)
            resend_message(slow)
    evaluation = eventually_in(slow, EvaluationState.FAILED)
    assert (evaluation.failure, evaluation.attempt) == ("scorer_killed", 3)
    assert not evaluation.example_results.exists()


def _end_the_box_of(submission: Submission, attempt: int, worker: Worker) -> None:
    def killed() -> bool:
        evaluation = now(submission)
        if (evaluation.attempt, evaluation.state) == (attempt, EvaluationState.RUNNING):
            for box in worker.boxes():
                os.kill(box, signal.SIGKILL)
        return evaluation.attempt == attempt and evaluation.state != EvaluationState.RUNNING

    eventually(killed, "the end of a box")


def test_the_late_result_of_a_stopped_worker_is_refused(slow: Submission, workers: Workers) -> None:
    first = workers.start()
    first.at_work()
    first.send(signal.SIGSTOP)
    returned(slow)
    workers.start()
    scored_once(slow, attempt=2)
    before = list(now(slow).task_scores.values_list("pk", flat=True))
    first.send(signal.SIGCONT)
    eventually(lambda: first.has_said("attempt 1 is too late"), "a late result")
    scored_once(slow, attempt=2)
    assert list(now(slow).task_scores.values_list("pk", flat=True)) == before


def test_a_worker_that_is_asked_to_stop_finishes_what_it_has(
    slow: Submission, workers: Workers
) -> None:
    worker = workers.start()
    worker.at_work()
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(DEADLINE) == 0
    scored_once(slow, attempt=1)


def test_a_worker_of_one_process_that_is_asked_to_stop_gives_its_work_back(
    slow: Submission, workers: Workers
) -> None:
    first = workers.start(concurrency=None)
    boxes = first.at_work()
    first.process.send_signal(signal.SIGTERM)
    assert first.process.wait(DEADLINE) == 0
    eventually(lambda: all(map(gone, boxes)), "the end of its boxes")
    left = now(slow)
    assert (left.state, left.attempt) == (EvaluationState.QUEUED, 1)
    assert left.attempts_allowed == ATTEMPTS + 1
    workers.start(concurrency=None)
    scored_once(slow, attempt=2)


def test_an_idle_worker_of_one_process_ends_at_once(workers: Workers) -> None:
    worker = workers.start(concurrency=None)
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(DEADLINE) == 0


def test_two_workers_never_score_the_same(
    alice: User, bob: User, tmp_path: Path, workers: Workers
) -> None:
    found = [quick_submission(alice, tmp_path)]
    found += [make_submission(owner, found[0].release, b"{}") for owner in [alice, bob] * 3]
    both = [workers.start(concurrency=None) for _ in range(2)]
    for submission in found[1:]:
        assert eventually_in(submission, EvaluationState.FAILED).attempt == 1
    scored_once(found[0], attempt=1)

    def ended() -> int:  # each is logged after its commit
        return sum(worker.log.read_text().count("attempt 1 has ended") for worker in both)

    eventually(lambda: ended() >= len(found), "the ends of all attempts in the logs")
    assert ended() == len(found)


def test_a_killed_idle_worker_stops_no_other(alice: User, tmp_path: Path, workers: Workers) -> None:
    """Children of one worker would wait for ever for a lock that the dead one holds."""
    killed, others = workers.start(concurrency=None), workers.start(concurrency=None)
    killed.kill()
    scored_once(quick_submission(alice, tmp_path), attempt=1)
    eventually(lambda: others.has_said("attempt 1 has ended"), "the end of the attempt in the log")
    lines = [json.loads(line) for line in others.log.read_text().splitlines() if line[:1] == "{"]
    assert ("info", "attempt 1 has ended") in {(line["level"], line["message"]) for line in lines}


# The database


@pytest.fixture
def own_server(
    transactional_db: None, place: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """A server of this test alone, which is killed; the site works on it meanwhile."""
    with prepared(place / "state", durable=False) as server:
        connection.close()
        for name, value in (("HOST", str(server.sockets)), ("NAME", DATABASE)):
            monkeypatch.setitem(connection.settings_dict, name, value)
        yield server
        connection.close()


def test_the_database_is_killed_while_scoring(
    own_server: Server, workers: Workers, tmp_path: Path
) -> None:
    server = own_server.start()
    try:
        call_command("migrate", verbosity=0)
        alice = User.objects.create_user("alice")
        slow = slow_submission(alice, tmp_path)
        workers.start().at_work()
        server.kill()
        server.wait()
        connection.close()
        server = own_server.start()
        assert now(slow).state == EvaluationState.RUNNING
        returned(slow)
        evaluation = eventually_in(slow, EvaluationState.SCORED)
        scored_once(slow, evaluation.attempt)
    finally:
        connection.close()
        server.kill()
        server.wait()
