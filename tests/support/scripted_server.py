"""A server that gives prepared answers one after the other, and records the requests."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Scripted(NamedTuple):
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    breaks: bool = False  # the connection, when the request has been read


class ScriptedServer:
    def __init__(self, *script: Scripted) -> None:
        self.asked: list[Asked] = []
        self.left = list(script)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def scripted(*script: Scripted) -> Iterator[ScriptedServer]:
    server = ScriptedServer(*script)
    server.start()
    try:
        yield server
    finally:
        server.close()


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):  # HTTP/1.0: every answer closes its connection
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.asked.append(Asked(self.command, self.path, headers, body))
            answer = server.left.pop(0)
            if answer.breaks:
                return
            self.send_response(answer.status)
            for name, value in {"Content-Length": len(answer.body), **answer.headers}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - as the library calls them

        def log_message(self, *_: object) -> None: ...

    return Handler
