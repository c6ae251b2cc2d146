"""Several machines: a web process and two workers that share PostgreSQL, Redis and a bucket, and
no disk. Each has a folder of its own, in which nothing is left that another one needs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import Settings

from portal.mail.outbox import queue_account_email
from portal.models import (
    Evaluation,
    EvaluationState,
    Notice,
    NoticeState,
    Original,
    Release,
    Scope,
    Submission,
    User,
)
from tests.support.clients import FILE, NEW_MODEL
from tests.support.processes import eventually
from tests.support.programs import LIST, program
from tests.support.redis_server import RedisServer, redis_server
from tests.support.s3_server import S3Server, s3_server
from tests.support.servers import Server
from tests.support.workers import Workers, scored_once, slow_submission, swept, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

redis = pytest.fixture(redis_server)
s3 = pytest.fixture(s3_server)
workers = pytest.fixture(workers_in)


def machine(folder: Path, redis: RedisServer) -> dict[str, str]:
    """The variables of a machine with a disk of its own."""
    folder.mkdir()
    return {
        "STATE_DIR": str(folder / "state"),
        "CACHE_DIR": str(folder / "cache"),
        "CELERY_BROKER_URL": redis.url,
        "CACHE_URL": redis.cache_url,
        "SECOND_FACTOR_SECRETS": "the same on all machines of a site",
    }


class Site(NamedTuple):
    web: Server
    redis: RedisServer
    s3: S3Server
    workers: Workers


@pytest.fixture
def site(
    tmp_path: Path, redis: RedisServer, s3: S3Server, workers: Workers, release: Release
) -> Iterator[Site]:
    """Its web process; the tests start the workers."""
    assert release
    with Server(tmp_path, **machine(tmp_path / "web", redis)) as server:
        yield Site(server, redis, s3, workers)


def ask(web: Server, method: str, path: str, token: str, body: bytes = b"") -> tuple[int, bytes]:
    head = (
        f"{method} {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: {token}\r\n"
        f"Content-Type: {MULTIPART_CONTENT}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    answer = web._asked(head.encode(), body)
    headers, _, content = answer.partition(b"\r\n\r\n")
    return int(headers.split()[1]), content


def upload(web: Server, token: str, name: str) -> tuple[int, bytes]:
    fields: dict[str, Any] = {"release": "small", **NEW_MODEL, "model-name": name}
    body = encode_multipart(BOUNDARY, {**fields, "predictions": SimpleUploadedFile(*FILE)})
    return ask(web, "POST", LIST, token, body)


def submit(web: Server, token: str, name: str) -> Submission:
    status, content = upload(web, token, name)
    assert status == 201, content
    return Submission.objects.get(pk=json.loads(content)["id"])


def files_in(folder: Path) -> set[str]:
    """Those that a machine has written; what is in its cache it can make again."""
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_what_one_machine_takes_another_scores_and_the_first_shows(
    alice: User, tmp_path: Path, site: Site
) -> None:
    token = program(alice, Scope.SUBMIT, Scope.READ).defaults["HTTP_AUTHORIZATION"]
    first = submit(site.web, token, "First")
    pair = [
        site.workers.start(None, variables=machine(tmp_path / f"worker-{number}", site.redis))
        for number in range(2)
    ]
    scored_once(first, attempt=1)
    pair[0].kill()
    second = submit(site.web, token, "Second")
    scored_once(second, attempt=1)
    status, content = ask(site.web, "GET", f"{LIST}{second.pk}/", token)
    assert (status, json.loads(content)["evaluation"]["state"]) == (200, "scored")
    assert Original.objects.count() == 2
    assert len([one for one in site.s3.requests if one.startswith("PUT")]) >= 2
    for folder in (tmp_path / "web", tmp_path / "worker-0", tmp_path / "worker-1"):
        assert files_in(folder / "state") == set()


def test_a_storage_that_fails_and_a_redis_that_forgets_lose_nothing(
    alice: User, tmp_path: Path, site: Site, settings: Settings
) -> None:
    settings.RESEND = 1  # seconds: an attempt may fail once more on a busy machine
    token = program(alice, Scope.SUBMIT, Scope.READ).defaults["HTTP_AUTHORIZATION"]
    submit(site.web, token, "First")
    site.s3.fails = True
    variables = {**machine(tmp_path / "worker", site.redis), "RESEND_SECONDS": "0.1"}
    worker = site.workers.start(None, variables=variables)
    eventually(lambda: worker.has_said("the files cannot be reached"), "the failure")
    status, content = upload(site.web, token, "Second")
    assert status in (503, 507), content  # refused aloud, and nothing of it is stored
    assert Submission.objects.count() == Evaluation.objects.count() == 1
    site.redis.do("flushall")
    site.s3.fails = False
    Evaluation.objects.update(enqueued_at=None, created="2026-01-01T00:00Z")
    swept(lambda: not Evaluation.objects.open().exists())
    assert Evaluation.objects.get().state == EvaluationState.SCORED, worker.log.read_text()
    assert Evaluation.objects.get().attempts_allowed > 3  # those that failed do not count
    assert Evaluation.objects.get().task_scores.exists()


def test_mail_waits_for_no_scoring(
    alice: User, tmp_path: Path, workers: Workers, redis: RedisServer, s3: S3Server
) -> None:
    slow = slow_submission(alice, tmp_path)
    workers.start(None, variables=machine(tmp_path / "mail", redis), queue="mail")
    queue_account_email("subject", "text", address="nobody@example.org", user=alice)
    eventually(lambda: Notice.objects.filter(attempts=1).exists(), "an attempt to send it")
    assert Notice.objects.get().state == NoticeState.WAITING  # there is no mail server here
    assert slow.evaluations.get().state == EvaluationState.QUEUED
