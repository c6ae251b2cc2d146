"""Error reports: sent only if an address is set, and without any secret."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import brotli
import pytest

from tests.support.paths import ROOT

_OPEN = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}
_REQUEST = """
import django, sys
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
client.cookies["session"] = "canary-cookie"
answer = client.post(
    "/fails/with a key/?q=canary-query", {"field": "canary-field"},
    headers={"x-secret": "canary-header", "host": "localhost"})
print(answer.status_code, answer.headers["X-Request-ID"], "sentry_sdk" in sys.modules)
"""


@pytest.fixture
def received() -> Iterator[tuple[str, list[dict[str, object]]]]:
    """The address of a server, and the events that it has received."""
    events: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = _OPEN[self.headers.get("Content-Encoding", "")](body)
            lines = [json.loads(line) for line in body.splitlines() if line]
            events.extend(line for line in lines if "exception" in line or "logentry" in line)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://public@127.0.0.1:{server.server_port}/1", events
    server.shutdown()
    thread.join()
    server.server_close()


def fail(**variables: str) -> tuple[str, str, str]:
    """In a process of its own: status, number of the request, and whether the package is there."""
    done = subprocess.run(
        [sys.executable, "-c", _REQUEST],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.support.failing_settings", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    status, number, loaded = done.stdout.split()
    return status, number, loaded


def test_a_failure_is_reported_with_its_number_and_without_secrets(
    received: tuple[str, list[dict[str, object]]],
) -> None:
    address, events = received
    status, number, _ = fail(SENTRY_DSN=address)
    assert status == "500"
    [event] = events
    assert "RuntimeError" in json.dumps(event["exception"])
    assert event["tags"] == {"request": number}
    assert "canary" not in json.dumps(event)
    assert not {"user", "modules", "breadcrumbs", "extra", "contexts"} & event.keys()


def test_without_an_address_nothing_is_loaded_or_sent(
    received: tuple[str, list[dict[str, object]]],
) -> None:
    assert fail(SENTRY_DSN="")[::2] == ("500", "False")
    assert received[1] == []
