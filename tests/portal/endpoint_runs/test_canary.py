"""The key of a run turns up nowhere, whatever an endpoint does with it."""

import json
import logging
import time
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.signals import got_request_exception
from django.db import connection
from django.db.models.functions import Now
from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter
from pytest_django import Settings

from portal.endpoint_runs import views
from portal.endpoint_runs.asking.connection import run_connection_test
from portal.endpoint_runs.asking.slices import claim_slice, reclaim_lost
from portal.endpoint_runs.keys import encrypt_key, host_of
from portal.endpoint_runs.services import start_run, stop_run
from portal.endpoint_runs.submissions import submit_run
from portal.models import EndpointRun, Release, RunSlice, RunState, User
from scoring.endpoint.transport import client as client_module
from tests.support.asked_runs import KEY, drafted, passkeys
from tests.support.clients import signed_in
from tests.support.raw_server import ok, raw_server
from tests.support.run_workers import ask

pytestmark = pytest.mark.django_db(transaction=True)

HALF = KEY[5:]
REPEATED = f"{KEY} is {KEY[:5]}\u200b{HALF}"  # which looks the same
_CHOICE = {"finish_reason": REPEATED}
_WHOLE = {"choices": [{**_CHOICE, "message": {"content": REPEATED, "reasoning": REPEATED}}]}
_STREAMED = {"choices": [{**_CHOICE, "delta": {"content": REPEATED}}], "id": REPEATED}


def refused(line: str, *headers: str) -> list[bytes]:
    body = json.dumps({"error": {"message": f"Bad key: {REPEATED}", "code": KEY}})
    head = [f"HTTP/1.1 {line}", f"Content-Length: {len(body)}", f"X-Key: {KEY}", *headers]
    return ["\r\n".join(head).encode() + b"\r\n\r\n" + body.encode()]


class Silent:
    """Endless response headers, started again for each connection."""

    def __iter__(self) -> Iterator[bytes]:
        for part in chain([b"HTTP/1.1 200 OK\r\n"], repeat(b"X")):
            time.sleep(0.02)  # sets the pace of the server, not of the test
            yield part


# What an endpoint does, and how a run of two questions and one attempt ends, or why it pauses.
SERVERS: dict[str, tuple[Iterable[bytes], str]] = {
    "answers": (ok(json.dumps(_WHOLE).encode(), X_Key=KEY), "finished"),
    "streams": (
        ok(f"data: {json.dumps(_STREAMED)}\n\n".encode(), "text/event-stream"),
        "finished",
    ),
    "refuses": (refused(f"401 {KEY}"), "key"),
    "redirects": (refused("307 There", f"Location: /{KEY}"), "redirect"),
    "cannot read it": (refused("422 What"), "finished"),
    "is malformed": (ok(KEY.encode()), "finished"),
    "is no http": ([f"HTTP/1.1 200 OK\r\n{KEY} is no header\r\n\r\n".encode()], "finished"),
    "is silent": (Silent(), "finished"),
}


@pytest.fixture
def release(db: None, tmp_path: Path) -> Release:
    return passkeys(tmp_path, 2)


