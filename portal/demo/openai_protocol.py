"""The protocol of the reference endpoint, in the shapes of OpenAI's API reference: requests and
answers of chat completions and completions. Needs none of the site's settings.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.text.tokens import count_tokens, first_tokens

Document = Mapping[str, object]


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
    finish: str  # "stop", "length" or "content_filter"
    prompt_tokens: int
    completion_tokens: int
    reasoning: str = ""  # apart from the text, in chats only

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
    thought: Document = {"reasoning_content": answer.reasoning} if answer.reasoning else {}
    message: Document = {"role": "assistant", "content": answer.text, **thought}
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
        begin = {"delta": {"role": "assistant", "content": ""}}
        if answer.reasoning:
            begin = {"delta": {**begin["delta"], "reasoning_content": answer.reasoning}}
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
    """The text of all messages in order: the reader does not distinguish roles."""
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
