"""Send a stored file, or a part of it, so that a download that broke off can be taken up again.

RFC 9110, section 14: one range of bytes; a question for several is answered with the whole file.
"""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import NamedTuple

from django.core.files.base import File
from django.db.models.fields.files import FieldFile
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from portal.web.concurrency import ConcurrencyLimit

_CHUNK = 1 << 18  # bytes
_RANGE = re.compile(
    r"bytes[ \t]*=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.ASCII | re.IGNORECASE
)
AT_ONCE = 4  # a quarter of the threads of portal.gunicorn_conf: downloads take long
_AGAIN = 20  # seconds

_limit = ConcurrencyLimit(AT_ONCE)


class Part(NamedTuple):
    start: int
    end: int  # the byte after its last

    @property
    def size(self) -> int:
        return self.end - self.start


def part_asked_for(header: str, size: int) -> Part | None:
    """The part that a Range header names, of a file of so many bytes; empty: there is no such part.

    None where all of the file is the answer: another unit, several ranges, or no range at all.
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
    """The file under its hash as ETag: whole, a part, or that the client has it already.

    Nothing more than a chunk of it is in memory. Where too many take something away just now, 503
    says when to come again.
    """
    etag = f'"{sha256}"'
    part = _part(request, etag, size)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None and part is not None and not part.size:
        response = _no_such_part(size)
    if response is None:
        response = _sent(request, file, part, size, content_type)
    response["Accept-Ranges"], response["ETag"] = "bytes", etag
    return response


def _sent(
    request: HttpRequest, file: FieldFile, part: Part | None, size: int, content_type: str
) -> HttpResponseBase:
    wanted = part or Part(0, size)
    if request.method == "HEAD":
        response = StreamingHttpResponse(iter(()), content_type=content_type)
    elif _limit.acquire():
        try:
            stored = file.storage.open(str(file.name), "rb")
        except BaseException:
            _limit.release()
            raise
        response = StreamingHttpResponse(_Chunks(stored, wanted), content_type=content_type)
    else:
        return _busy()
    if part is not None:
        response.status_code = HTTPStatus.PARTIAL_CONTENT
        response["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{size}"
    response["Content-Length"] = str(wanted.size)
    return response


def _part(request: HttpRequest, etag: str, size: int) -> Part | None:
    """None where all of it is wanted: also where the client has begun with another file."""
    if request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    return part_asked_for(request.headers.get("Range", ""), size)


def _no_such_part(size: int) -> HttpResponse:
    response = HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
    response["Content-Range"] = f"bytes */{size}"
    return response


def _busy() -> HttpResponse:
    sentence = _("Many people are downloading just now. Please try again in a moment.")
    response = HttpResponse(f"{sentence}\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
    response["Content-Type"] = "text/plain; charset=utf-8"
    response["Retry-After"] = str(_AGAIN)
    return response


class _Chunks:
    """A part of a file that holds one slot of the limit until it is closed.

    The server closes it, also where the client leaves early. Where something fails before the
    server has it, ``__del__`` frees the slot.
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
