"""Requests to the Hub, through the guard of endpoint runs (``transport.outbound``).

The Hub's own client is not used: it reads answers of any size, follows pages and redirects without
end, sleeps between its retries, and has one transport for the whole process. Tests compare how it
reads the protocol with how we do.

Bounded, whatever the Hub sends: redirects, bytes and pages of metadata, bytes of files, the time
of all requests together. The token goes to the Hub alone: after a redirect to another host it is
not sent again. No answer may be compressed.

Requests are made one at a time, and the caller may use its database between them, so the event
loop runs for one step at a time.
"""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import closing, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import quote

import httpx2
import orjson
from django.conf import settings

from portal.hub.failures import HubError
from portal.models import HubKind, hub_site
from scoring.endpoint.transport.addresses import OutboundPolicy
from scoring.endpoint.transport.failures import EndpointError, Kind
from scoring.endpoint.transport.outbound import GuardedTransport
from scoring.limits import MIB

_REDIRECTS = 5
_MAX_DOCUMENT = 2 * MIB  # bytes; the Hub's pages of 1,000 files have a fifth of it
_PAGES = 20  # of a list of files
_RESUMED = 3  # times that the download of one file may break off
_STEP = 30.0  # seconds for one answer, or one part of a file: shorter than a worker's lease
_TIMEOUT = httpx2.Timeout(20.0, connect=10.0)
_LONGEST_WAIT = 3_600.0  # seconds that the Hub may tell us to wait
_COMMIT = re.compile(r"[0-9a-f]{40}")
_RESET = re.compile(r"(?:\A|;)\s*t=(\d{1,6})\b")  # of the Hub's RateLimit header
_FORM = "application/x-www-form-urlencoded"
_MOVED = (301, 302, 303, 307, 308)

T = TypeVar("T")


class Revision(NamedTuple):
    commit: str
    is_private: bool


class HubFile(NamedTuple):
    path: str  # as the Hub names it; never used as a path of ours
    size: int
    sha256: str  # of a file in LFS; empty for one in git itself
    blob: str  # git's hash


