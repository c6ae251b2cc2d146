"""Log lines that programs read."""

import json
import logging
import sys
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from portal.logs import JsonLines

Lines = Callable[[], list[dict[str, object]]]


def line_of(**more: object) -> dict[str, object]:
    record = logging.LogRecord("portal.jobs", logging.WARNING, "", 1, "“%s”\n!", ("x",), None)
    record.__dict__.update(more)
    return read(record)


def read(record: logging.LogRecord) -> dict[str, object]:
    text = JsonLines().format(record)
    assert "\n" not in text
    found: dict[str, object] = json.loads(text)
    return found


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    """What was logged so far, as a program reads it."""
    caplog.set_level(logging.INFO)
    return lambda: [read(record) for record in caplog.records]


def test_a_line_says_when_how_bad_where_and_what() -> None:
    line = line_of()
    assert str(line.pop("at")).endswith("+00:00")
    assert line == {"level": "warning", "logger": "portal.jobs", "message": "“x”\n!"}


def test_a_line_names_what_it_is_about() -> None:
    line = line_of(evaluation=7, submission="s")
    assert (line["evaluation"], line["submission"]) == ("7", "s")


def test_an_error_is_on_the_same_line() -> None:
    try:
        raise ValueError("no\nthing")
    except ValueError:
        line = line_of(exc_info=sys.exc_info())
    assert "ValueError: no\nthing" in str(line["error"])


@pytest.mark.django_db
def test_a_request_leaves_one_line_without_its_query(client: Client, lines: Lines) -> None:
    client.get("/nothing%0Ahere", {"token": "canary"})
    (line,) = lines()
    assert (line["method"], line["path"], line["status"]) == ("GET", "/nothing\nhere", "404")
    assert "canary" not in json.dumps(line)


@pytest.mark.django_db
def test_the_line_of_a_request_names_its_submission(client: Client, lines: Lines) -> None:
    submission = uuid4()
    client.get(f"/submissions/{submission}/")
    assert lines()[-1]["submission"] == str(submission)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/accounts/password/reset/key/3-canary/", "/accounts/confirm-email/canary:1:2/"]
)
def test_the_key_of_a_mailed_link_is_not_logged(client: Client, lines: Lines, path: str) -> None:
    client.get(path)
    assert "canary" not in json.dumps(lines())
    assert "…" in str(lines()[-1]["path"])


def test_whoever_asks_for_our_health_leaves_no_line(client: Client, lines: Lines) -> None:
    assert client.get("/healthz").status_code == 200
    assert lines() == []


@pytest.mark.django_db
def test_what_a_stranger_tries_is_logged_without_a_trace(client: Client, lines: Lines) -> None:
    client.get("/", headers={"host": "evil.example"})
    refused, answered = lines()
    assert "evil.example" in str(refused["message"])
    assert "error" not in refused
    assert answered["status"] == "400"


@pytest.mark.urls("tests.portal.failing")
def test_a_failure_of_ours_is_logged_once_with_its_trace(lines: Lines) -> None:
    client = Client(raise_request_exception=False)
    assert client.get("/fails/a fault of ours/?q=canary").status_code == 500
    failed, answered = lines()
    assert (failed["level"], failed["path"]) == ("error", "/fails/a fault of ours/")
    assert "RuntimeError: a fault of ours" in str(failed["error"])
    assert (answered["message"], answered["status"]) == ("answered", "500")
    assert "canary" not in json.dumps([failed, answered])
