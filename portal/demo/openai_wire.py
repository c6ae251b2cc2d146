"""OpenAI's protocol: what a request asks, what an answer and an error look like.

Shapes: the API reference of OpenAI for chat completions, completions and models.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.text.tokens import count_tokens, first_tokens

CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"

Document = Mapping[str, object]


class RefusedError(Exception):
    """A request that gets an error for an answer; the message is for whoever sent it."""

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
    most: int | None  # tokens of the answer
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
    """What a request asks. Settings of sampling are of no use here, and are left alone.

    Raises ``RefusedError`` with status 400 where it is not one.
    """
    fields = _fields(body)
    if fields.get("n") not in (None, 1):
        _wrong("n", "there is only one answer: n must be 1.")
    options = fields.get("stream_options")
    return Request(
        model=_text(fields, "model"),
        prompt=_said(fields.get("messages")) if chat else _plain(fields.get("prompt")),
        chat=chat,
        most=_most(fields, "max_completion_tokens") or _most(fields, "max_tokens"),
        stop=_stops(fields.get("stop")),
        stream=_flag(fields, "stream"),
        with_usage=isinstance(options, dict) and _flag(options, "include_usage"),
    )


def ended(request: Request, text: str, prompt_tokens: int) -> Answer:
    """The text up to where the request wants it to end."""
    whole, finish = text, "stop"
    for stop in request.stop:
        whole = whole.partition(stop)[0]
    if request.most is not None:
        end = first_tokens(whole, request.most)
        whole, finish = whole[:end], "stop" if end == len(whole) else "length"
    return Answer(whole, finish, prompt_tokens, count_tokens(whole).value)


def completion(request: Request, answer: Answer, name: str, created: int) -> Document:
    """The whole answer in one document."""
    said: Document = {"role": "assistant", "content": answer.text}
    part: Document = {"message": said} if request.chat else {"text": answer.text}
    kind = "chat.completion" if request.chat else "text_completion"
    choice = {"index": 0, **part, "logprobs": None, "finish_reason": answer.finish}
    return {**_head(request, kind, name, created), "choices": [choice], "usage": answer.usage}


def chunks(request: Request, answer: Answer, name: str, created: int) -> Iterator[Document]:
    """The answer word by word, then how it ended, then its usage if that is wanted."""
    kind = "chat.completion.chunk" if request.chat else "text_completion"
    head = _head(request, kind, name, created)
    usage: Document = {"usage": None} if request.with_usage else {}
    parts = [*_words(request, answer.text), ({"delta": {}} if request.chat else {"text": ""})]
    for place, part in enumerate(parts, 1):
        finish = answer.finish if place == len(parts) else None
        choice = {"index": 0, **part, "logprobs": None, "finish_reason": finish}
        yield {**head, "choices": [choice], **usage}
    if request.with_usage:
        yield {**head, "choices": [], "usage": answer.usage}


def model_document(name: str, window: int) -> Document:
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "reference",
        "max_model_len": window,
    }


def _head(request: Request, kind: str, name: str, created: int) -> Document:
    return {"id": name, "object": kind, "created": created, "model": request.model}


def _words(request: Request, text: str) -> Iterator[Document]:
    if request.chat:
        yield {"delta": {"role": "assistant", "content": ""}}
    for word in text.split(" ")[:1] + [f" {word}" for word in text.split(" ")[1:]]:
        yield {"delta": {"content": word}} if request.chat else {"text": word}


def _fields(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "The body of the request is no JSON that can be read.") from error
    if not isinstance(fields, dict):
        raise RefusedError(400, "The body of the request must be a JSON object.")
    return fields


def _wrong(param: str, message: str) -> NoReturn:
    raise RefusedError(400, f"Invalid value for '{param}': {message}", param=param)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else _wrong(name, "it must be text.")


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name)
    return bool(value) if value in (None, True, False) else _wrong(name, "true or false.")


def _most(fields: Mapping[str, Any], name: str) -> int | None:
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


def _plain(value: object) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) else _wrong("prompt", "it must be one text.")


def _said(messages: object) -> str:
    """All that the messages say, in their order: the reader makes no difference between roles."""
    if not isinstance(messages, list) or not messages:
        _wrong("messages", "it must be a list of at least one message.")
    return "\n\n".join(text for message in messages for text in _texts(message))


def _texts(message: object) -> Sequence[str]:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        _wrong("messages", "each must be an object with a role and a content.")
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        _wrong("messages", "the content must be text, or a list of parts.")
    return ["".join(map(_part, content))]


def _part(part: object) -> str:
    if not isinstance(part, dict) or part.get("type") != "text":
        _wrong("messages", "only parts of type 'text' can be read.")
    return _text(part, "text")
