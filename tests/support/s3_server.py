"""An S3 server (moto's) in this process, which counts the bytes it sends and fails on demand. It
checks neither signatures nor their age."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import pytest
from django.conf import settings as site
from pytest_django import Settings
from werkzeug.serving import make_server

from portal.env import file_storage

BUCKET, PREFIX = "site-files", "one"


class S3Server:
    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

        self.sent = 0  # bytes of bodies
        self.requests: list[str] = []  # the method and path of each
        self.fails = False  # if set, every answer is 503
        self.goes_on = Event()  # while cleared, nothing is answered
        self.goes_on.set()
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server(host, port, self._answer, threaded=True)
        self._thread = Thread(target=self._server.serve_forever, args=[0.02], daemon=True)
        self._thread.start()
        self.address = f"http://{host}:{self._server.port}"
        self.variables = {
            "STORAGE_URL": f"s3://{BUCKET}/{PREFIX}?endpoint={self.address}",
            "S3_ACCESS_KEY_ID": "known to everybody",
            "S3_SECRET_ACCESS_KEY": "for tests only",
        }

    def close(self) -> None:
        self.goes_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def make_bucket(self) -> None:
        """Make an empty bucket, whatever an earlier server had."""
        from moto.backends import get_backend

        store = get_backend("s3")["123456789012"]["aws"]
        store.reset()
        store.create_bucket(BUCKET, "us-east-1")

    @contextmanager
    def counted(self) -> Iterator[Callable[[], tuple[int, int]]]:
        """Count the bytes and the responses that are sent within the block."""
        sent, answers = self.sent, len(self.requests)
        yield lambda: (self.sent - sent, len(self.requests) - answers)

    def _answer(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        self.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        self.goes_on.wait()
        if self.fails:
            start("503 Slow Down", [("Content-Length", "0")])
            return []
        body = list(self._app(environ, start))
        self.sent += sum(map(len, body))
        return body


def s3_server(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[S3Server]:
    """Fixture: the files of the site are in a bucket, empty at first."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it logs a line for each request
    server = S3Server()
    server.make_bucket()
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    storage = file_storage(site.STORAGE_DIR)
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    try:
        yield server
    finally:
        server.close()
