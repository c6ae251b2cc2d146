"""Archives of several files: a reproducible one, and one that is sent while it is made."""

import zipfile
from collections.abc import Iterable, Iterator
from io import RawIOBase
from typing import IO, Any

Member = tuple[str, Iterable[bytes]]  # name and content, in chunks


def pack(members: Iterable[Member], archive: IO[bytes]) -> None:
    """Write a zip: the same members give the same bytes, on any machine at any time.

    Nothing is compressed, as versions of zlib differ, and no time is stored.
    """
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as out:
        for name, parts in members:
            info = zipfile.ZipInfo(name)  # dated 1980, as every member
            info.create_system = 3  # Unix, on any machine
            with out.open(info, "w") as member:
                for part in parts:
                    member.write(part)


def stream_zip(members: Iterable[Member]) -> Iterator[bytes]:
    """The bytes of a compressed zip, with no more than a chunk of it in memory."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as out:
        for name, parts in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            with out.open(info, "w") as member:
                for part in parts:
                    member.write(part)
                    yield sink.drain()
            yield sink.drain()
    yield sink.drain()


class _Sink(RawIOBase):
    """Keeps what was written since it was last drained; it cannot seek."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 - any buffer
        self._written += data
        return len(data)

    def drain(self) -> bytes:
        found = bytes(self._written)
        self._written.clear()
        return found