def test_the_key_is_in_no_table_file_message_or_log(
    alice: User,
    release: Release,
    settings: Settings,
    messages: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    for name, (parts, end) in SERVERS.items():
        with raw_server(parts) as server:
            settings.ENDPOINT_LOOPBACK_PORTS = {int(server.url.split(":")[2].partition("/")[0])}
            draft = drafted(alice, release, server.url, "model", attempts=1, timeout=1)
            draft.key_until = Now()
            draft.key = encrypt_key(KEY, run_id=draft.pk, host=host_of(server.url))
            draft.save()
            run_connection_test(draft)
            assert pages_with(HALF, alice, draft, "configure/", "start/", "connection/") == [], name
            run = start_run(draft, alice, KEY)
            ask()
            assert all(f"Bearer {KEY}".encode() in request for request in server.requests), name
        run.refresh_from_db()
        assert run.connection
        assert (run.reason or run.ending) == end, name
        assert places_with(HALF) == []
        if run.state != RunState.ENDED:
            assert run.key
            stop_run(run, alice)
        run.refresh_from_db()
        assert (run.state, run.key) == (RunState.ENDED, "")
        submit_run(run.pk)
        assert pages_with(HALF, alice, run) == [], name
    assert EndpointRun.objects.count() == len(SERVERS)
    assert HALF not in caplog.text
    assert caplog.get_records("setup")  # what our code says is heard
    folders = (messages, Path(default_storage.path("")))
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert len(files) > len(SERVERS)
    assert [file.name for file in files if HALF.encode() in file.read_bytes()] == []


def test_a_worker_that_dies_with_the_key_in_its_hands_leaves_it_nowhere(
    alice: User, release: Release, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Also if it dies of an error in our own code, which is logged."""
    with raw_server(ok(json.dumps(_WHOLE).encode())) as server:
        settings.ENDPOINT_LOOPBACK_PORTS = {int(server.url.split(":")[2].partition("/")[0])}
        dead = start_run(drafted(alice, release, server.url, "model"), alice, KEY)
        assert claim_slice()
        RunSlice.objects.update(lease_until="2026-01-01T00:00Z")
        assert reclaim_lost() == 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client_module, "read_document", lambda data: 1 / 0)
            ask()
    dead.refresh_from_db()
    assert (dead.state, dead.reason, dead.reason_details) == (
        RunState.PAUSED, "our_fault", "ZeroDivisionError",
    )  # fmt: skip
    assert "asking has failed" in caplog.text
    assert HALF not in caplog.text
    assert places_with(HALF) == []
    assert pages_with(HALF, alice, dead, "resume/") == []


def test_a_report_of_an_error_has_no_key(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Django would mail it to admins, or show it in development."""
    draft = drafted(alice, release, "https://endpoint.example/v1", "model")
    paused = drafted(alice, release, "https://endpoint.example/v1", "model")
    EndpointRun.objects.filter(pk=paused.pk).update(state=RunState.PAUSED)
    monkeypatch.setattr(views, "posted_data", fail)
    browser = signed_in(alice)
    browser.raise_request_exception = False
    failed: list[HttpRequest] = []

    def note(request: HttpRequest, **_: object) -> None:
        failed.append(request)

    got_request_exception.connect(note)
    try:
        for address in (
            "/runs/new/",
            f"/runs/{draft.pk}/configure/",
            f"/runs/{paused.pk}/resume/",
        ):
            assert browser.post(address, {"key": KEY}).status_code == 500
    finally:
        got_request_exception.disconnect(note)
    shown = [SafeExceptionReporterFilter().get_post_parameters(one)["key"] for one in failed]
    assert len(shown) == 3
    assert KEY not in shown


def fail(request: HttpRequest) -> None:
    raise RuntimeError


def pages_with(secret: str, user: User, run: EndpointRun, *more: str) -> list[str]:
    """The pages and exports about a run, as its owner gets them."""
    browser = signed_in(user)
    places = [f"/runs/{run.pk}/{each}" for each in ("", "settings.yaml", *more)]
    run = EndpointRun.objects.get(pk=run.pk)
    if run.submission_id:
        places.append(f"/submissions/{run.submission_id}/")
    answers = [(place, browser.get(place)) for place in places]
    assert {answer.status_code for _, answer in answers} == {200}, answers
    return [place for place, answer in answers if secret in answer.content.decode()]


def places_with(secret: str) -> list[str]:
    """The tables that contain it in any column: everything that a backup would include."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        assert "portal_endpointrun" in tables
        found = []
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {name} t WHERE t::text LIKE %s", [f"%{secret}%"])
            if cursor.fetchone() != (0,):
                found.append(table)
        return found
