"""Files on their way in: how much is taken, where they wait, and where they are refused.

All files of a request go one after another into one file without a name: whatever happens, kill -9
and a power cut included, nothing is left of it, and no name from outside is ever one on our disk.

    check_length(request)              # before a byte of the body is read
    with receive(request) as incoming:
        upload, name = incoming.as_one_file()
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.core.files.base import File
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from portal.storage import anonymous_file
from portal.web.concurrency import ConcurrencyLimit
from portal.web.zip_writer import Member, pack
from scoring.limits import LIMITS, MIB
from scoring.predictions.members import comparable_name, is_unsafe

FORM_ROOM = 2 * MIB  # what fields, names of files and boundaries may add to the files
_READING = 4.0  # seconds of processor time for a body; 100 MB of honest files take less than one
_CHUNK = 1 << 18  # bytes
_PATH_CAP = 200  # characters
PACKED = "predictions.zip"
AT_ONCE, AT_ONCE_EACH = 6, 2  # uploads in a process, and of one person: a thread for each
AGAIN = 20  # seconds, for who finds no place

log = logging.getLogger(__name__)
_limit = ConcurrencyLimit(AT_ONCE, AT_ONCE_EACH)


class NoFiles(FileUploadHandler):
    """Everywhere but on the page that takes predictions: a file ends the reading of the request."""

    def new_file(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - as in Django
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None: ...

    def file_complete(self, file_size: int) -> None: ...


class Refusal(StrEnum):
    NO_LENGTH = "no length"
    TOO_LARGE = "too large"
    TOO_MANY = "too many files"
    CUT = "cut"
    UNREADABLE = "unreadable"
    NO_ROOM = "no room"
    BUSY = "busy"


class RefusedUploadError(Exception):
    """Nothing of the request is kept; ``why`` is for the person."""

    def __init__(self, why: Refusal) -> None:
        super().__init__(why)
        self.why = why


def check_length(request: HttpRequest) -> None:
    """Hold the length that the client announces against the cap.

    Not more than that length is ever read, so a lie about it only cuts the upload. Raises
    ``RefusedUploadError``, also for a body in chunks, which announces none.
    """
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length.isdecimal():
        raise RefusedUploadError(Refusal.NO_LENGTH)
    if int(length) > LIMITS.bytes_in + FORM_ROOM:
        raise RefusedUploadError(Refusal.TOO_LARGE)


@contextmanager
def receive(request: HttpRequest) -> Iterator["Incoming"]:
    """Read the request: its fields into ``request.POST``, its files into what this gives.

    They are gone when it is left. Raises ``RefusedUploadError``: before a byte is read where too
    many send something just now; also where reading, packing or storing them, within, finds no room
    on the disk.
    """
    owner = request.user.pk
    if not _limit.acquire(owner):
        raise RefusedUploadError(Refusal.BUSY)
    incoming = Incoming()
    request.upload_handlers = [_Receiver(request, incoming)]
    try:
        _read(request)
        yield incoming
    except OSError as error:
        log.exception("an upload could not be stored")
        raise RefusedUploadError(Refusal.NO_ROOM) from error
    finally:
        incoming.close()
        _limit.release(owner)


def _read(request: HttpRequest) -> QueryDict:
    try:
        return request.POST
    except UnreadablePostError as error:
        raise RefusedUploadError(Refusal.CUT) from error
    except TooManyFilesSent as error:
        raise RefusedUploadError(Refusal.TOO_MANY) from error
    except (MultiPartParserError, SuspiciousOperation, BadRequest) as error:
        raise RefusedUploadError(Refusal.UNREADABLE) from error


@dataclass(slots=True)
class _Sent:
    path: str  # as sent, made harmless
    start: int  # in the spool
    size: int = 0  # bytes


@dataclass(slots=True)
class Incoming:
    """The files of one request, in the order in which they came."""

    files: list[_Sent] = field(default_factory=list)
    _open: list[IO[bytes]] = field(default_factory=list)  # the spool, and the archive made of it
    _size: int = 0

    def begin(self, path: str) -> None:
        if not self._open:
            self._open.append(anonymous_file(Path(settings.INCOMING_DIR)))
        self.files.append(_Sent(path, start=self._size))

    def add(self, data: bytes) -> None:
        """More of the last file. Raises ``RefusedUploadError`` at the byte that is too much."""
        self._size += len(data)
        if self._size > LIMITS.bytes_in:
            raise RefusedUploadError(Refusal.TOO_LARGE)
        self._open[0].write(data)
        self.files[-1].size += len(data)

    def as_one_file(self) -> "tuple[File[bytes], str]":
        """One file as it is, or several unchanged in a zip; and its name.

        Raises ``RefusedUploadError`` where the zip is larger than an upload may be.
        """
        if len(self.files) == 1:
            return File(self._open[0]), self.files[0].path
        archive = anonymous_file(Path(settings.INCOMING_DIR))
        self._open.append(archive)
        pack(_members(self.files, self._open[0]), archive)
        if archive.seek(0, 2) > LIMITS.bytes_in:
            raise RefusedUploadError(Refusal.TOO_LARGE)
        return File(archive), PACKED

    def close(self) -> None:
        for file in self._open:
            with suppress(OSError):  # a full disk, at what was not written yet
                file.close()


def _members(files: list[_Sent], spool: IO[bytes]) -> Iterator[Member]:
    """In one order, whatever order they came in."""
    ordered = sorted(files, key=lambda file: file.path)
    names = _distinct([file.path for file in ordered])
    for name, file in zip(names, ordered, strict=True):
        yield name, _parts(file, spool)


def _parts(file: _Sent, spool: IO[bytes]) -> Iterator[bytes]:
    spool.seek(file.start)
    for start in range(0, file.size, _CHUNK):
        yield spool.read(min(_CHUNK, file.size - start))


def _distinct(paths: list[str]) -> list[str]:
    """The same paths, where one comes again below a folder with a number.

    A browser without a script sends names without folders. Two files of one name both have to
    arrive: the reader then says which two are for one task.
    """
    taken: set[str] = set()
    times: Counter[str] = Counter()
    found = []
    for path in paths:
        name, key = path, comparable_name(path)
        while comparable_name(name) in taken:
            times[key] += 1
            name = f"{times[key] + 1}/{path}"
        taken.add(comparable_name(name))
        found.append(name)
    return found


def harmless_path(path: str) -> str:
    """The folders and the name of a file as a member of an archive may have them."""
    shown = "".join(char for char in path.replace("\\", "/") if char.isprintable())
    parts = [part for part in shown.split("/") if part not in ("", ".", "..")]
    name = "/".join(parts)[-_PATH_CAP:].lstrip("/")
    return (name.replace(":", "_") if is_unsafe(name) else name) or "upload"


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Metered:
    """A body that is not read any longer when that has cost too much.

    Parts of a form can be so many and so small that a parser works on them for minutes.
    """

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._until = time.thread_time() + _READING
        self.count = 0  # bytes

    def read(self, size: int) -> bytes:
        if time.thread_time() > self._until:
            raise RefusedUploadError(Refusal.UNREADABLE)
        data = self._source.read(size)
        self.count += len(data)
        return data


class _Parser(MultiPartParser):
    def sanitize_file_name(self, file_name: str) -> str:
        """With its folders, which tell two files of one name apart; Django leaves them out."""
        return harmless_path(file_name)


class _Receiver(FileUploadHandler):
    """Has a parser of ours read the body, and sees to it that all of it came."""

    def __init__(self, request: HttpRequest, incoming: Incoming) -> None:
        super().__init__(request)
        self._incoming = incoming

    def handle_raw_input(
        self,
        input_data: Any,  # noqa: ANN401 - as in Django
        META: dict[str, str],  # noqa: N803 - likewise
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> Any:  # noqa: ANN401 - likewise
        del boundary  # the parser finds it again
        body = _Metered(input_data)
        readable: Any = body  # that is all a parser does with it
        found = _Parser(META, readable, [_Spooler(self._incoming)], encoding).parse()
        if body.count < content_length:  # a server may tell so only by the end of what it has
            raise RefusedUploadError(Refusal.CUT)
        return found

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None: ...

    def file_complete(self, file_size: int) -> None: ...


class _Spooler(FileUploadHandler):
    """Hands the files to ``Incoming``, and none to Django."""

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._incoming = incoming

    def new_file(self, field_name: str, file_name: str, *more: Any, **named: Any) -> None:  # noqa: ANN401 - as in Django
        super().new_file(field_name, file_name, *more, **named)
        self._incoming.begin(file_name)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._incoming.add(raw_data)

    def file_complete(self, file_size: int) -> None: ...

    def upload_interrupted(self) -> None:
        raise RefusedUploadError(Refusal.CUT)  # the last file has no end
