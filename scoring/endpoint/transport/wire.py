"""The protocol: requests as OpenAI's clients send them, and what may come back.

What comes back is of unknown types until it has been looked at.
"""

import json
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from scoring.endpoint.budget import Spent
from scoring.endpoint.prompts import SentPrompt
from scoring.endpoint.settings import RunSettings
from scoring.reasoning import answer_part
from scoring.text.prompts import messages_of

PATHS = {"chat": "/chat/completions", "completions": "/completions"}
_LARGEST_COUNT = 1 << 40
_LARGEST_TEXT = 1 << 24  # bytes of memory, with the reasoning: more than a million tokens in one
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_HALVES = re.compile("[\ud800-\udfff]")


class MalformedError(Exception):
    """The answer is not of the protocol; the message names what is wrong with it."""


class ReportedError(Exception):
    """The endpoint says inside an answer that it has failed."""


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    reasoning: str  # apart from the text, or marked in it as many open models do
    finish: str  # "stop", "length", "content_filter" or whatever the endpoint says
    is_refused: bool
    usage: Spent | None
    first_token: float | None = None  # seconds


def request_body(settings: RunSettings, prompt: SentPrompt) -> bytes:
    """The body of a request for one answer."""
    return text_body(settings, prompt.text, settings.output_limit(prompt.question.task))


def text_body(settings: RunSettings, text: str, output_tokens: int) -> bytes:
    """Depends on nothing but the text."""
    fields: dict[str, object] = {"model": settings.model, settings.output_field: output_tokens}
    if settings.api == "chat":
        fields["messages"] = messages_of(text)
    else:
        fields["prompt"] = text
    if settings.temperature is not None:
        fields["temperature"] = settings.temperature
    if settings.seed is not None:
        fields["seed"] = settings.seed
    if settings.stream:
        fields |= {"stream": True, "stream_options": {"include_usage": True}}
    try:
        return orjson.dumps(fields)
    except TypeError:  # a lone surrogate, which orjson refuses
        return json.dumps(fields).encode()


def read_document(data: bytes | bytearray) -> Reply:
    """An answer in one document. Raises ``MalformedError`` and ``ReportedError``."""
    parts = _Parts()
    parts.add(_object(data), "message")
    return parts.reply()


class StreamedReply:
    """An answer as server-sent events, fed with bytes as they come."""

    def __init__(self) -> None:
        self._parts = _Parts()
        self._pending = bytearray()  # of a line whose end has not come yet
        self.has_begun = False  # whether any of the answer is there
        self._is_done = False

    def feed(self, data: bytes) -> None:
        """Raises ``MalformedError`` and ``ReportedError``."""
        end, *lines = data.split(b"\n")
        self._pending += end
        for line in lines:
            whole, self._pending = bytes(self._pending), bytearray(line)
            self._add(whole)
        self.has_begun = self.has_begun or self._parts.has_text

    def close(self) -> None:
        """Nothing more comes: the last line may lack its newline, or be half a one, which says
        nothing. Raises ``ReportedError``."""
        with suppress(MalformedError):
            self.feed(b"\n")

    @property
    def kept(self) -> int:
        """Bytes of memory that the answer takes by now."""
        return self._parts.kept + len(self._pending)

    @property
    def is_whole(self) -> bool:
        return self._is_done or bool(self._parts.finish)

    def reply(self, first_token: float | None) -> Reply:
        """Raises ``MalformedError``."""
        return self._parts.reply(first_token)

    def _add(self, line: bytes) -> None:
        if not line.startswith(b"data:"):  # comments, names of events, empty lines
            return
        content = line[5:].strip()
        if content == b"[DONE]":
            self._is_done = True
        elif content:
            self._parts.add(_object(content), "delta")


@dataclass(slots=True)
class _Parts:
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish: str = ""
    is_refused: bool = False
    usage: Spent | None = None
    has_choice: bool = False
    kept: int = 0  # bytes of memory

    @property
    def has_text(self) -> bool:
        return bool(self.texts or self.thoughts)

    def add(self, document: Mapping[str, Any], name: str) -> None:
        """A whole answer, whose texts are in its “message”, or a part of one in its “delta”."""
        if error := document.get("error"):
            message = error.get("message") if isinstance(error, dict) else error
            raise ReportedError(str(message))
        self.usage = _usage(document.get("usage")) or self.usage
        choices = document.get("choices")
        if choices is None and name == "delta":
            return
        if not isinstance(choices, list):
            raise MalformedError("“choices” is no list")
        for choice in choices[:1]:
            self.has_choice = True
            self._add_choice(choice, name)

    def _add_choice(self, choice: object, name: str) -> None:
        if not isinstance(choice, dict):
            raise MalformedError("a choice is no object")
        message = choice.get(name)
        if message is None:
            message = {"content": choice.get("text")}
        if not isinstance(message, dict):
            raise MalformedError(f"“{name}” is no object")
        thought = message.get("reasoning_content") or message.get("reasoning")
        for texts, value in ((self.texts, message.get("content")), (self.thoughts, thought)):
            if text := _text(value):
                texts.append(text)
                self.kept += sys.getsizeof(text)
        if self.kept > _LARGEST_TEXT:
            raise MalformedError("its text is too long")
        self.is_refused = self.is_refused or bool(message.get("refusal"))
        finish = choice.get("finish_reason")
        if not isinstance(finish, str | None):
            raise MalformedError("“finish_reason” is no text")
        self.finish = finish or self.finish

    def reply(self, first_token: float | None = None) -> Reply:
        if not self.has_choice:
            raise MalformedError("it has no choices")
        text, reasoning = (_whole_characters("".join(one)) for one in (self.texts, self.thoughts))
        if answer := answer_part(text):
            around = text[: answer.start] + text[answer.start + len(answer.text) :]
            reasoning, text = reasoning + around.strip(), answer.text
        is_refused = self.is_refused or self.finish == "content_filter"
        usage = self.usage
        # Some servers report zeros: then a run would look as if it cost nothing, and reach no cap.
        if usage and not (usage.input and (usage.output or not (text or reasoning))):
            usage = None
        return Reply(text, reasoning, self.finish, is_refused, usage, first_token)


def _object(data: bytes | bytearray) -> dict[str, Any]:
    try:
        document = orjson.loads(data)
    except ValueError:
        document = _object_with_halves(data)
    if not isinstance(document, dict):
        raise MalformedError("it is no JSON object")
    return document


def _object_with_halves(data: bytes | bytearray) -> object:
    """Some endpoints send a character such as an emoji in two halves, which orjson refuses."""
    if _HALF.search(data):
        with suppress(ValueError, RecursionError):
            return json.loads(data.decode())
    raise MalformedError("it is not JSON")


def _whole_characters(text: str) -> str:
    """With surrogate halves joined; a lone one is not a character."""
    if _HALVES.search(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _text(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if value is None or isinstance(value, str):
        return value or ""
    if not isinstance(value, list):
        raise MalformedError("the content is no text")
    parts = [part.get("text") if isinstance(part, dict) else None for part in value]
    return "".join(part for part in parts if isinstance(part, str))


def _usage(value: object) -> Spent | None:
    """None unless both counts are there; a wrong one does not invalidate the answer."""
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    cached = _number(details.get("cached_tokens")) if isinstance(details, dict) else None
    given, made = _number(value.get("prompt_tokens")), _number(value.get("completion_tokens"))
    if given is None or made is None:
        return None
    return Spent(1, given, min(cached or 0, given), made)


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < _LARGEST_COUNT else None
