"""Content that is the same for every reader: rendered once, with 304 for unchanged pages."""

import re
import struct
import zlib
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from threading import RLock
from typing import NamedTuple, Self, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import now
from django.utils.translation import get_language

from portal.board_version import board_version
from portal.demo.progress import shown_progress
from portal.kept_regions import PATIENCE, kept_region
from portal.web.themes import chosen_theme

Texts = Mapping[str, str]  # by their names in a template
_Value = TypeVar("_Value")
_Key = TypeVar("_Key", bound=Hashable)

# Masked differently in every response. The secret behind the mask is the cookie, which counts.
_CSRF_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=")[^"]*')
_GZIP = re.compile(r"\bgzip\b")
_HTML = frozenset({"html", "signature"})  # texts of a region that are no plain text
_MESSAGES = "messages"  # the cookie of messages that the next page shows
_SECONDS_OF_PAGES = 3600
_LOCKS = [RLock() for _ in range(64)]  # each for all names with the same hash


class Region(NamedTuple):
    """The content of a page, for ``cached_page.html``."""

    title: str
    html: SafeString
    description: str | Promise = ""  # for search engines; empty: that of the site


class KeptPage(NamedTuple):
    """A page for readers without an account: all but the tokens of its forms, which each has of
    their own, and the same compressed.

    The tokens go between the parts uncompressed, so that no answer has to be compressed.
    """

    parts: list[bytes]
    compressed: list[bytes]  # blocks of one deflate stream (RFC 1951), each decodable on its own
    digest: bytes

    @classmethod
    def of(cls, html: bytes) -> Self:
        """All forms of a page have the same token."""
        found = _CSRF_TOKEN.search(html)
        parts = html.split(html[found.end(1) : found.end()]) if found else [html]
        compressed = [
            _deflated(part, zlib.Z_FINISH if part is parts[-1] else zlib.Z_SYNC_FLUSH)
            for part in parts
        ]
        return cls(parts, compressed, sha256(b"".join(parts)).digest())

    def with_token(self, token: str) -> bytes:
        return token.encode().join(self.parts)

    def gzipped(self, token: str) -> bytes:
        """A gzip file (RFC 1952) with an uncompressed block for each token (RFC 1951, 3.2.4)."""
        data = token.encode()
        block = struct.pack("<BHH", 0, len(data), len(data) ^ 0xFFFF) + data
        checksum = size = 0
        for number, part in enumerate(self.parts):
            if number:
                checksum, size = zlib.crc32(data, checksum), size + len(data)
            checksum, size = zlib.crc32(part, checksum), size + len(part)
        body = block.join(self.compressed)
        return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + body + struct.pack("<II", checksum, size)


def _deflated(part: bytes, ending: int) -> bytes:
    """Without a header; ends at the border of a byte."""
    compress = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compress.compress(part) + compress.flush(ending)


def cached_region(name: str, make: Callable[[], _Value]) -> _Value:
    """The value of this name in the reader's language, made again after any change of a board.

    The version is read before any other data. The cache belongs to this process, so that a reader
    who requests every address evicts nothing but other regions. None is not cached. Of readers who
    come at once, one has it made, the others wait.
    """
    return _kept(f"{board_version()}/{get_language()}/{name}", make)


def cached_forever(name: str, make: Callable[[], _Value]) -> _Value:
    """Of what never changes, such as data sets by their hashes."""
    return _kept(f"forever/{name}", make)


def cached_by_evaluation(
    name: str,
    evaluations: Collection[_Key],
    read: Callable[[Collection[_Key]], Mapping[_Key, _Value]],
) -> dict[_Key, _Value]:
    """What is known under this name of evaluations, or of repeated ones together; without those of
    which ``read`` finds nothing.

    The scores of an evaluation never change: after a change of a board only those of new entries
    are read. Of readers who come at once each may read; the last one's are cached.
    """
    regions = caches["regions"]
    key = sha256(f"evaluations/{name}".encode()).hexdigest()
    before: dict[_Key, _Value | None] = regions.get(key) or {}
    known = {one: before[one] for one in evaluations if one in before}
    missing = set(evaluations) - known.keys()
    if missing:
        found = read(missing)
        known |= {one: found.get(one) for one in missing}
        regions.set(key, known)
    return {one: value for one, value in known.items() if value is not None}


