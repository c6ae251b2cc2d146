"""Receives uploads: how large they may be, how many at once, and where they are spooled.

All files of a request are spooled into one unnamed file: nothing is left of it after kill -9 or a
power cut, and no file name sent by a client is ever used on the server's disk.

    check_length(request)              # before a byte of the body is read
    check_room(request)                # likewise
    with receive(request) as incoming:
        upload, name = incoming.as_one_file()
"""

import errno
import logging
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from portal.storage.folder import anonymous_file
from portal.web.concurrency import ConcurrencyLimit
from portal.web.zip_writer import pack
from scoring.limits import LIMITS, MIB
from scoring.predictions.members import comparable_name, is_unsafe

FORM_ROOM = 2 * MIB  # for fields, file names and boundaries, on top of the files
_PARSE_SECONDS = 4.0  # of processor time for a body; 100 MB of ordinary files take less than one
_CHUNK = 1 << 18  # bytes
_PATH_CAP = 200  # characters
_ARCHIVE_NAME = "predictions.zip"
AT_ONCE, AT_ONCE_EACH = 6, 2  # uploads in a process, and of one account; each holds a thread
RETRY_AFTER_SECONDS = 20  # when the limit is reached

log = logging.getLogger(__name__)
_limit = ConcurrencyLimit(AT_ONCE, AT_ONCE_EACH)


class RejectFilesHandler(FileUploadHandler):
    """Stops reading at the first file: the default everywhere except on the submit page."""

    def new_file(self, *_: Any, **__: Any) -> None:
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
    """Nothing of the request is stored."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason = reason


def check_length(request: HttpRequest) -> None:
    """Check the announced length against the cap.

    No more than that is ever read, so a wrong length only cuts the upload short. Raises
    ``RefusedUploadError``, also for a chunked body, which announces none.
    """
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length.isdecimal():
        raise RefusedUploadError(Refusal.NO_LENGTH)
    if int(length) > LIMITS.bytes_in + FORM_ROOM:
        raise RefusedUploadError(Refusal.TOO_LARGE)


def check_room(request: HttpRequest) -> None:
    """Check that the disks have room for the body. Raises ``RefusedUploadError``."""
    try:
        check_disks(int(request.META["CONTENT_LENGTH"]))
    except OSError as error:
        log.error("uploads are refused: %s", error)
        raise RefusedUploadError(Refusal.NO_ROOM) from error


def check_disks(size: int) -> None:
    """Check that ``size`` bytes more leave ``MIN_FREE`` bytes free. Raises ``OSError``."""
    folders = [Path(settings.INCOMING_DIR)]
    with suppress(NotImplementedError):  # a storage on other machines
        folders.append(Path(default_storage.path("")))
    needed = settings.MIN_FREE + size
    for folder in folders:
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if (free := shutil.disk_usage(existing).free) < needed:
            raise OSError(errno.ENOSPC, f"{free} bytes are free", str(existing))


@contextmanager
def receive(request: HttpRequest) -> Iterator["Incoming"]:
    """Read the request: its fields into ``request.POST``, its files into the ``Incoming``.

    The files are deleted on exit. Raises ``RefusedUploadError`` before a byte is read if too many
    uploads are under way, and if the disk is full, here or in the ``with`` block.
    """
    owner = request.user.pk
    if not _limit.acquire(owner):
        raise RefusedUploadError(Refusal.BUSY)
    incoming = Incoming()
    request.upload_handlers = [_BodyHandler(request, incoming)]
    try:
        _parse_body(request)
        yield incoming
    except OSError as error:
        log.exception("an upload could not be stored")
        raise RefusedUploadError(Refusal.NO_ROOM) from error
    finally:
        incoming.close()
        _limit.release(owner)


def _parse_body(request: HttpRequest) -> QueryDict:
    try:
        return request.POST
    except UnreadablePostError as error:
        raise RefusedUploadError(Refusal.CUT) from error
    except TooManyFilesSent as error:
        raise RefusedUploadError(Refusal.TOO_MANY) from error
    except (MultiPartParserError, SuspiciousOperation, BadRequest) as error:
        raise RefusedUploadError(Refusal.UNREADABLE) from error


@dataclass(slots=True)
class SpooledFile:
    path: str  # as sent, made safe
    start: int  # in the spool
    size: int = 0  # bytes

    def chunks(self, spool: IO[bytes]) -> Iterator[bytes]:
        spool.seek(self.start)
        for start in range(0, self.size, _CHUNK):
            yield spool.read(min(_CHUNK, self.size - start))


@dataclass(slots=True)
class Incoming:
    """The files of one request, in the order they were sent."""

    files: list[SpooledFile] = field(default_factory=list)
    fields: set[str] = field(default_factory=set)  # the names of their form fields
    _open: list[IO[bytes]] = field(default_factory=list)  # the spool, and the archive made from it
    _size: int = 0

    def begin(self, path: str, field_name: str = "predictions") -> None:
        if not self._open:
            self._open.append(anonymous_file(Path(settings.INCOMING_DIR)))
        self.files.append(SpooledFile(path, start=self._size))
        self.fields.add(field_name)

    def add(self, data: bytes) -> None:
        """Append to the last file. Raises ``RefusedUploadError`` at the first byte too many."""
        self._size += len(data)
        if self._size > LIMITS.bytes_in:
            raise RefusedUploadError(Refusal.TOO_LARGE)
        self._open[0].write(data)
        self.files[-1].size += len(data)

    def as_one_file(self) -> "tuple[File[bytes], str]":
        """The only file as it is, or several packed into a zip; and its name.

        The order of the members does not depend on the order in which the files were sent. Raises
        ``RefusedUploadError`` if the zip is larger than an upload may be.
        """
        if len(self.files) == 1:
            return File(self._open[0]), self.files[0].path
        spool, archive = self._open[0], anonymous_file(Path(settings.INCOMING_DIR))
        self._open.append(archive)
        ordered = sorted(self.files, key=lambda file: file.path)
        names = _unique_paths([file.path for file in ordered])
        files = zip(names, ordered, strict=True)
        pack(((name, file.chunks(spool)) for name, file in files), archive)
        if archive.seek(0, 2) > LIMITS.bytes_in:
            raise RefusedUploadError(Refusal.TOO_LARGE)
        return File(archive), _ARCHIVE_NAME

    def digests(self) -> list[tuple[str, str]]:
        """Path and SHA-256 of each file, independent of the order in which they were sent."""
        found = []
        for file in self.files:
            digest = sha256()
            for chunk in file.chunks(self._open[0]):
                digest.update(chunk)
            found.append((file.path, digest.hexdigest()))
        return sorted(found)

    def close(self) -> None:
        for file in self._open:
            with suppress(OSError):  # the disk is full, and the last bytes cannot be written
                file.close()


def _unique_paths(paths: list[str]) -> list[str]:
    """The same paths, with repeated ones moved into numbered folders.

    Without JavaScript a browser sends names without folders. Two files of the same name must both
    arrive, so that the scorer can report that two files are for one task.
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


