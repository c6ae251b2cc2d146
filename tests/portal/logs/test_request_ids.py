"""One id from the request through the task to its sandbox, the error page and the log."""

import json
import logging
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from portal.celery import app
from portal.evaluations.tasks import score_evaluation
from portal.logs.json_lines import JsonLines
from portal.logs.request_ids import current_request_id, for_request
from portal.models import Evaluation, Release, User
from tests.support.factories import make_submission, only_evaluation, packed_folder

OFFERED = "0123456789abcdef0123456789abcdef"


def number_of(client: Client, offered: str) -> str:
    return str(client.get("/healthz", headers={"x-request-id": offered}).headers["X-Request-ID"])


def test_the_number_of_our_proxy_is_taken_over(client: Client, settings: Settings) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert number_of(client, OFFERED) == OFFERED


def test_without_a_proxy_nobody_chooses_a_number(client: Client) -> None:
    assert number_of(client, OFFERED) != OFFERED


@pytest.mark.parametrize(
    "offered", ["", "short", "x" * 65, "a b c d e f g", "abcdefgh\n", "ünïcödéé"]
)
def test_what_is_no_number_is_replaced(client: Client, settings: Settings, offered: str) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert len(number_of(client, offered.encode().decode("latin-1"))) == 16


def test_two_requests_have_two_numbers_and_leave_none(client: Client) -> None:
    assert number_of(client, "") != number_of(client, "")
    assert current_request_id() == ""


@pytest.mark.django_db
def test_its_line_in_the_log_has_the_number(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[dict[str, object]] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(json.loads(JsonLines().format(record)))  # type: ignore[method-assign]
    logging.getLogger("portal.logs.json_lines").addHandler(handler)
    caplog.set_level(logging.INFO)
    try:
        answer = client.get("/nothing/here/")
    finally:
        logging.getLogger("portal.logs.json_lines").removeHandler(handler)
    assert [line["request"] for line in lines] == [answer.headers["X-Request-ID"]]


@pytest.mark.django_db
@pytest.mark.urls("tests.support.failing_urls")
def test_the_page_of_a_failure_says_the_number() -> None:
    client = Client(raise_request_exception=False)
    answer = client.get("/fails/a fault of ours/")
    assert answer.status_code == 500
    assert f"data-request>{answer.headers['X-Request-ID']}<" in answer.content.decode()


@pytest.mark.django_db
def test_a_problem_document_says_the_number(client: Client) -> None:
    answer = client.get("/api/v1/nothing/")
    assert answer.json()["request"] == answer.headers["X-Request-ID"]


def test_the_job_logs_the_number_of_the_request_that_sent_it() -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append(current_request_id())

    task = app.task(look, name="tests.asks_for_its_number")
    try:
        task.apply(headers={"request": OFFERED})
        task.apply()
    finally:
        app.tasks.unregister("tests.asks_for_its_number")
    assert seen == [OFFERED, ""]


@pytest.mark.django_db
def test_an_evaluation_is_scored_under_the_number_of_its_own_upload(
    alice: User, release: Release, world: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The worker may have been woken by the message of another upload."""
    numbers = set()

    class Recorder(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            numbers.add((record.name, current_request_id()))

    with for_request(OFFERED):
        submission = make_submission(alice, release, packed_folder(world / "preds"))
    evaluation = only_evaluation(submission)
    assert Evaluation.objects.get(pk=evaluation.pk).request_id == OFFERED
    caplog.set_level(logging.INFO)
    recorder = Recorder()
    logging.getLogger("portal.evaluations").addHandler(recorder)
    try:
        with for_request("another-number"):
            score_evaluation(0)
    finally:
        logging.getLogger("portal.evaluations").removeHandler(recorder)
    assert ("portal.evaluations.boxes", OFFERED) in numbers
