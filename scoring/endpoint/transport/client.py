"""One request over HTTP: one deadline and one byte budget for the whole exchange.

With ``outbound``, the only module that loads the HTTP library.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from socket import gaierror
from typing import Self

import httpx2
import orjson

from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.hosts import check_key_is_safe
from scoring.endpoint.transport.wire import (
    PATHS,
    MalformedError,
    Reply,
    ReportedError,
    StreamedReply,
    read_document,
)

_CONNECT = 15.0  # seconds
_ANSWER = 1 << 20  # bytes of an answer, and besides for each token that it may have …
_TOKEN = 1_024  # … since a stream brings each in a document of its own; but never …
_LARGEST = 1 << 25  # … more than this
_TOGETHER = 1 << 25  # bytes of memory for all answers that are coming
# Of an answer in a file of predictions, in bytes, and besides for each token that it may have: one
# that is longer did not keep to its limit, and a line of 1 MiB spoils a whole file.
_LONGEST = 1 << 15
_FOR_TOKEN = 24
_LONGEST_OF_ALL = 900_000
_REASONING = 100_000  # characters that are kept
_ERROR = 1 << 16  # bytes that are read of an error
_DETAIL = 300  # characters that are kept of it
_FINISH = 60  # characters that are kept of the reason why an answer has ended
_SECRET = 8  # characters: shorter keys (“EMPTY”) guard nothing, and may be words of an answer
_LONGEST_WAIT = 3_600.0  # seconds that an endpoint may ask for


@dataclass(frozen=True, slots=True)
class Exchange:
    reply: Reply
    seconds: float


class Endpoint:
    """``transport``: where connections come from, if not the whole network is allowed.

    A key goes over https or to this machine, over plain http to a local network only if that is
    allowed; raises ``SettingsError`` otherwise.
    """

    def __init__(
        self,
        settings: RunSettings,
        key: str = "",
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        is_local_allowed: bool = False,
    ) -> None:
        check_key_is_safe(settings.url, key, is_local_allowed=is_local_allowed)
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        # What cannot be seen, or is no plain character, may stand inside a key that is repeated.
        self._key = re.compile("[^ -~]*".join(map(re.escape, key))) if key else None
        self._key_length = len(key)
        self._timeout = settings.timeout
        self._kept = 0  # bytes of memory, of answers that are coming
        self._url = settings.url.rstrip("/") + PATHS[settings.api]
        connections = settings.concurrency
        self._client = httpx2.AsyncClient(
            headers=headers,
            transport=transport,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # none is kept
            trust_env=False,
            timeout=httpx2.Timeout(None, connect=_CONNECT),
            limits=httpx2.Limits(
                max_connections=connections, max_keepalive_connections=connections
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, body: bytes, output_tokens: int) -> Exchange:
        """The answer to a request. Raises ``EndpointError``."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        largest = min(_ANSWER + _TOKEN * output_tokens, _LARGEST)
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream("POST", self._url, content=body) as response,
            ):
                await self._check(response)
                reply = await self._read(response, largest, begun)
                _check_length(reply.text, output_tokens)
                return Exchange(self._without_key(reply), clock() - begun)
        # “from None”: the causes have what the endpoint has sent, word for word.
        except TimeoutError:
            raise EndpointError(Kind.TIMEOUT, f"after {self._timeout} s") from None
        except MalformedError as error:
            raise EndpointError(Kind.MALFORMED, str(error)) from None
        except ReportedError as error:
            said = str(error)
            detail = self._detail(said[:_ERROR], is_cut=len(said) > _ERROR)
            raise EndpointError(Kind.REPORTED, detail) from None
        except httpx2.InvalidURL:
            raise EndpointError(Kind.ADDRESS) from None
        except ExceptionGroup as group:  # of the addresses that were tried
            if group.split(OverflowError)[1]:
                raise
            raise EndpointError(Kind.ADDRESS) from None
        except httpx2.HTTPError as error:
            raise EndpointError(_kind_of(error)) from None

    async def _read(self, response: httpx2.Response, largest: int, begun: float) -> Reply:
        is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
        clock = asyncio.get_running_loop().time
        streamed, whole, size, kept, first_token = StreamedReply(), bytearray(), 0, 0, None
        try:
            async for part in response.aiter_raw():
                size += len(part)
                if size > largest:
                    raise EndpointError(Kind.TOO_LARGE, f"more than {largest:,} bytes")
                if is_stream:
                    streamed.feed(part)
                else:
                    whole += part
                before, kept = kept, streamed.kept if is_stream else size
                self._kept += kept - before
                if self._kept > _TOGETHER:
                    raise EndpointError(Kind.TOO_LARGE, "with the others that come at once")
                if streamed.has_begun and first_token is None:
                    first_token = clock() - begun
            if not is_stream:
                return read_document(whole)
            streamed.close()
            if not streamed.is_whole:
                raise EndpointError(Kind.HALF)
            return streamed.reply(first_token)
        finally:
            self._kept -= kept

    async def _check(self, response: httpx2.Response) -> None:
        """Raises ``EndpointError`` unless there is a response to read."""
        encoding = response.headers.get("Content-Encoding", "identity").lower()
        if encoding != "identity":
            raise EndpointError(Kind.MALFORMED, "it is compressed, which was not asked for")
        if response.status_code == httpx2.codes.OK:
            return
        data = bytearray()
        async for part in response.aiter_raw():
            data += part
            if len(data) >= _ERROR:
                break
        message, code = _error_in(bytes(data[:_ERROR]))
        kind = _kind_of_status(response.status_code, code)
        wait = _retry_after(response.headers.get("Retry-After", ""))
        said = self._detail(message, is_cut=len(data) >= _ERROR)
        detail = f"{response.status_code} {said}".strip()
        raise EndpointError(kind, detail, wait)

    def _detail(self, message: str, *, is_cut: bool = False) -> str:
        """The endpoint's message on one line; some repeat the key. ``is_cut``: it may end inside
        the key."""
        seen = "".join(each for each in message if each.isprintable() or each.isspace())
        line = " ".join(self._hide(seen).split())
        line = self._hide(line)
        if is_cut and self._key_length:
            line = line[: -2 * self._key_length]  # twice: a space may stand after each character
        return line[:_DETAIL]  # last: half a key is one too many

    def _without_key(self, reply: Reply) -> Reply:
        said = reply.finish
        finish = self._detail(said[:_ERROR], is_cut=len(said) > _ERROR)[:_FINISH]
        text, reasoning = reply.text, reply.reasoning
        if self._key_length >= _SECRET:
            text, reasoning = self._hide(text), self._hide(reasoning)
        if len(reasoning) > _REASONING:  # last: half a key is one too many
            reasoning = f"{reasoning[:_REASONING]}…"
        return replace(reply, text=text, reasoning=reasoning, finish=finish)

    def _hide(self, text: str) -> str:
        return self._key.sub("…", text) if self._key else text


