"""The reference reader behind OpenAI's API: chat completions, completions and models.

First the protocol, in the shapes of OpenAI's API reference; then the server, with one thread for
each connection. Needs none of the site's settings.
"""

import hmac
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Condition
from typing import Any, Literal, NoReturn
from uuid import uuid4

from scoring.baseline import read
from scoring.text.prompts import gap
from scoring.text.tokens import count_tokens, first_tokens

LARGEST_BODY = 64 << 20  # bytes; two million tokens of Chinese, every character escaped, have 20
CONNECTIONS = 128  # at once, each with a thread; more are asked to come again
STOP_TIMEOUT = 60.0  # seconds for the last answers when it is to end
_READ_TIMEOUT = 15.0  # seconds without a byte, which close a connection
_DISCARDED = 4 * LARGEST_BODY  # of a body that is too large: a client reads the answer only then
CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"

Document = Mapping[str, object]

log = logging.getLogger(__name__)


# The protocol


class RefusedError(Exception):
    """A request that is answered with an error; the message is for the client."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code

    @property
    def document(self) -> Document:
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


@dataclass(frozen=True, slots=True)
class Request:
    model: str
    prompt: str
    chat: bool
    max_tokens: int | None
    stop: tuple[str, ...]
    stream: bool
    with_usage: bool  # at the end of a stream


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    finish: str  # "stop" or "length"
    prompt_tokens: int
    completion_tokens: int

    @property
    def usage(self) -> Document:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }


def read_request(body: bytes, *, chat: bool) -> Request:
    """Parse the body of a request; sampling settings are ignored. Raises ``RefusedError``."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "The body of the request is not valid JSON.") from error
    if not isinstance(fields, dict):
        raise RefusedError(400, "The body of the request must be a JSON object.")
    if fields.get("n") not in (None, 1):
        _wrong("n", "there is only one answer: n must be 1.")
    options = fields.get("stream_options")
    return Request(
        model=_text(fields, "model"),
        prompt=_chat_prompt(fields.get("messages"))
        if chat
        else _plain_prompt(fields.get("prompt")),
        chat=chat,
        max_tokens=_count(fields, "max_completion_tokens") or _count(fields, "max_tokens"),
        stop=_stops(fields.get("stop")),
        stream=_flag(fields, "stream"),
        with_usage=isinstance(options, dict) and _flag(options, "include_usage"),
    )


def truncated(request: Request, text: str, prompt_tokens: int) -> Answer:
    """The text up to the first stop sequence and the limit of tokens."""
    whole, finish = text, "stop"
    for stop in request.stop:
        whole = whole.partition(stop)[0]
    if request.max_tokens is not None:
        end = first_tokens(whole, request.max_tokens)
        whole, finish = whole[:end], "stop" if end == len(whole) else "length"
    return Answer(whole, finish, prompt_tokens, count_tokens(whole).value)


def completion(request: Request, answer: Answer, name: str, created: int) -> Document:
    """The whole answer in one document."""
    message: Document = {"role": "assistant", "content": answer.text}
    part: Document = {"message": message} if request.chat else {"text": answer.text}
    kind = "chat.completion" if request.chat else "text_completion"
    choice = {"index": 0, **part, "logprobs": None, "finish_reason": answer.finish}
    return {**_head(request, kind, name, created), "choices": [choice], "usage": answer.usage}


def chunks(request: Request, answer: Answer, name: str, created: int) -> Iterator[Document]:
    """The answer word by word, then its finish reason, then its usage if requested."""
    kind = "chat.completion.chunk" if request.chat else "text_completion"
    head = _head(request, kind, name, created)
    usage: Document = {"usage": None} if request.with_usage else {}
    first, *rest = answer.text.split(" ")
    words = [first, *(f" {word}" for word in rest)]
    parts: list[Document] = [{"text": word} for word in (*words, "")]
    if request.chat:
        begin: Document = {"delta": {"role": "assistant", "content": ""}}
        parts = [begin, *({"delta": {"content": word}} for word in words), {"delta": {}}]
    for number, part in enumerate(parts, 1):
        finish = answer.finish if number == len(parts) else None
        choice = {"index": 0, **part, "logprobs": None, "finish_reason": finish}
        yield {**head, "choices": [choice], **usage}
    if request.with_usage:
        yield {**head, "choices": [], "usage": answer.usage}


def _head(request: Request, kind: str, name: str, created: int) -> Document:
    return {"id": name, "object": kind, "created": created, "model": request.model}


def _wrong(param: str, message: str) -> NoReturn:
    raise RefusedError(400, f"Invalid value for '{param}': {message}", param=param)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else _wrong(name, "it must be text.")


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name)
    return bool(value) if value in (None, True, False) else _wrong(name, "true or false.")


def _count(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if type(value) is not int or value < 1:
        _wrong(name, "it must be a whole number of at least 1.")
    return value


def _stops(value: object) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else value or []
    if not isinstance(stops, list) or not all(isinstance(stop, str) and stop for stop in stops):
        _wrong("stop", "it must be text, or a list of texts.")
    return tuple(stops)


def _plain_prompt(value: object) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) else _wrong("prompt", "it must be one text.")


def _chat_prompt(messages: object) -> str:
    """The text of all messages in their order: the reader makes no difference between roles."""
    if not isinstance(messages, list) or not messages:
        _wrong("messages", "it must be a list of at least one message.")
    texts = []
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            _wrong("messages", "each must be an object with a role and a content.")
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(map(_text_part, content))
        if not isinstance(content, str):
            _wrong("messages", "the content must be text, or a list of parts.")
        texts.append(content)
    return "\n\n".join(texts)


def _text_part(part: object) -> str:
    if not isinstance(part, dict) or part.get("type") != "text":
        _wrong("messages", "only parts of type 'text' can be read.")
    return _text(part, "text")


# The server


_BUSY = json.dumps(RefusedError(503, "Too many connections. Try again in a moment.").document)
_FULL = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
    f"Content-Length: {len(_BUSY)}\r\nConnection: close\r\n\r\n{_BUSY}"
).encode()


@dataclass(frozen=True, slots=True)
class Model:
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
    visible = request.prompt[:start] + request.prompt[end:]
    tokens = model.window if start < end else count_tokens(visible).value
    return truncated(request, read(visible), tokens)


class ReferenceServer(ThreadingHTTPServer):
    daemon_threads = True  # idle connections do not delay the end; `finish` waits for answers
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
        """Accept no more requests; return once those in progress are answered, or after a time."""
        self.server_close()
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, STOP_TIMEOUT)

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
    timeout = _READ_TIMEOUT

    def parse_request(self) -> bool:
        """Refuse two lengths of one body: a proxy on the way may have believed the other one."""
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
            except OSError:  # of the connection: no error can be sent
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
        """Raises ``RefusedError`` for an unknown or too large length."""
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
        """Errors of the base class, in the same form as all others."""
        self.close_connection = True
        self._send(code, RefusedError(code, message or "The request cannot be read.").document)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        log.info(format, *args)