def read_together(
    name: str,
    one: str,
    together: Sequence[str],
    read: Callable[[Collection[str]], Mapping[str, _Value]],
) -> _Value | None:
    """What ``read`` finds of one page. ``together``: those that are asked for next, as
    ``portal.snapshot.asked_together``, of which it is read at once."""
    if one not in together:
        return read([one]).get(one)
    return cached_region(f"together/{name}/{together[0]}", lambda: read(together)).get(one)


def _kept(name: str, make: Callable[[], _Value], seconds: int | None = None) -> _Value:
    regions = caches["regions"]
    key = sha256(name.encode()).hexdigest()  # as short and plain as a key of a cache has to be
    found: _Value | None = regions.get(key)
    if found is None:
        with locked(key):
            found = regions.get(key)
            if found is None:
                found = make()
                regions.set(key, found, seconds or DEFAULT_TIMEOUT)
    return found


@contextmanager
def locked(key: str) -> Iterator[None]:
    """By one thread at a time; none waits longer than ``PATIENCE``."""
    lock = _LOCKS[hash(key) % len(_LOCKS)]
    is_acquired = lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if is_acquired:
            lock.release()


def region_page(
    request: HttpRequest, template: str, name: str, query: str, make: Callable[[], Texts]
) -> HttpResponse:
    """The page around a region, whose texts, plain but for ``_HTML``, are made once for all
    processes.

    ``query`` is all of the query string that counts. Where nothing else was sent, the page itself
    is made once for all readers without an account.
    """
    version, language = board_version(), get_language()
    shared_name = f"{language}/{name}{query}"

    def region() -> dict[str, str]:
        texts = _kept(f"{version}/{shared_name}", lambda: kept_region(shared_name, version, make))
        return {
            name: mark_safe(text) if name in _HTML else text  # noqa: S308 - as ``make`` rendered it
            for name, text in texts.items()
        }

    sent = request.META.get("QUERY_STRING", "")
    has_own = {settings.SESSION_COOKIE_NAME, _MESSAGES}.intersection(request.COOKIES)
    if has_own or query != (f"?{sent}" if sent else ""):
        return conditional_page(request, template, region())

    def page() -> KeptPage:
        return KeptPage.of(render(request, template, region()).content)

    # All that the page around the region depends on.
    about = (request.build_absolute_uri(), chosen_theme(request), now().date(), shown_progress())
    page_name = f"{version}/{language}/{template}/{about!r}"
    return _answer(request, _kept(page_name, page, _SECONDS_OF_PAGES))


def _answer(request: HttpRequest, page: KeptPage) -> HttpResponse:
    token = get_token(request) if len(page.parts) > 1 else ""
    is_gzipped = bool(_GZIP.search(request.headers.get("Accept-Encoding", "")))
    about = f"{request.META.get('CSRF_COOKIE', '')}/{is_gzipped}"
    etag = f'"{sha256(about.encode() + page.digest).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(page.gzipped(token) if is_gzipped else page.with_token(token))
        if is_gzipped:
            response["Content-Encoding"] = "gzip"
    response["ETag"] = etag
    # It says nothing of its reader that a window which has opened it could find out; elsewhere this
    # header makes a browser start another process, a sixth of the time of a first visit.
    response["Cross-Origin-Opener-Policy"] = "unsafe-none"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def conditional_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 if the reader has it already; no tag for users who are signed in.

    The tag is a hash of the body, so that it changes whenever the body does. It includes the CSRF
    cookie, since the forms of a page do not work without the cookie that they were made for.
    """
    if request.user.is_authenticated:
        return response
    cookie = str(request.META.get("CSRF_COOKIE", ""))
    body = _CSRF_TOKEN.sub(rb"\1", response.content)
    response["ETag"] = f'"{sha256(cookie.encode() + body).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=response["ETag"], response=response)
    return answer if isinstance(answer, HttpResponse) else response


def conditional_page(
    request: HttpRequest, template: str, context: Mapping[str, object]
) -> HttpResponse:
    return conditional_response(request, render(request, template, dict(context)))
