"""Files in a bucket of S3, or of a server that speaks its protocol, read by ranges of bytes.

Django loads this by its name where ``STORAGE_URL`` is set; nothing else imports boto3, which takes
37 MB of memory, and 13 more for its first client.
"""

import errno
import io
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import IO, Any, cast

from boto3 import Session
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.utils.functional import cached_property
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

from portal.storage.folder import StorageUnavailableError

# Reading a window of a text takes a few short requests to it and its index; reading a whole file
# takes one for each of ever longer parts.
_LEAST, _MOST = 1 << 12, 1 << 22  # bytes requested at once
_PARTS, _SMALL = 6, 1 << 16  # so many parts of at most so many bytes are in memory, or one larger
_CONNECT, _READ = 2, 10  # seconds; nothing waits longer than twice both
_CLIENT = Config(
    connect_timeout=_CONNECT,
    read_timeout=_READ,
    retries={"total_max_attempts": 2, "mode": "standard"},
    max_pool_connections=16,  # as many as a web process has threads
    # Other servers refuse the checksums that Amazon's wants by default.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
# A part is in memory while it is sent, and the threads are ours.
_TRANSFER = TransferConfig(use_threads=False)
_MISSING = 404


class RangeStorage(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """What fails raises ``OSError``, as with files on a disk: ``FileNotFoundError`` where there is
    no such file, ``StorageUnavailableError`` where the server does not answer, or refuses."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config: Config = self.client_config.merge(_CLIENT)
        self.transfer_config = _TRANSFER
        self._lock = Lock()

    @property
    def connection(self) -> Any:  # noqa: ANN401 - no types
        """That of this thread. All share a session: one for each would take 13 MB each."""
        with self._lock:  # connecting is not safe in several threads at once
            return super().connection

    @cached_property
    def _session(self) -> Session:
        return Session(self.access_key, self.secret_key, self.security_token)

    def _create_session(self) -> Session:
        return self._session

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        if mode != "rb":
            raise ValueError("Files in a bucket are written whole, with ``save``.")
        return _StoredFile(self.open_range, name)

    def open_range(self, name: str) -> "RangeFile":
        key = str(self._normalize_name(clean_name(name)))
        return RangeFile(self.connection.meta.client, self.bucket_name, key)

    def _save(self, name: str, content: "File[Any]") -> str:
        """The object appears whole or not at all; the content is read once."""
        content.seek(0)
        with _as_os_errors(name):
            saved: str = super()._save(name, _Stream(content))
        return saved

    def exists(self, name: str) -> bool:
        with _as_os_errors(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with _as_os_errors(name):
            return int(super().size(name))

    def delete(self, name: str) -> None:
        with _as_os_errors(name):
            super().delete(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _as_os_errors(path):
            folders, files = super().listdir(path)
        return folders, files

    def get_modified_time(self, name: str) -> datetime:
        with _as_os_errors(name):
            found: datetime = super().get_modified_time(name)
        return found


class _StoredFile(File):  # type: ignore[type-arg]  # only the stubs know its parameter
    def __init__(self, open_range: Callable[[str], "RangeFile"], name: str) -> None:
        super().__init__(cast("IO[bytes]", open_range(name)), name)
        self._open_range = open_range

    def open(self, *_: Any, **__: Any) -> "_StoredFile":
        """Start again from the beginning, as model fields expect when they open their file."""
        if self.closed:
            self.file = cast("IO[bytes]", self._open_range(str(self.name)))
        self.seek(0)
        return self


class RangeFile(io.RawIOBase):
    """An object of which only the ranges that are needed are read. Raises as the storage does."""

    def __init__(self, client: Any, bucket: str, key: str) -> None:  # noqa: ANN401 - no types
        self._client, self._object = client, {"Bucket": bucket, "Key": key}
        with _as_os_errors(key):
            head = client.head_object(**self._object)
        self.size = int(head["ContentLength"])
        self._object["IfMatch"] = head["ETag"]  # all parts are of the object that was opened
        self._position = 0
        # The parts that were read last: where each begins, and its bytes.
        self._parts: deque[tuple[int, bytes]] = deque(maxlen=_PARTS)
        self._step = _LEAST

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        """So many bytes, fewer only at the end."""
        left = max(0, self.size - self._position)
        wanted = left if size is None or size < 0 else min(size, left)
        start = self._position
        # As many of these bytes, from the first on, as one of the last parts has.
        pieces = (part[start - at : start - at + wanted] for at, part in self._parts if at <= start)
        found = max(pieces, key=len, default=b"")
        if len(found) < wanted:
            found += self._fetch(start + len(found), wanted - len(found))
        self._position += len(found)
        return found

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _fetch(self, start: int, size: int) -> bytes:
        """``size`` bytes; more are requested while the file is read sequentially."""
        at, last = self._parts[-1] if self._parts else (start + 1, b"")
        if start == at + len(last):
            self._step, begin = min(_MOST, 2 * self._step), start
        else:  # a search in an index goes in both directions
            self._step, begin = _LEAST, start if size >= _LEAST else start - start % _LEAST
        end = min(self.size, max(start + size, begin + self._step))
        with _as_os_errors(self._object["Key"]):
            answer = self._client.get_object(**self._object, Range=f"bytes={begin}-{end - 1}")
            part: bytes = answer["Body"].read()
        if len(part) != end - begin:
            raise StorageUnavailableError(errno.EIO, "The storage sent another part.")
        if len(part) > _SMALL:
            self._parts.clear()
        self._parts.append((begin, part))
        return part[start - begin : start - begin + size]


class _Stream:
    """The content, which boto3 can read only once, from start to end."""

    closed = False

    def __init__(self, content: "File[Any]") -> None:
        self._content = content

    def read(self, size: int = -1) -> Any:  # noqa: ANN401 - as in Django: text too
        return self._content.read(size)

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """Leaves the content open: its owner closes it."""


@contextmanager
def _as_os_errors(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == _MISSING:
            raise FileNotFoundError(errno.ENOENT, "There is no such file", name) from error
        raise StorageUnavailableError(errno.EIO, str(error), name) from error
    except (BotoCoreError, Boto3Error) as error:
        raise StorageUnavailableError(errno.EIO, str(error), name) from error
