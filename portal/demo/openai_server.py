"""The reference reader behind OpenAI's API: chat completions, completions and models.

One thread for each connection. For tests and measurements it can answer without reading, take the
time of a model, fail as endpoints do, and log what it was asked (``openai_behaviour``). Needs none
of the site's settings.
"""

import hmac
import json
import logging
import select
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Condition, Event
from typing import Any, Literal
from uuid import uuid4

from portal.demo.openai_behaviour import CHANGED_ANSWERS, STATUSES, Asked, Behaviour
from portal.demo.openai_protocol import (
    Answer,
    Document,
    RefusedError,
    Request,
    chunks,
    completion,
    read_request,
    truncated,
)
from scoring.baseline import read
from scoring.endpoint.connection.texts import FACTS
from scoring.text.prompts import gap
from scoring.text.tokens import count_tokens, pieces

LARGEST_BODY = 64 << 20  # bytes; two million tokens of Chinese, every character escaped, have 20
CONNECTIONS = 128  # at once, each with a thread; further ones are told to try again later
STOP_TIMEOUT = 60.0  # seconds for the last answers when the server is to stop
_READ_TIMEOUT = 15.0  # seconds without a byte, after which a connection is closed
_DISCARDED = 4 * LARGEST_BODY  # read of a larger body: only then do clients read the answer
CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
_MAX_COUNTS = 1 << 16  # pieces of text whose token counts are cached
_CHARACTERS = 4  # per token, where tokens are not counted
_HANG = 600.0  # seconds at most

log = logging.getLogger(__name__)


_BUSY = json.dumps(RefusedError(503, "Too many connections. Try again in a moment.").document)
_FULL = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
    f"Content-Length: {len(_BUSY)}\r\nConnection: close\r\n\r\n{_BUSY}"
).encode()


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    window: int  # tokens
    over: Literal["cut", "refuse"] = "cut"  # what happens to a longer prompt
    key: str = ""  # empty: none is required
    delay: float = 0.0  # seconds before each answer


def answer_of(model: Model, request: Request) -> Answer:
    """The reader's answer. Raises ``RefusedError`` where the prompt is too long for the model."""
    tokens = _prompt_tokens(request.prompt)
    if tokens <= model.window:
        return truncated(request, _read(request.prompt), tokens)
    if model.over == "refuse":
        message = (
            f"This model's maximum context length is {model.window} tokens. "
            f"However, your prompt has {tokens} tokens. Please shorten it."
        )
        param = "messages" if request.chat else "prompt"
        raise RefusedError(400, message, param=param, code="context_length_exceeded")
    start, end = gap(request.prompt, model.window)
    return truncated(request, _read(request.prompt[:start] + request.prompt[end:]), model.window)


def _read(prompt: str) -> str:
    """The answer to a question of the benchmark, or of a connection test."""
    answers = (one.answer for one in FACTS if one.question in prompt and one.sentence in prompt)
    return next(answers, "") or read(prompt)


_counts: dict[bytes, int] = {}


def _prompt_tokens(text: str) -> int:
    """The number of tokens of a prompt. Questions about one text share its pieces, which are
    counted once: counting 128K tokens takes 50 ms."""
    total = 0
    for piece in pieces(text):
        name = blake2b(piece.encode(errors="replace"), digest_size=16).digest()
        if name not in _counts:
            if len(_counts) >= _MAX_COUNTS:
                _counts.clear()
            _counts[name] = count_tokens(piece).value
        total += _counts[name]
    return total


