"""What is kept: files that people hand in, contexts, files of releases; whole, or not there."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from portal.atomic_files import write_whole

_CHUNK = 1 << 18  # bytes


class Measured(File):  # type: ignore[type-arg]  # only the stubs know its parameter
    """A file that learns its size and SHA-256 while it is read from its start to its end."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 - as in Django: anything that is read
        super().__init__(file, name=None)
        self._source = file
        self._start_again()

    def _start_again(self) -> None:
        self._digest = hashlib.sha256()
        self.measured = 0  # bytes

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._source.read(size)
        self._digest.update(data)
        self.measured += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if (offset, whence) == (0, os.SEEK_SET):
            self._start_again()
        return int(self._source.seek(offset, whence))

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        self.seek(0)
        while data := self.read(chunk_size or _CHUNK):
            yield data


def is_stored(name: str, size: int) -> bool:
    """Whether the storage has a file of this name and size: a row may outlive its file."""
    return default_storage.exists(name) and default_storage.size(name) == size


class SafeFileStorage(FileSystemStorage):
    """A file appears under its name when all of it is on the disk; a failure leaves nothing."""

    def _save(self, name: str, content: "File[bytes]") -> str:
        place = Path(self.path(name))
        folder_mode = self.directory_permissions_mode or 0o700
        place.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
        write_whole(place, content.chunks(), mode=self.file_permissions_mode or 0o600)
        return name
