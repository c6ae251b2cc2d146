"""Requests to a site: certificates verified, no redirect followed, repeated where that is safe."""

import json
import random
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from scoring import __version__
from scoring.problems import visible
from scoring.site.errors import RefusedError, SiteError, UnreachableError
from scoring.site.login import Login
from scoring.site.upload import Upload

ATTEMPTS = 6
TO_CONNECT = 4  # attempts where nobody answers: some ten seconds
LONGEST_WAIT = 120.0  # seconds that are waited for where the site asks for it; above, it is told
PROBLEM = "application/problem+json"
_TIMEOUT = 60.0  # seconds without a byte
_LONGEST_DOCUMENT = 200 << 20
_CHUNK = 1 << 16
_BUSY = (429, 503)  # the site has done nothing, and says when to come again
_BROKEN = (500, 502, 504)  # it may have done what was asked

Waiting = Callable[[str], None]
Sent = Callable[[int, int], None]


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]  # with names in lower case
    body: bytes

    def document(self) -> dict[str, Any]:
        """Raises ``UnreachableError`` if it is none: another program has answered."""
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UnreachableError(
                f"What answers at this address is not the leaderboard (status {self.status})."
            )
        return found


def _nothing(*_: object) -> None: ...


class Site:
    """``pause`` waits so many seconds; ``waiting`` is told why."""

    def __init__(
        self,
        login: Login,
        *,
        pause: Callable[[float], None] = time.sleep,
        waiting: Waiting = _nothing,
    ) -> None:
        self.address = login.address
        self._token = login.token
        self._pause = pause
        self._waiting = waiting

    def get(self, path: str) -> Answer:
        return self._answer("GET", path, {}, None, is_repeatable=True)

    def post(self, path: str, fields: Mapping[str, object]) -> Answer:
        """Not retried once it may have arrived."""
        body = json.dumps(fields).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        return self._answer("POST", path, headers, lambda: iter([body]), is_repeatable=False)

    def upload(self, path: str, upload: Upload, sent: Sent = _nothing) -> Answer:
        """Sent again under the same key until it has arrived."""
        headers = {
            "Content-Type": upload.content_type,
            "Content-Length": str(upload.length),
            "Idempotency-Key": upload.key,
        }

        def body() -> Iterator[bytes]:
            done = 0
            for chunk in upload.chunks():
                yield chunk
                done += len(chunk)
                sent(done, upload.length)

        return self._answer("POST", path, headers, body, is_repeatable=True)

    def _answer(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Callable[[], Iterator[bytes]] | None,
        *,
        is_repeatable: bool,
    ) -> Answer:
        """Raises ``RefusedError`` and ``UnreachableError``."""
        for attempt in range(ATTEMPTS):
            wait = 2.0**attempt * (1 + random.random() / 2)  # noqa: S311 - not all at once
            try:
                with self._sent(method, path, headers, body) as response:
                    answer = _read(response)
            except ssl.SSLCertVerificationError as error:
                raise UnreachableError(
                    f"{self.address} has no valid certificate: {error.verify_message}. "
                    "Nothing was sent."
                ) from error
            except (OSError, HTTPException) as error:
                is_sent = not isinstance(error, _NotSentError)
                is_again = is_repeatable if is_sent else attempt < TO_CONNECT - 1
                why = _reason(error)
            else:
                if answer.status < 300:
                    return answer
                asked = _retry_after(answer)
                why, is_again = f"it answered with {answer.status}", False
                if answer.status in _BUSY and _is_soon(answer, asked):
                    is_again, wait = True, max(wait, asked or 0)
                elif answer.status in _BROKEN:
                    is_again = is_repeatable
                if not is_again or attempt == ATTEMPTS - 1:
                    raise _refusal(answer)
            if not is_again or attempt == ATTEMPTS - 1:
                break
            self._waiting(f"{self.address}: {why}; trying again in {wait:.0f} s")
            self._pause(wait)
        times = f"tried {attempt + 1} times" if attempt else "tried once"
        raise UnreachableError(f"{self.address} cannot be reached: {why} ({times}).")

    @contextmanager
    def _sent(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Callable[[], Iterator[bytes]] | None,
    ) -> Iterator[HTTPResponse]:
        connection = self._connection()
        try:
            try:
                connection.connect()
            except ssl.SSLCertVerificationError:
                raise
            except OSError as error:
                raise _NotSentError(_reason(error)) from error
            own = {
                "Accept": "application/json",
                "Connection": "close",
                "User-Agent": f"infinitebench/{__version__}",
                "Authorization": f"Bearer {self._token}",
            }
            # A site that refuses an upload may answer, and close, before all of it was sent.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body() if body else None, {**own, **headers})
            yield connection.getresponse()
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        """Through the proxy that the environment names, which sees no more than the host."""
        parts = urlsplit(self.address)
        host, port = parts.hostname or "", parts.port
        if parts.scheme == "http":  # this machine
            return HTTPConnection(host, port, timeout=_TIMEOUT)
        context = ssl.create_default_context()
        named = "" if proxy_bypass(host) else getproxies().get("https", "")
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        if not proxy.hostname:
            return HTTPSConnection(host, port, timeout=_TIMEOUT, context=context)
        connection = HTTPSConnection(
            proxy.hostname, proxy.port or 80, timeout=_TIMEOUT, context=context
        )
        login = f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}"
        basic = f"Basic {b64encode(login.encode()).decode()}"
        connection.set_tunnel(
            host, port or 443, {"Proxy-Authorization": basic} if proxy.username else {}
        )
        return connection


class _NotSentError(OSError):
    """No connection was made, and so nothing was done."""


def _read(response: HTTPResponse) -> Answer:
    body = bytearray()
    while chunk := response.read(_CHUNK):
        body += chunk
        if len(body) > _LONGEST_DOCUMENT:
            raise UnreachableError("The answer is too long to be one of the leaderboard.")
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, bytes(body))


def _refusal(answer: Answer) -> SiteError:
    if 300 <= answer.status < 400:
        place = visible(answer.headers.get("location", "another address"), 200)
        return UnreachableError(
            f"The site answers with a redirect to {place}, which is not followed: your token would "
            "go there. If that is where the site is now, log in to it."
        )
    try:
        found = json.loads(answer.body)
        status, code, detail = answer.status, str(found["code"]), visible(found["detail"], 2_000)
        errors = [dict(one) for one in found.get("errors", ())]
    except (ValueError, KeyError, TypeError, AttributeError):
        if answer.status >= 500:
            return UnreachableError(f"The site has failed (status {answer.status}).")
        return UnreachableError(
            f"What answers at this address is not the leaderboard (status {answer.status})."
        )
    if answer.status >= 500 and answer.status not in _BUSY:
        return UnreachableError(f"The site has failed (status {status}): {detail}")
    return RefusedError(status, code, detail, errors)


def _retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _is_soon(answer: Answer, asked: float | None) -> bool:
    """A refusal by the site itself that names no time is none that passes by itself."""
    if asked is None:
        return answer.headers.get("content-type", "") != PROBLEM
    return asked <= LONGEST_WAIT


def path_of(address: str) -> str:
    """For an address in a response: it is requested from the configured site, whatever its host."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, OSError):
        return str(error.strerror or error) or "the connection broke"
    return "the connection broke"
