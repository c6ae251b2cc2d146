"""A worker that is there says so, with what it does; one that ends falls silent."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.models import EvaluationState, Heartbeat, HeartbeatKind, User
from portal.operations.figures import silent_queues
from tests.support.processes import eventually
from tests.support.redis_server import RedisServer, redis_server
from tests.support.workers import Workers, eventually_in, slow_submission, workers_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    yield from workers_in(tmp_path)


redis = pytest.fixture(redis_server)


def only_worker() -> Heartbeat:
    return Heartbeat.objects.of(HeartbeatKind.WORKER).get()


@pytest.mark.usefixtures("messages")
def test_a_worker_that_waits_goes_on_saying_so(workers: Workers) -> None:
    workers.start(concurrency=None)
    says_so_again()


def test_a_worker_that_waits_for_redis_does_too(workers: Workers, redis: RedisServer) -> None:
    workers.start(concurrency=None, variables={"CELERY_BROKER_URL": redis.url})
    says_so_again()


def says_so_again() -> None:
    eventually(Heartbeat.objects.all().exists, "a heartbeat")
    for _ in range(2):
        last = only_worker().at
        eventually(lambda last=last: only_worker().at > last, "another heartbeat")  # type: ignore[misc]


@pytest.mark.usefixtures("messages")
def test_a_worker_says_what_it_takes_and_what_it_does(
    workers: Workers, alice: User, tmp_path: Path
) -> None:
    assert silent_queues() == ["imports", "mail", "runs", "scoring"]
    worker = workers.start(concurrency=None)
    eventually(Heartbeat.objects.all().exists, "a heartbeat")
    found = only_worker()
    assert ({*found.queues}, found.job, found.sandbox != "") == (
        {"scoring", "mail", "imports"}, "", True,
    )  # fmt: skip
    assert silent_queues() == ["runs"]
    submission = slow_submission(alice, tmp_path)
    eventually(lambda: only_worker().job.endswith("score_evaluation"), "a worker that scores")
    eventually_in(submission, EvaluationState.SCORED)
    eventually(lambda: only_worker().job == "", "a worker that has ended its job")
    worker.send(signal.SIGTERM)
    worker.process.wait()
    assert not Heartbeat.objects.exists()  # it was asked to stop, so that nobody misses it


def test_a_worker_says_so_during_a_job_too(
    workers: Workers, redis: RedisServer, alice: User, tmp_path: Path
) -> None:
    """With Redis the job keeps the only thread; whoever is killed is not signed out."""
    worker = workers.start(concurrency=None, variables={"CELERY_BROKER_URL": redis.url})
    slow_submission(alice, tmp_path)
    eventually(lambda: Heartbeat.objects.exclude(job="").exists(), "a worker that scores")
    for _ in range(2):
        last = only_worker()
        eventually(lambda last=last: only_worker().at > last.at, "a heartbeat of the job")  # type: ignore[misc]
        assert only_worker().job == last.job
    worker.send(signal.SIGKILL)
    worker.process.wait()
    assert only_worker().job
