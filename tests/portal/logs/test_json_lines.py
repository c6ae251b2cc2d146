"""Machine-readable log lines."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from portal.logs.json_lines import JsonLines, OnceAMinute
from tests.support.paths import ROOT

Lines = Callable[[], list[dict[str, object]]]


def line_of(**more: object) -> dict[str, object]:
    record = logging.LogRecord(
        "portal.evaluations.tasks", logging.WARNING, "", 1, "“%s”\n!", ("x",), None
    )
    record.__dict__.update(more)
    return read(record)


def read(record: logging.LogRecord) -> dict[str, object]:
    text = JsonLines().format(record)
    assert "\n" not in text
    found: dict[str, object] = json.loads(text)
    return found


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    """The log so far, as a program reads it."""
    caplog.set_level(logging.INFO)
    return lambda: [read(record) for record in caplog.records]


def test_a_line_says_when_how_bad_where_and_what() -> None:
    line = line_of()
    assert str(line.pop("at")).endswith("+00:00")
    assert line == {"level": "warning", "logger": "portal.evaluations.tasks", "message": "“x”\n!"}


def test_a_line_contains_the_ids_it_is_about() -> None:
    about = {"evaluation": "7", "submission": "s", "run": "r", "check": "c", "hub_job": "h"}
    assert about.items() <= line_of(**about).items()


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
    "path",
    [
        "/accounts/password/reset/key/3-canary/",
        "/accounts/confirm-email/canary:1:2/",
    ],
)
def test_the_key_of_a_mailed_link_is_not_logged(client: Client, lines: Lines, path: str) -> None:
    client.get(path)
    assert "canary" not in json.dumps(lines())
    assert "…" in str(lines()[-1]["path"])


def test_health_checks_are_not_logged(client: Client, lines: Lines) -> None:
    assert client.get("/healthz").status_code == 200
    assert lines() == []


@pytest.mark.django_db
def test_client_errors_are_logged_without_a_traceback(client: Client, lines: Lines) -> None:
    client.get("/", headers={"host": "evil.example"})
    refused, answered = lines()
    assert "evil.example" in str(refused["message"])
    assert "error" not in refused
    assert refused["level"] == "warning"
    assert answered["status"] == "400"


@pytest.mark.django_db
def test_a_client_cannot_make_log_lines_long(client: Client, lines: Lines) -> None:
    client.get("/" + "x" * 100_000, headers={"host": "evil." + "y" * 100_000})
    assert max(len(json.dumps(line)) for line in lines()) < 3_000


def test_a_long_traceback_is_shortened_but_keeps_its_message() -> None:
    try:
        raise ValueError("x" * 100_000 + " at last")
    except ValueError:
        line = line_of(exc_info=sys.exc_info())
    assert "Traceback" in str(line["error"])
    assert str(line["error"]).endswith(" at last")
    assert len(str(line["error"])) < 20_000


def test_warnings_are_lines_too() -> None:
    reported = in_the_site("import django, warnings; django.setup(); warnings.warn('beware')")
    (line,) = map(json.loads, reported.splitlines())
    assert (line["level"], line["logger"]) == ("warning", "py.warnings")
    assert "beware" in line["message"]


def in_the_site(code: str) -> str:
    """The log of a process of the site that runs this program."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


@pytest.mark.django_db
@pytest.mark.urls("tests.support.failing_urls")
def test_a_server_error_is_logged_once_with_its_traceback(lines: Lines) -> None:
    client = Client(raise_request_exception=False)
    assert client.get("/fails/a fault of ours/?q=canary").status_code == 500
    failed, answered = lines()
    assert (failed["level"], failed["path"]) == ("error", "/fails/a fault of ours/")
    assert "RuntimeError: a fault of ours" in str(failed["error"])
    assert (answered["message"], answered["status"]) == ("answered", "500")
    assert "canary" not in json.dumps([failed, answered])


# A busy site


def busy_line(status: int, path: str = "/submit/") -> logging.LogRecord:
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "%s: %s", ("B", path), None)
    record.__dict__["status_code"] = status
    return record


def test_being_busy_is_a_warning_once_a_minute() -> None:
    now = 0.0
    once = OnceAMinute(lambda: now)
    records = [busy_line(503, f"/{number}/") for number in range(100)]
    assert [once.filter(record) for record in records] == [True] + [False] * 99
    assert records[0].levelno == logging.WARNING
    now = 60.0
    last = busy_line(503, "/last/")
    assert once.filter(last)
    assert read(last)["level"] == "warning"
    assert read(last)["message"] == "B: /last/ (and 99 more like it)"


def test_a_full_disk_is_an_error_once_a_minute() -> None:
    once = OnceAMinute(lambda: 0.0)
    records = [busy_line(507) for _ in range(3)]
    assert [once.filter(record) for record in records] == [True, False, False]
    assert records[0].levelno == logging.ERROR


def test_every_other_failure_has_its_line() -> None:
    once = OnceAMinute(lambda: 0.0)
    trace = busy_line(503)
    trace.exc_info = (ValueError, ValueError(), None)
    records = [*[busy_line(500) for _ in range(3)], trace, trace]
    assert all(once.filter(record) for record in records)
    assert {record.levelno for record in records} == {logging.ERROR}


def test_the_filter_is_in_use() -> None:
    for name in ("django.request", "portal.submissions.files.uploads"):
        assert any(isinstance(one, OnceAMinute) for one in logging.getLogger(name).filters)