class ReferenceServer(ThreadingHTTPServer):
    daemon_threads = True  # idle connections do not delay the end; `finish` waits for answers
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], model: Model, behaviour: Behaviour | None = None
    ) -> None:
        super().__init__(address, _Handler)
        self.model = model
        self.behaviour = behaviour or Behaviour()
        self.ending = Event()  # ends requests that hang on purpose
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
        """Accept no more requests; return once those in progress are answered, or time out."""
        self.ending.set()
        self.server_close()
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, STOP_TIMEOUT)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the base class
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.setblocking(False)  # other connections wait to be accepted
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
    timeout = _READ_TIMEOUT
    wbufsize = 1 << 16  # head and body leave in one packet, which Nagle's algorithm does not delay
    disable_nagle_algorithm = True

    def parse_request(self) -> bool:
        """Refuse a body with two lengths: a proxy on the way may have used the other one."""
        if not super().parse_request():
            return False
        lengths = {length.strip() for length in self.headers.get_all("Content-Length", ())}
        if len(lengths) > 1 or (lengths and "Transfer-Encoding" in self.headers):
            self.send_error(400, "The length of the body is given in two ways.")
            return False
        return True

    def do_GET(self) -> None:
        self.close_connection = self.close_connection or "Content-Length" in self.headers
        self._respond(self._send_models)

    def do_POST(self) -> None:
        self._respond(self._send_completion)

    def _respond(self, act: Callable[[], None]) -> None:
        """Call ``act``; an exception becomes an error document."""
        with self.server.working():
            try:
                act()
            except RefusedError as error:
                self._send(error.status, error.document)
            except OSError:  # of the connection, so no error can be sent
                raise
            except Exception:
                log.exception("a request could not be answered")
                self._send(500, RefusedError(500, "The reader has failed; see its log.").document)

    def _send_models(self) -> None:
        model = self.server.model
        document: Document = {
            "id": model.name,
            "object": "model",
            "created": 0,
            "owned_by": "reference",
            "max_model_len": model.window,
        }
        answers: dict[str, Document] = {
            "/v1/models": {"object": "list", "data": [document]},
            f"/v1/models/{model.name}": document,
        }
        self._guard()
        if self._path not in answers:
            raise RefusedError(404, f"There is nothing at GET {self._path}.")
        self._send(200, answers[self._path])

    def _send_completion(self) -> None:
        body = self._body()
        self._guard()
        if self._path not in (CHAT, PLAIN):
            raise RefusedError(404, f"There is nothing at POST {self._path}.")
        request = read_request(body, chat=self._path == CHAT)
        del body  # it may be large, and the answer may take its time
        if request.model != self.server.model.name:
            name = self.server.model.name
            message = f"The model '{request.model}' does not exist. This is '{name}'."
            raise RefusedError(404, message, param="model", code="model_not_found")
        asked = self.server.behaviour.ask(request.prompt)
        try:
            self._complete(request, asked)
        except BaseException as error:
            asked.ended = asked.fault or type(error).__name__
            raise
        finally:
            self.server.behaviour.note(asked)

    def _complete(self, request: Request, asked: Asked) -> None:
        model = self.server.model
        if asked.fault in STATUSES:
            raise RefusedError(STATUSES[asked.fault], f"A fault on purpose: {asked.fault}.")
        if asked.fault in _BROKEN:
            asked.ended = asked.fault
            _BROKEN[asked.fault](self)
            self.close_connection = True
            return
        if asked.canned is None:
            answer = answer_of(model, request)
        else:
            prompt_tokens = len(request.prompt) // _CHARACTERS + 1
            tokens = len(asked.canned) // _CHARACTERS + 1
            answer = Answer(asked.canned, "stop", prompt_tokens, tokens)
        if asked.fault:
            answer = replace(answer, **CHANGED_ANSWERS[asked.fault])
        time.sleep(model.delay + asked.latency)
        name = f"{'chatcmpl' if request.chat else 'cmpl'}-{uuid4().hex}"
        if request.stream:
            self._stream(chunks(request, answer, name, int(time.time())))
        else:
            self._send(200, completion(request, answer, name, int(time.time())))
        self.wfile.flush()  # an answer that could not be sent was not given

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _guard(self) -> None:
        key = self.server.model.key
        given = self.headers.get("Authorization", "")
        if key and not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
            raise RefusedError(401, "Incorrect API key provided.", code="invalid_api_key")

    def _body(self) -> bytes:
        """The body. Raises ``RefusedError`` if its length is unknown or too large."""
        announced = self.headers.get("Content-Length", "")
        if not (announced.isascii() and announced.isdigit() and len(announced) < 20):
            self.close_connection = True
            raise RefusedError(411, "Give the length of the body in a Content-Length header.")
        length = int(announced)
        if length > LARGEST_BODY:
            self.close_connection = True
            left = min(length, _DISCARDED)
            while left > 0 and (part := self.rfile.read(min(left, 1 << 20))):
                left -= len(part)
            raise RefusedError(413, f"The body is larger than {LARGEST_BODY} bytes.")
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionError("the client disconnected before it had sent everything")
        return body

    def _send(self, status: int, document: Document) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status in (429, 503):
            self.send_header("Retry-After", "1")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, documents: Iterable[Document]) -> None:
        """Server-sent events, in chunks; for a client of HTTP/1.0 until the connection closes."""
        chunked = self.request_version != "HTTP/1.0"
        self.close_connection = self.close_connection or not chunked
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        events = [f"data: {json.dumps(document)}\n\n".encode() for document in documents]
        for event in (*events, b"data: [DONE]\n\n"):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event) if chunked else event)
            self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    # Faults in the transmission

    def _head(self, length: int | None) -> None:
        """Send the head of a response that will be broken; None: its body comes in chunks."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def hang(self) -> None:
        """Send nothing until the client has gone."""
        for _ in range(int(_HANG / 0.1)):
            if self.server.ending.wait(0.1) or select.select([self.connection], [], [], 0)[0]:
                return

    def half(self) -> None:
        self._head(1_000)
        self.wfile.write(b'{"id": "half", "choices": [{"index": 0, "message"')

    def not_json(self) -> None:
        page = b"<html><body>Welcome to the portal.</body></html>"
        self._head(len(page))
        self.wfile.write(page)

    def wrong_types(self) -> None:
        data = json.dumps({"choices": [{"message": {"content": 5}}], "usage": "many"}).encode()
        self._head(len(data))
        self.wfile.write(data)

    def huge(self) -> None:
        """Send a body without end."""
        self._head(None)
        while not self.server.ending.is_set():
            self.wfile.write(b"100000\r\n%b\r\n" % (b" " * (1 << 20)))

    def drip(self) -> None:
        """Send a byte now and then, so that no read ever takes long."""
        self._head(1_000_000)
        while not self.server.ending.wait(0.1):
            self.wfile.write(b" ")
            self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send errors of the base class in the same form as all others."""
        self.close_connection = True
        self._send(code, RefusedError(code, message or "The request cannot be read.").document)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        log.info(format, *args)


_BROKEN: dict[str, Callable[[_Handler], None]] = {
    "drop": lambda handler: None,
    "hang": _Handler.hang,
    "half": _Handler.half,
    "not-json": _Handler.not_json,
    "wrong-types": _Handler.wrong_types,
    "huge": _Handler.huge,
    "drip": _Handler.drip,
}
FAULTS = (*STATUSES, *CHANGED_ANSWERS, *_BROKEN)
