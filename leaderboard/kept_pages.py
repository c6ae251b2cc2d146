"""Whole pages for readers without an account, made once for all of them and for all processes.

A page is made again after any change of a board. Changes that raise no version, such as of
reviewers' notes, reach readers without an account within ``_SECONDS``.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import wraps
from hashlib import sha256
from typing import Concatenate, NamedTuple, ParamSpec, Self

from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import mark_safe
from django.utils.timezone import now

from leaderboard.cache import Texts, conditional_page, kept_in
from portal import clock
from portal.board_version import board_version
from portal.demo.progress import shown_progress
from portal.kept_regions import kept_region
from portal.web.themes import chosen_theme

_P = ParamSpec("_P")

_TOKEN = re.compile(rb'(?<=name="csrfmiddlewaretoken" value=")[^"]*')
_GZIP = re.compile(r"\bgzip\b")
_HTML = frozenset({"html", "signature"})  # the texts of a region that are HTML
_MESSAGES = "messages"  # the cookie with messages for the next page
_SECONDS = 1_800
_LONGEST = 1 << 20  # bytes; longer pages are made for each reader


class KeptPage(NamedTuple):
    """A compressed page without the CSRF tokens of its forms, which differ between readers.

    The tokens are inserted uncompressed between the blocks, so that no response has to be
    compressed.
    """

    blocks: list[bytes]  # of one deflate stream (RFC 1951), each decodable on its own
    digest: bytes

    @classmethod
    def of(cls, html: bytes) -> Self:
        *others, last = parts = _TOKEN.split(html)
        blocks = [_deflated(part, zlib.Z_SYNC_FLUSH) for part in others]
        blocks.append(_deflated(last, zlib.Z_FINISH))
        return cls(blocks, sha256(b"".join(parts)).digest())

    def with_token(self, token: str) -> bytes:
        return token.encode().join(self._parts())

    def gzipped(self, token: str) -> bytes:
        """A gzip file (RFC 1952) with an uncompressed block for each token (RFC 1951, 3.2.4)."""
        data = token.encode()
        block = struct.pack("<BHH", 0, len(data), len(data) ^ 0xFFFF) + data
        plain = self.with_token(token)
        ending = struct.pack("<II", zlib.crc32(plain), len(plain))
        return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block.join(self.blocks) + ending

    def _parts(self) -> Iterator[bytes]:
        for block in self.blocks:
            yield zlib.decompressobj(-zlib.MAX_WBITS).decompress(block)


class _OtherAnswerError(Exception):
    """The view has returned a response that is not kept."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response


def _deflated(part: bytes, ending: int) -> bytes:
    """Without a header, and ending at a byte boundary."""
    compress = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compress.compress(part) + compress.flush(ending)


def kept_page(
    view: Callable[Concatenate[HttpRequest, _P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """The view of a public page, called once for all readers without an account.

    Only responses with status 200 are kept; within a transaction none is, since other processes
    would not see what the page shows.
    """

    @wraps(view)
    def kept_view(request: HttpRequest, /, *arguments: _P.args, **named: _P.kwargs) -> HttpResponse:
        if _has_own(request) or _is_ambiguous(request) or connection.in_atomic_block:
            return view(request, *arguments, **named)

        def make() -> Texts:
            response = view(request, *arguments, **named)
            if response.status_code != 200 or len(response.content) > _LONGEST:
                raise _OtherAnswerError(response)
            return {"html": _TOKEN.sub(b"", response.content).decode()}

        version, name = board_version(), _name_of_page(request)

        def page() -> KeptPage:
            return KeptPage.of(kept_region(name, version, make)["html"].encode())

        try:
            return _answer(request, kept_in(caches["pages"], f"{version}/{name}", page))
        except _OtherAnswerError as other:
            return other.response

    return kept_view


def region_page(
    request: HttpRequest, template: str, name: str, query: str, make: Callable[[], Texts]
) -> HttpResponse:
    """The page around a region, whose texts, plain except for ``_HTML``, are made once for all
    processes.

    ``query`` is the part of the query string that matters. If nothing else was sent, the page
    itself is made once for all readers without an account.
    """
    version = board_version()
    shared_name = f"{name}{query}"

    def region() -> dict[str, str]:
        texts = kept_in(
            caches["regions"],
            f"{version}/{shared_name}",
            lambda: kept_region(shared_name, version, make),
        )
        return {
            name: mark_safe(text) if name in _HTML else text  # noqa: S308 - as ``make`` rendered it
            for name, text in texts.items()
        }

    sent = request.META.get("QUERY_STRING", "")
    if _has_own(request) or query != (f"?{sent}" if sent else ""):
        return conditional_page(request, template, region())

    def page() -> KeptPage:
        return KeptPage.of(render(request, template, region()).content)

    page_name = f"{version}/{template}/{_name_of_page(request)}"
    return _answer(request, kept_in(caches["pages"], page_name, page))


def _has_own(request: HttpRequest) -> bool:
    """Whether the reader sees what others do not."""
    return not {settings.SESSION_COOKIE_NAME, _MESSAGES}.isdisjoint(request.COOKIES)


def _is_ambiguous(request: HttpRequest) -> bool:
    """Whether another query has the same address: characters beyond ASCII that were sent unencoded
    can be read in two ways."""
    return not request.META.get("QUERY_STRING", "").isascii()


def _name_of_page(request: HttpRequest) -> str:
    """Everything that a page depends on besides the database, and the number of a period of
    ``_SECONDS``. Periods begin at a different time for each address, so that pages never all expire
    at once."""
    address = request.build_absolute_uri()
    shift = zlib.crc32(address.encode()) % _SECONDS
    turn = (clock.seconds_since_epoch() + shift) // _SECONDS
    return repr((address, chosen_theme(request), now().date(), turn, shown_progress()))


def _answer(request: HttpRequest, page: KeptPage) -> HttpResponse:
    token = get_token(request) if len(page.blocks) > 1 else ""
    is_gzipped = bool(_GZIP.search(request.headers.get("Accept-Encoding", "")))
    about = f"{request.META.get('CSRF_COOKIE', '')}/{is_gzipped}"
    etag = f'"{sha256(about.encode() + page.digest).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(page.gzipped(token) if is_gzipped else page.with_token(token))
        if is_gzipped:
            response["Content-Encoding"] = "gzip"
    response["ETag"] = etag
    # The page tells the window that opened it nothing about its reader. On other pages this
    # header makes the browser start another process, a sixth of the time of a first visit.
    response["Cross-Origin-Opener-Policy"] = "unsafe-none"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
