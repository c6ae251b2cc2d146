"""The server around the reader: one thread for each connection, one endpoint for each address."""

import hmac
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Condition
from typing import Any, Literal
from uuid import uuid4

from portal.demo.openai_wire import (
    CHAT,
    PLAIN,
    Answer,
    Document,
    RefusedError,
    Request,
    chunks,
    completion,
    ended,
    model_document,
    read_request,
)
from scoring.baseline import read
from scoring.text.prompts import gap
from scoring.text.tokens import count_tokens

LARGEST_BODY = 64 << 20  # bytes; two million tokens of Chinese, every character escaped, have 20
CONNECTIONS = 128  # at once, each with a thread; more are asked to come again
PATIENCE = 60.0  # seconds for the last answers when it is to end
_SILENCE = 15.0  # seconds without a byte; then the connection is for somebody else
_DISCARDED = 4 * LARGEST_BODY  # of a body that is too large: a client reads the answer only then

log = logging.getLogger(__name__)

_REFUSED = json.dumps(RefusedError(503, "Too many connections. Try again in a moment.").document)
_FULL = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
    f"Content-Length: {len(_REFUSED)}\r\nConnection: close\r\n\r\n{_REFUSED}"
).encode()


@dataclass(frozen=True, slots=True)
class Model:
    """What is served, and how."""

    name: str
    window: int  # tokens
    over: Literal["cut", "refuse"] = "cut"  # what is done with a longer prompt
    key: str = ""  # asked for, if there is one
    delay: float = 0.0  # seconds before each answer


def answer_of(model: Model, request: Request) -> Answer:
    """The reader's answer. Raises ``RefusedError`` where the prompt is too long for the model."""
    if request.model != model.name:
        message = f"The model '{request.model}' does not exist. This is '{model.name}'."
        raise RefusedError(404, message, param="model", code="model_not_found")
    start, end = gap(request.prompt, model.window)
    if start < end and model.over == "refuse":
        tokens = count_tokens(request.prompt).value
        message = (
            f"This model's maximum context length is {model.window} tokens. "
            f"However, your prompt has {tokens} tokens. Please shorten it."
        )
        param = "messages" if request.chat else "prompt"
        raise RefusedError(400, message, param=param, code="context_length_exceeded")
    seen = request.prompt[:start] + request.prompt[end:]
    tokens = model.window if start < end else count_tokens(seen).value
    return ended(request, read(seen), tokens)


class ReferenceServer(ThreadingHTTPServer):
    daemon_threads = True  # idle connections hold nobody up; answers under way are waited for
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], model: Model) -> None:
        super().__init__(address, _Handler)
        self.model = model
        self._free = BoundedSemaphore(CONNECTIONS)
        self._busy = 0
        self._changed = Condition()

    @contextmanager
    def working(self) -> Iterator[None]:
        with self._changed:
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def finish(self) -> None:
        """Take no more requests; return when the last answer is on its way."""
        self.server_close()
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, PATIENCE)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.setblocking(False)  # others wait to be accepted
            request.sendall(_FULL)
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - likewise
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # the client has gone
            log.exception("a connection has failed")


class _Handler(BaseHTTPRequestHandler):
    server: ReferenceServer
    server_version = "reference-reader"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE

    def parse_request(self) -> bool:
        """Not where two ends of the body are told: others on the way may believe the other one."""
        if not super().parse_request():
            return False
        lengths = {length.strip() for length in self.headers.get_all("Content-Length", ())}
        if len(lengths) > 1 or (lengths and "Transfer-Encoding" in self.headers):
            self.send_error(400, "The length of the body is told in two ways.")
            return False
        return True

    def do_GET(self) -> None:
        self.close_connection = self.close_connection or "Content-Length" in self.headers
        self._respond(self._listed)

    def do_POST(self) -> None:
        self._respond(self._answered)

    def _respond(self, act: Callable[[], None]) -> None:
        """Do it, and tell the client where it cannot be done."""
        with self.server.working():
            try:
                act()
            except RefusedError as error:
                self._send(error.status, error.document)
            except OSError:  # of the connection: there is nobody to tell
                raise
            except Exception:
                log.exception("a request could not be answered")
                self._send(500, RefusedError(500, "The reader has failed; see its log.").document)

    def _listed(self) -> None:
        model = self.server.model
        document = model_document(model.name, model.window)
        answers: dict[str, Document] = {
            "/v1/models": {"object": "list", "data": [document]},
            f"/v1/models/{model.name}": document,
        }
        self._guard()
        if self._path not in answers:
            raise RefusedError(404, f"There is nothing at GET {self._path}.")
        self._send(200, answers[self._path])

    def _answered(self) -> None:
        body = self._body()
        self._guard()
        if self._path not in (CHAT, PLAIN):
            raise RefusedError(404, f"There is nothing at POST {self._path}.")
        request = read_request(body, chat=self._path == CHAT)
        del body  # it may be large, and the answer may take its time
        model = self.server.model
        answer = answer_of(model, request)
        time.sleep(model.delay)
        name = f"{'chatcmpl' if request.chat else 'cmpl'}-{uuid4().hex}"
        if request.stream:
            self._stream(chunks(request, answer, name, int(time.time())))
        else:
            self._send(200, completion(request, answer, name, int(time.time())))

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _guard(self) -> None:
        key = self.server.model.key
        given = self.headers.get("Authorization", "")
        if key and not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
            raise RefusedError(401, "Incorrect API key provided.", code="invalid_api_key")

    def _body(self) -> bytes:
        """Raises ``RefusedError`` where its length is not told, or too large."""
        told = self.headers.get("Content-Length", "")
        if not (told.isascii() and told.isdigit() and len(told) < 20):
            self.close_connection = True
            raise RefusedError(411, "Tell the length of the body in a header Content-Length.")
        length = int(told)
        if length > LARGEST_BODY:
            self.close_connection = True
            self._discard(min(length, _DISCARDED))
            raise RefusedError(413, f"The body is larger than {LARGEST_BODY} bytes.")
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionError("the client has gone before it had said all")
        return body

    def _discard(self, length: int) -> None:
        while length > 0 and (part := self.rfile.read(min(length, 1 << 20))):
            length -= len(part)

    def _send(self, status: int, document: Document) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, documents: Iterable[Document]) -> None:
        """Server-sent events, until the connection is closed."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        for document in documents:
            self.wfile.write(f"data: {json.dumps(document)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class refuses, in the same form as all errors."""
        self.close_connection = True
        self._send(code, RefusedError(code, message or "The request cannot be read.").document)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        log.info(format, *args)
