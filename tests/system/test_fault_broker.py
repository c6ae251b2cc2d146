"""Faults of the broker: what it carries is only a call, so whatever it loses is called again."""

import signal
from pathlib import Path

import pytest
from django.conf import settings

from portal.celery import app
from portal.models import EvaluationState, User
from portal.queue import SCORE
from portal.submissions.services import delete_submission
from tests.support.processes import eventually
from tests.support.redis_server import RedisServer, redis_server
from tests.support.workers import (
    Workers,
    now,
    quick_submission,
    resend_message,
    scored_once,
    slow_submission,
    workers_in,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)
redis = pytest.fixture(redis_server)

# Files as the broker


def test_the_broker_s_folder_vanishes_and_comes_back(
    alice: User, tmp_path: Path, workers: Workers, messages: Path
) -> None:
    worker = workers.start()
    broker = settings.STATE_DIR / "broker"
    broker.rename(tmp_path / "first")  # at once: the worker makes a new one at any moment
    eventually(messages.is_dir, "the folder, made again by the worker")
    broker.rename(tmp_path / "second")
    scored_once(quick_submission(alice, tmp_path), attempt=1)
    assert worker.process.poll() is None


BROKEN = {
    "nothing": b"",
    "half of it": b'{"body": "W1sxXSw',
    "another file": b"\x89PNG\r\n\x1a\n",
    "other JSON": b"[1]",
    "no message": b'{"properties": 1}',
}


def test_invalid_messages_are_discarded(
    alice: User, tmp_path: Path, workers: Workers, messages: Path
) -> None:
    worker = workers.start()
    for number, raw in enumerate(BROKEN.values()):
        (messages / f"{number}.scoring.msg").write_bytes(raw)
    eventually(lambda: not list(messages.iterdir()), "an empty folder")
    scored_once(quick_submission(alice, tmp_path), attempt=1)
    assert worker.log.read_text().count("discarded") == len(BROKEN)
    assert worker.process.poll() is None


OLD = {
    "of an evaluation that never was": [987_654_321],
    "of one that no database could have": [2**80],
    "of nothing": [None],
    "of something else": ["\0", {"a": []}],
    "without arguments": [],
}


def test_messages_of_another_version_are_ignored(
    alice: User, tmp_path: Path, workers: Workers, messages: Path
) -> None:
    """After a deployment with queued jobs: unknown names and arguments."""
    worker = workers.start()
    app.send_task("portal.evaluations.tasks.of_another_version", args=[1])
    for arguments in OLD.values():
        app.send_task(SCORE, args=arguments)
    quick = quick_submission(alice, tmp_path)
    app.send_task(SCORE, args=[now(quick).pk], kwargs={"urgent": True})
    scored_once(quick, attempt=1)
    eventually(lambda: not list(messages.iterdir()), "an empty folder")
    assert worker.process.poll() is None


def test_a_message_of_a_deleted_submission_is_ignored(
    alice: User, tmp_path: Path, workers: Workers
) -> None:
    deleted = quick_submission(alice, tmp_path / "deleted")
    delete_submission(deleted, by=alice)
    worker = workers.start()
    eventually(lambda: worker.has_said("nothing to do"), "the message to be taken")
    assert not worker.has_said("Traceback")


# Redis


def test_redis_is_killed_with_messages_in_it(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    slow = slow_submission(alice, tmp_path)
    quick = quick_submission(alice, tmp_path)
    assert redis.messages() == 2
    redis.kill()
    redis.start()
    assert redis.messages() == 0
    workers.start(variables={"CELERY_BROKER_URL": redis.url})
    for submission in (slow, quick):
        resend_message(submission)
        scored_once(submission, attempt=1)


def test_redis_is_killed_under_a_worker_that_scores(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    worker = workers.start(variables={"CELERY_BROKER_URL": redis.url})
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    redis.kill()
    quick = quick_submission(alice, tmp_path)  # no message can be sent
    assert now(quick).enqueued_at is None
    redis.start()
    resend_message(quick)
    for submission in (slow, quick):
        scored_once(submission, attempt=1)
    assert worker.process.poll() is None


def test_redis_is_flushed_under_a_worker_that_scores(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    worker = workers.start(variables={"CELERY_BROKER_URL": redis.url})
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    quick = quick_submission(alice, tmp_path)
    redis.do("flushall")
    assert redis.messages() == 0
    resend_message(quick)
    for submission in (slow, quick):
        scored_once(submission, attempt=1)
    assert worker.process.poll() is None


def test_redis_is_full_under_a_worker_and_has_room_again(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    """Without a hand: whatever the worker could not say meanwhile, it goes on."""
    worker = workers.start(variables={"CELERY_BROKER_URL": redis.url})
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    waiting = quick_submission(alice, tmp_path / "waiting")  # its message is in the Redis
    redis.fill()
    refused = quick_submission(alice, tmp_path / "refused")  # its message is refused
    assert now(refused).enqueued_at is None
    scored_once(slow, attempt=1)
    redis.make_room()
    for submission in (waiting, refused):
        if now(submission).state == EvaluationState.QUEUED:
            resend_message(submission)
        scored_once(submission, attempt=1)
    assert worker.process.poll() is None


def test_a_worker_that_could_not_say_that_it_is_done_takes_the_next_job(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    """As in production: one job at a time."""
    worker = workers.start(None, variables={"CELERY_BROKER_URL": redis.url})
    slow = slow_submission(alice, tmp_path)
    worker.at_work()
    redis.send(signal.SIGSTOP)
    eventually(lambda: worker.has_said("cannot note that a message is done"), "a job that is done")
    redis.send(signal.SIGCONT)
    scored_once(slow, attempt=1)
    scored_once(quick_submission(alice, tmp_path), attempt=1)


def test_a_redis_that_hangs_holds_no_upload(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer
) -> None:
    quick = quick_submission(alice, tmp_path / "first")
    redis.send(signal.SIGSTOP)
    held = quick_submission(alice, tmp_path / "held")
    redis.send(signal.SIGCONT)
    assert now(held).enqueued_at is None
    workers.start(variables={"CELERY_BROKER_URL": redis.url})
    resend_message(held)
    for submission in (quick, held):
        scored_once(submission, attempt=1)
