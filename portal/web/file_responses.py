"""Responses that a browser saves as files, and stored files sent in parts.

A download that broke off can be resumed: RFC 9110, section 14, one range of bytes. A request for
several is answered with the whole file.

Where the proxy can read stored files (``PROXY_DOWNLOADS``) it sends them: who may have which is
decided here, and the thread is free again at once.
"""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.db.models.fields.files import FieldFile
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from portal.web.concurrency import ConcurrencyLimit

_CHUNK = 1 << 18  # bytes
_RANGE = re.compile(
    r"bytes[ \t]*=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.ASCII | re.IGNORECASE
)
HANDED_OVER = "X-Accel-Redirect"
_STORED_FILES = "/stored-files/"  # nobody but nginx can ask for it: docker/nginx.conf
# nginx would check these against the file on the disk, whose hash it does not know.
_PRECONDITIONS = {"If-Match", "If-Unmodified-Since"}
AT_ONCE = 4  # a quarter of the threads of portal.gunicorn_conf: downloads take long
_RETRY_AFTER = 20  # seconds

_limit = ConcurrencyLimit(AT_ONCE)
_Response = TypeVar("_Response", bound=HttpResponseBase)


def as_attachment(response: _Response, name: str, *, cache: str = "") -> _Response:
    """Have it saved under this name, so that the browser runs nothing in it. An error stays a page.

    ``cache``: the Cache-Control, if it is not that of a page (``portal.web.middleware``).
    """
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        return response
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = "sandbox"
    if cache:
        response["Cache-Control"] = cache
    return response


class Part(NamedTuple):
    start: int
    end: int  # the byte after its last

    @property
    def size(self) -> int:
        return self.end - self.start


def requested_part(header: str, size: int) -> Part | None:
    """The part that a Range header names of a file of ``size`` bytes; empty if it has no such part.

    None if the whole file is the answer: another unit, several ranges, or no range at all.
    """
    found = _RANGE.fullmatch(header)
    if found is None or found[1] == found[2] == "":
        return None
    if not found[1]:
        return Part(max(0, size - int(found[2])), size)
    start = int(found[1])
    end = int(found[2]) + 1 if found[2] else size
    if found[2] and end <= start:
        return None
    return Part(min(start, size), min(end, size))


def send_file(
    request: HttpRequest, file: FieldFile, *, size: int, sha256: str, content_type: str
) -> HttpResponseBase:
    """The file, or a part of it, with its hash as ETag; 304 if the client has it already.

    No more than a chunk of it is in memory. With too many downloads at once, 503.
    """
    etag, part = f'"{sha256}"', None
    # If-Range: the client may have begun with another version of the file.
    if request.method == "GET" and request.headers.get("If-Range", etag) == etag:
        part = requested_part(request.headers.get("Range", ""), size)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        if part is not None and not part.size:
            response = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            response["Content-Range"] = f"bytes */{size}"
        elif request.method == "HEAD":
            response = StreamingHttpResponse(iter(()), content_type=content_type)
            response["Content-Length"] = str(size)
        elif _may_hand_over(request, file):
            response = HttpResponse(content_type=content_type)
            response[HANDED_OVER] = _STORED_FILES + quote(str(file.name))
            response["ETag"] = etag
            return response  # nginx adds the headers about parts itself
        elif _limit.acquire():
            response = _stream(file, part, size, content_type)
        else:
            response = _too_many()
    response["Accept-Ranges"], response["ETag"] = "bytes", etag
    return response


def _may_hand_over(request: HttpRequest, file: FieldFile) -> bool:
    return (
        settings.PROXY_DOWNLOADS
        and isinstance(file.storage, FileSystemStorage)
        and not _PRECONDITIONS & request.headers.keys()
    )


def _stream(
    file: FieldFile, part: Part | None, size: int, content_type: str
) -> StreamingHttpResponse:
    """Call it with a slot of the limit, which is released at the end."""
    try:
        stored = file.storage.open(str(file.name), "rb")
    except BaseException:
        _limit.release()
        raise
    wanted = part or Part(0, size)
    response = StreamingHttpResponse(_Chunks(stored, wanted), content_type=content_type)
    response["Content-Length"] = str(wanted.size)
    if part is not None:
        response.status_code = HTTPStatus.PARTIAL_CONTENT
        response["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{size}"
    return response


def stream_attachment(
    request: HttpRequest, body: Iterator[bytes], name: str, *, content_type: str, cache: str
) -> HttpResponseBase:
    """A body that is made while it is sent, which counts as a concurrent download.

    A HEAD request makes none of it.
    """
    if request.method == "HEAD":
        response: HttpResponseBase = StreamingHttpResponse(iter(()), content_type=content_type)
    elif _limit.acquire():
        response = StreamingHttpResponse(_Held(body), content_type=content_type)
    else:
        return _too_many()
    return as_attachment(response, name, cache=cache)


def _too_many() -> HttpResponse:
    sentence = "Too many downloads right now. Please try again in a moment."
    response = HttpResponse(f"{sentence}\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
    response["Content-Type"] = "text/plain; charset=utf-8"
    response["Retry-After"] = str(_RETRY_AFTER)
    return response


class _Held:
    """A body that holds one slot of the limit until it is closed; see ``_Chunks``."""

    def __init__(self, body: Iterator[bytes]) -> None:
        self._body, self._is_open = body, True

    def __iter__(self) -> Iterator[bytes]:
        return self._body

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            _limit.release()

    def __del__(self) -> None:
        self.close()


class _Chunks:
    """A part of a file, which holds one slot of the limit until it is closed.

    The server closes it, also when the client leaves early. If something fails before the server
    has it, ``__del__`` releases the slot.
    """

    def __init__(self, stored: "File[bytes]", part: Part) -> None:
        self._stored, self._left, self._is_open = stored, part.size, True
        self._stored.seek(part.start)

    def __iter__(self) -> Iterator[bytes]:
        while self._left and (chunk := self._stored.read(min(_CHUNK, self._left))):
            self._left -= len(chunk)
            yield chunk

    def close(self) -> None:
        self._stored.close()
        if self._is_open:
            self._is_open = False
            _limit.release()

    def __del__(self) -> None:
        self.close()
