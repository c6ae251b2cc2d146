"""Files are stored whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from io import BufferedRandom
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

_CHUNK = 1 << 18  # bytes


class StorageUnavailableError(OSError):
    """Files on other machines cannot be reached now, which says nothing about their content."""


def write_atomically(path: Path, chunks: Iterable[bytes], *, mode: int = 0o600) -> None:
    """The file appears only once it is completely on disk, even with several writers at once.

    A failure leaves nothing behind. Raises ``OSError``, and whatever ``chunks`` raises.
    """
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as out:
            draft = Path(out.name)
            out.writelines(chunks)
            out.flush()
            os.fchmod(out.fileno(), mode)
            os.fsync(out.fileno())
        draft.rename(path)
    except BaseException:
        if draft:
            draft.unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)  # or the new name could be lost
    finally:
        os.close(directory)


def anonymous_file(folder: Path) -> BufferedRandom:
    """An empty file without a name: the kernel frees it however this process ends."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder)


def is_stored(name: str, size: int) -> bool:
    """Whether the storage has a file of this name and size: a row may outlive its file."""
    return default_storage.exists(name) and default_storage.size(name) == size


class AtomicFileSystemStorage(FileSystemStorage):
    def _save(self, name: str, content: "File[bytes]") -> str:
        path = Path(self.path(name))
        folder_mode = self.directory_permissions_mode or 0o700
        path.parent.mkdir(mode=folder_mode, parents=True, exist_ok=True)
        write_atomically(path, content.chunks(), mode=self.file_permissions_mode or 0o600)
        return name


class HashingFile(File):  # type: ignore[type-arg]  # only the stubs know its parameter
    """Computes size and SHA-256 while the file is read once from start to end."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 - as in Django: any readable object
        super().__init__(file, name=None)
        self._source = file
        self._digest = hashlib.sha256()
        self.bytes_read = 0

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._source.read(size)
        self._digest.update(data)
        self.bytes_read += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if (offset, whence) == (0, os.SEEK_SET):
            self._digest = hashlib.sha256()
            self.bytes_read = 0
        return int(self._source.seek(offset, whence))

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        self.seek(0)
        while data := self.read(chunk_size or _CHUNK):
            yield data
