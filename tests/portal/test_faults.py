"""Faults, with real processes: at the end it is scored exactly once, or has failed with a reason.

A slow upload keeps a box busy for about a second, so that it can be met at its work.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now

from portal.celery import app
from portal.cluster import Server
from portal.embedded import prepared
from portal.jobs import sweep
from portal.models import Evaluation, EvaluationState, Release, Submission, User
from portal.releases import import_release
from portal.wake import SCORE
from tests.portal.databases import open_folder, quiet
from tests.portal.handing_in import hand_in, only_evaluation, packed, packed_folder
from tests.portal.runs import eventually, gone
from tests.portal.workers import Worker, Workers, slow_words, workers_in
from tests.scoring.worlds import write_rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)
place = pytest.fixture(open_folder)
TASK, EXAMPLES = "longbook_qa_eng", 12


@pytest.fixture(scope="module")
def slow_upload() -> bytes:
    rows = [{"id": key, "prediction": slow_words(key, 200_000)} for key in range(EXAMPLES)]
    return packed({f"preds_{TASK}.jsonl": "\n".join(map(json.dumps, rows)).encode()})


def slow_release(folder: Path) -> Release:
    rows = [{"id": key, "answer": ["the forest", "an eagle"]} for key in range(EXAMPLES)]
    write_rows(folder / "slow" / f"{TASK}.jsonl", rows)
    return import_release(folder / "slow", slug="slow", title="Slow")


@pytest.fixture
def slow(alice: User, tmp_path: Path, slow_upload: bytes) -> Submission:
    return hand_in(alice, slow_release(tmp_path), slow_upload)


@pytest.fixture
def quick(alice: User, world: Path) -> Submission:
    write_rows(world / "preds" / "preds_passkey.jsonl", [{"id": 0, "prediction": "00000"}])
    release = import_release(world / "gold", slug="small", title="Small")
    return hand_in(alice, release, packed_folder(world / "preds"))


def now(submission: Submission) -> Evaluation:
    return only_evaluation(submission)


def eventually_in(submission: Submission, state: EvaluationState) -> Evaluation:
    eventually(lambda: now(submission).state == state, f"{state}, not {now(submission).state}")
    return now(submission)


def scored_once(submission: Submission, attempt: int) -> None:
    """It is scored, by this attempt, and every score and result is there once."""
    evaluation = eventually_in(submission, EvaluationState.SCORED)
    assert evaluation.attempt == attempt
    tasks = dict(evaluation.task_scores.values_list("task", "size"))
    assert evaluation.task_scores.count() == 3 * len(tasks)
    assert evaluation.example_results.count() == sum(tasks.values())


def at_work(worker: Worker) -> set[int]:
    """The boxes of a worker, as soon as there are any."""
    eventually(worker.boxes, "a box")
    return worker.boxes()


def swept(until: Callable[[], object]) -> None:
    """Sweep until it has come about, as the sweeper does."""

    def turn() -> object:
        sweep()
        return until()

    eventually(turn, "something to sweep")


def returned(submission: Submission) -> None:
    """Its lease runs out, and it waits again."""
    attempt = now(submission).attempt
    swept(
        lambda: (
            now(submission).state != EvaluationState.RUNNING or now(submission).attempt > attempt
        )
    )


def long_ago(submission: Submission) -> None:
    """Nobody has been told of it for a long time."""
    past = Now() - timedelta(hours=1)
    submission.evaluations.update(created=past, woken=past)


def test_the_worker_is_killed_while_scoring(slow: Submission, workers: Workers) -> None:
    worker = workers.start()
    boxes = at_work(worker)
    worker.kill()
    eventually(lambda: all(map(gone, boxes)), "the end of its boxes")
    assert now(slow).state == EvaluationState.RUNNING
    returned(slow)
    workers.start()
    scored_once(slow, attempt=2)


def test_the_box_is_killed(slow: Submission, workers: Workers) -> None:
    worker = workers.start()
    for box in at_work(worker):
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
    long_ago(quick)
    assert sweep() == (0, 0, 1)
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
            long_ago(slow)
            assert sweep() == (0, 0, 1)
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
    at_work(first)
    first.send(signal.SIGSTOP)
    returned(slow)
    workers.start()
    scored_once(slow, attempt=2)
    before = list(now(slow).task_scores.values_list("pk", flat=True))
    first.send(signal.SIGCONT)
    eventually(lambda: first.has_said("attempt 1 comes too late"), "a late result")
    scored_once(slow, attempt=2)
    assert list(now(slow).task_scores.values_list("pk", flat=True)) == before


def test_a_worker_that_is_asked_to_stop_finishes_what_it_has(
    slow: Submission, workers: Workers
) -> None:
    worker = workers.start()
    at_work(worker)
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(30) == 0
    scored_once(slow, attempt=1)


# The database


@pytest.fixture
def own_server(
    transactional_db: None, place: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """A server of this test alone, which is killed; the site works on it meanwhile."""
    with prepared(place / "state", durable=False, tell=quiet) as server:
        connection.close()
        where = server.connection
        for name, value in (("HOST", where.host), ("NAME", where.dbname)):
            monkeypatch.setitem(connection.settings_dict, name, value)
        yield server
        connection.close()


def started(server: Server, log: Path) -> "subprocess.Popen[bytes]":
    server.clear_left_overs()
    with log.open("ab") as output:
        child = server.spawn(server.argv, output, death_signal=signal.SIGQUIT)
    eventually(lambda: server.is_ready(child.pid), "the database")
    return child


def test_the_database_is_killed_while_scoring(
    own_server: Server, workers: Workers, tmp_path: Path, slow_upload: bytes
) -> None:
    log = tmp_path / "postgres.log"
    server = started(own_server, log)
    try:
        call_command("migrate", verbosity=0)
        alice = User.objects.create_user("alice")
        slow = hand_in(alice, slow_release(tmp_path), slow_upload)
        at_work(workers.start())
        server.kill()
        server.wait()
        connection.close()
        server = started(own_server, log)
        assert now(slow).state == EvaluationState.RUNNING
        returned(slow)
        evaluation = eventually_in(slow, EvaluationState.SCORED)
        scored_once(slow, evaluation.attempt)
    finally:
        connection.close()
        server.kill()
        server.wait()