def _check_length(text: str, output_tokens: int) -> None:
    """Raises ``EndpointError``."""
    longest = min(_LONGEST + _FOR_TOKEN * output_tokens, _LONGEST_OF_ALL)
    if len(text) > longest / 12 and len(json.dumps(text)) > longest:  # an emoji has 12 bytes
        raise EndpointError(Kind.TOO_LARGE, f"for a limit of {output_tokens:,} tokens")


def _kind_of(error: httpx2.HTTPError) -> Kind:
    causes = list(_causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Kind.CERTIFICATE
    if any(isinstance(cause, gaierror) for cause in causes):
        return Kind.NAME
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
        return Kind.HALF
    return Kind.CONNECTION


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


_KINDS = {401: Kind.KEY, 402: Kind.CREDIT, 403: Kind.KEY, 404: Kind.MODEL, 408: Kind.TIMEOUT,
          413: Kind.TOO_LONG, 429: Kind.BUSY}  # fmt: skip
_CODES = {
    "context_length_exceeded": Kind.TOO_LONG,
    "insufficient_quota": Kind.CREDIT,
    "model_not_found": Kind.MODEL,
}


def _kind_of_status(status: int, code: str) -> Kind:
    if code in _CODES:
        return _CODES[code]
    if status in _KINDS:
        return _KINDS[status]
    if 300 <= status < 400:
        return Kind.REDIRECT
    return Kind.REQUEST if 400 <= status < 500 else Kind.SERVER


def _error_in(data: bytes) -> tuple[str, str]:
    """The message and the code of an error, in OpenAI's form or as plain text."""
    try:
        document = orjson.loads(data)
    except ValueError:
        return data.decode(errors="replace"), ""
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error), ""
    code = error.get("code")
    return str(error.get("message") or ""), code if isinstance(code, str) else ""


def _retry_after(text: str) -> float | None:
    """Seconds; dates are not read: clocks differ, and endpoints write numbers."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return min(seconds, _LONGEST_WAIT) if seconds >= 0 else None