def safe_path(path: str) -> str:
    """A path that is safe as the name of an archive member."""
    shown = "".join(char for char in path.replace("\\", "/") if char.isprintable())
    parts = [part for part in shown.split("/") if part not in ("", ".", "..")]
    name = "/".join(parts)[-_PATH_CAP:].lstrip("/")
    return (name.replace(":", "_") if is_unsafe(name) else name) or "upload"


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _MeteredBody:
    """A request body with a limit on processor time.

    A form can have so many tiny parts that parsing them takes minutes.
    """

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._deadline = time.thread_time() + _PARSE_SECONDS
        self.count = 0  # bytes

    def read(self, size: int) -> bytes:
        if time.thread_time() > self._deadline:
            raise RefusedUploadError(Refusal.UNREADABLE)
        data = self._source.read(size)
        self.count += len(data)
        return data


class _Parser(MultiPartParser):
    def sanitize_file_name(self, file_name: str) -> str:
        """Keep the folders, which distinguish files of the same name; Django drops them."""
        return safe_path(file_name)


class _BodyHandler(FileUploadHandler):
    """Has ``_Parser`` read the body, and checks that it is complete."""

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
        del boundary  # the parser reads it from META
        body = _MeteredBody(input_data)
        readable: Any = body  # the parser only calls ``read``
        parsed = _Parser(META, readable, [_FileSpooler(self._incoming)], encoding).parse()
        if body.count < content_length:  # the server need not raise when a client disconnects
            raise RefusedUploadError(Refusal.CUT)
        return parsed

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None: ...

    def file_complete(self, file_size: int) -> None: ...


class _FileSpooler(FileUploadHandler):
    """Writes the files to the ``Incoming``; Django gets none."""

    def __init__(self, incoming: Incoming) -> None:
        super().__init__()
        self._incoming = incoming

    def new_file(self, field_name: str, file_name: str, *more: Any, **named: Any) -> None:
        super().new_file(field_name, file_name, *more, **named)
        self._incoming.begin(file_name, field_name)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._incoming.add(raw_data)

    def file_complete(self, file_size: int) -> None: ...

    def upload_interrupted(self) -> None:
        raise RefusedUploadError(Refusal.CUT)  # in the middle of a file