class HubClient:
    """``seconds``: for all requests together. ``heartbeat`` is called after each step, and ends
    the request by raising an exception. Methods raise ``HubError``."""

    def __init__(
        self, token: str = "", *, seconds: float, heartbeat: Callable[[], None] = lambda: None
    ) -> None:
        self._site = hub_site()
        self._origin = _origin(httpx2.URL(self._site))
        self._token = token
        self._heartbeat = heartbeat
        self._deadline = time.monotonic() + seconds
        self._runner = asyncio.Runner()
        policy = OutboundPolicy(loopback_ports=settings.HUB_LOOPBACK_PORTS)
        self._client = httpx2.AsyncClient(
            transport=GuardedTransport(policy, connections=2),
            headers={"Accept-Encoding": "identity", "User-Agent": "infinitebench"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # none is kept
            trust_env=False,
            timeout=_TIMEOUT,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.close()

    def resolve(self, kind: str, repository: str, revision: str) -> Revision:
        """The commit that a branch, a tag or a commit names."""
        path = f"/api/{kind}s/{repository}/revision/{quote(revision, safe='')}"
        # Without “expand” the Hub lists all files here, however many there are.
        document = self._document("GET", f"{path}?expand=sha&expand=private")
        commit = document.get("sha") if isinstance(document, dict) else None
        if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
            raise HubError("unreadable")
        return Revision(commit, is_private=bool(document.get("private")))

    def find(self, kind: str, repository: str, commit: str, path: str) -> HubFile | None:
        """The file at this path; None: it is a folder."""
        target = f"/api/{kind}s/{repository}/paths-info/{commit}"
        form = httpx2.QueryParams({"paths": path, "expand": "false"})
        found = self._document("POST", target, str(form).encode(), _FORM)
        if not isinstance(found, list):
            raise HubError("unreadable")
        if not found:
            raise HubError("path_unknown")
        return _file_of(found[0])

    def files(self, kind: str, repository: str, commit: str, folder: str) -> Iterator[HubFile]:
        """The files in a folder and in all folders below it."""
        inner = f"/{quote(folder, safe='')}" if folder else ""
        target = f"/api/{kind}s/{repository}/tree/{commit}{inner}?recursive=true&expand=false"
        for _ in range(_PAGES):
            rows, response = self._step(self._read("GET", target))
            if not isinstance(rows, list):
                raise HubError("unreadable")
            for row in rows:
                if file := _file_of(row):
                    yield file
            following = response.links.get("next", {}).get("url")
            if following is None:
                return
            target = following
        raise HubError("too_many_files")

    def download(
        self, kind: str, repository: str, commit: str, file: HubFile
    ) -> Generator[bytes, None, None]:
        """The bytes of a file, checked against its size and hash. Where the connection breaks off,
        the rest is requested."""
        folder = "" if kind == HubKind.MODEL else f"/{kind}s"
        target = f"{folder}/{repository}/resolve/{commit}/{quote(file.path)}"
        digest = hashlib.sha256()
        if not file.sha256:  # as git hashes a blob
            digest = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
        received = 0
        for is_last in (*[False] * _RESUMED, True):
            try:
                with closing(self._stream(target, received)) as parts:
                    for data in parts:
                        received += len(data)
                        if received > file.size:
                            raise HubError("damaged", "more bytes than listed")
                        digest.update(data)
                        yield data
            except HubError as error:
                if error.code != "broken_off" or is_last:
                    raise
            if received >= file.size:
                break
        if received != file.size:
            raise HubError("broken_off")
        if digest.hexdigest() != (file.sha256 or file.blob):
            raise HubError("damaged", "another hash")

    def _document(self, method: str, target: str, body: bytes = b"", content_type: str = "") -> Any:  # noqa: ANN401 - JSON
        return self._step(self._read(method, target, body, content_type))[0]

    def _stream(self, target: str, start: int) -> Generator[bytes, None, None]:
        """The bytes from ``start`` on."""
        headers = {"Range": f"bytes={start}-"} if start else {}
        response = self._step(self._open("GET", target, headers=headers))
        try:
            skipped = 0 if response.status_code == 206 else start  # else it sends the whole file
            parts = response.aiter_raw()
            while data := self._step(_next(parts)):
                before, skipped = skipped, max(0, skipped - len(data))
                if data := data[before:]:
                    yield data
        finally:
            with suppress(httpx2.HTTPError, OSError):
                self._runner.run(response.aclose())

    def _step(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the event loop until this is done. Raises ``HubError``, whatever goes wrong, without
        a cause: that may hold what others have sent."""
        try:
            found = self._runner.run(self._in_time(work))
        except TimeoutError:
            raise HubError("too_slow") from None
        except EndpointError as error:
            raise HubError(_CODES_OF_GUARD.get(error.kind, "unreachable")) from None
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, UnicodeError):
            raise HubError("redirected") from None
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            raise HubError("broken_off") from None
        except httpx2.ReadTimeout:
            raise HubError("too_slow") from None
        except (httpx2.HTTPError, ExceptionGroup, OSError):
            raise HubError("unreachable") from None
        self._heartbeat()
        return found

    async def _in_time(self, work: Coroutine[Any, Any, T]) -> T:
        left = self._deadline - time.monotonic()
        async with asyncio.timeout(max(0.0, min(left, _STEP))):
            return await work

    async def _read(
        self, method: str, target: str, body: bytes = b"", content_type: str = ""
    ) -> tuple[Any, httpx2.Response]:
        """The JSON document, and the response for its headers."""
        headers = {"Content-Type": content_type} if content_type else {}
        response = await self._open(method, target, body, headers)
        try:
            whole = bytearray()
            async for data in response.aiter_raw():
                whole += data
                if len(whole) > _MAX_DOCUMENT:
                    raise HubError("unreadable", "too large")
            return orjson.loads(whole), response
        except ValueError:
            raise HubError("unreadable") from None
        finally:
            await response.aclose()

    async def _open(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        url = httpx2.URL(f"{self._site}{target}" if target.startswith("/") else target)
        if _origin(url) != self._origin:
            raise HubError("redirected")  # the next page of a list is on another host
        token = self._token
        for _ in range(_REDIRECTS + 1):
            own = {"Authorization": f"Bearer {token}"} if token else {}
            request = self._client.build_request(
                method, url, content=body or None, headers={**(headers or {}), **own}
            )
            response = await self._client.send(request, stream=True)
            try:
                location = response.headers.get("Location", "")
                if response.status_code not in _MOVED or not location:
                    _check(response, has_token=bool(token))
                    return response
            except BaseException:
                await response.aclose()
                raise
            await response.aclose()
            url = url.join(location)
            if _origin(url) != self._origin:
                if body:
                    raise HubError("redirected")
                token = ""
        raise HubError("redirected")


_CODES_OF_GUARD = {
    Kind.PRIVATE: "not_public",
    Kind.SCHEME: "redirected",
    Kind.PORT: "redirected",
    Kind.ADDRESS: "redirected",
    Kind.NAME: "unreachable",
}


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


async def _next(parts: AsyncIterator[bytes]) -> bytes:
    """The next bytes; empty at the end."""
    async for data in parts:
        if data:
            return data
    return b""


def _file_of(row: object) -> HubFile | None:
    """None: a folder. Raises ``HubError``."""
    if not isinstance(row, dict):
        raise HubError("unreadable")
    if row.get("type") != "file":
        return None
    path, size, blob, lfs = (row.get(name) for name in ("path", "size", "oid", "lfs"))
    sha256 = lfs.get("oid") if isinstance(lfs, dict) else ""
    texts_are_plain = isinstance(path, str) and isinstance(blob, str) and isinstance(sha256, str)
    if not texts_are_plain or type(size) is not int or size < 0 or not path:
        raise HubError("unreadable")
    return HubFile(str(path), size, str(sha256), str(blob))


def _check(response: httpx2.Response, *, has_token: bool) -> None:
    """Raises ``HubError`` unless there is an answer to read."""
    status = response.status_code
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    if encoding != "identity":
        raise HubError("unreadable", "compressed")
    if status in (200, 201, 206):
        return
    code = _CODES.get(response.headers.get("X-Error-Code", ""), "")
    if response.headers.get("X-Error-Message") == "Access to this resource is disabled.":
        code = "disabled"
    if status == 416:
        raise HubError("damaged", "fewer bytes than listed")
    if status == 429:
        raise HubError("rate_limited", retry_after=_retry_after(response.headers))
    if status >= 500:
        raise HubError("hub_failed", str(status), _retry_after(response.headers))
    if not code and status in (401, 403):
        # Without a token the Hub answers 401 for all that it does not show, even what is not there.
        code = "no_access" if has_token else "not_found"
    raise HubError(code or ("not_found" if status == 404 else "refused"), str(status))


_CODES = {
    "RepoNotFound": "not_found",
    "GatedRepo": "gated",
    "RevisionNotFound": "revision_unknown",
    "EntryNotFound": "path_unknown",
}


def _retry_after(headers: httpx2.Headers) -> float | None:
    """In seconds. Dates are not read: clocks differ, and the Hub sends numbers."""
    wait = headers.get("Retry-After", "").strip()
    if not wait.isdecimal():
        found = _RESET.search(headers.get("RateLimit", ""))
        wait = found[1] if found else ""
    return min(float(wait[:9]), _LONGEST_WAIT) if wait.isdecimal() else None
