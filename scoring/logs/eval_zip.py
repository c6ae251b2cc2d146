"""The members of an Inspect log: a zip with deflated members, or since 2026 with zstd (method 93).

The directory is read by ``zipfile``; what comes out of a member is never more than it declares.
"""

import struct
import zlib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from io import RawIOBase
from types import TracebackType
from typing import Any, BinaryIO, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from scoring.logs.answers import LogError

_ZSTD = 93
_METHODS = (ZIP_STORED, ZIP_DEFLATED, _ZSTD)  # LZMA takes as much memory as a member asks for
_HEADER = struct.Struct("<4s5H3L2H")  # of a member, in front of its data
_CHUNK = 1 << 18


class DamagedMemberError(LogError):
    """One sample cannot be used."""


class EvalZip:
    """``name``: of the file, for messages. Raises ``LogError`` where the file is none."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._name = name
        self._stream = stream
        try:
            self._zip = ZipFile(self._stream)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            raise LogError(f"{name} is damaged or no Inspect log: {error}.") from error
        # Of two members with one name the later counts: a log that was written to again has both.
        self.members = {info.filename: info for info in self._zip.infolist()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self._zip.close()

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content of a member. Raises ``DamagedMemberError``, and ``LogError`` where none can
        be read."""
        info = self.members[name]
        if info.header_offset < 0:  # by a false size of the directory
            raise DamagedMemberError(f"{name} in {self._name} is damaged.")
        if info.compress_type not in _METHODS:
            method = info.compress_type
            raise DamagedMemberError(f"{name} in {self._name} has the unknown method {method}.")
        left, crc = info.file_size, 0
        pieces = self._zstd(info) if info.compress_type == _ZSTD else self._plain(info)
        for chunk in pieces:
            left -= len(chunk)
            if left < 0:
                raise DamagedMemberError(f"{name} in {self._name} is larger than it declares.")
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if left or crc != info.CRC:
            raise DamagedMemberError(f"{name} in {self._name} is damaged.")

    def _plain(self, info: ZipInfo) -> Iterator[bytes]:
        try:
            with self._zip.open(info) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
        except (BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
            raise DamagedMemberError(
                f"{info.filename} in {self._name} is damaged: {error}."
            ) from error

    def _zstd(self, info: ZipInfo) -> Iterator[bytes]:
        if find_spec("zstandard") is None:
            raise LogError(
                f"{self._name} is compressed with Zstandard, which is not installed: "
                "pip install 'infinitebench[convert]'"
            )
        zstd: Any = import_module("scoring.logs.zstd")
        self._stream.seek(info.header_offset)
        header = self._stream.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise DamagedMemberError(f"{info.filename} in {self._name} is damaged.")
        *_, name_size, extra_size = _HEADER.unpack(header)
        self._stream.seek(info.header_offset + _HEADER.size + name_size + extra_size)
        try:
            yield from zstd.decompressed(_Part(self._stream, info.compress_size))
        except zstd.BrokenZstdError as error:
            raise DamagedMemberError(
                f"{info.filename} in {self._name} is damaged: {error}."
            ) from error


class _Part(RawIOBase):
    """The next so many bytes of a stream."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1, /) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        chunk = self._stream.read(wanted)
        self._left -= len(chunk)
        return chunk
