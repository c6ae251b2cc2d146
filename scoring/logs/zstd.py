"""Zstandard, by the package of that name: an extra, and the only place that loads it."""

from collections.abc import Iterator
from io import RawIOBase
from typing import IO, cast

import zstandard

_WINDOW = 1 << 27  # bytes: a stream that asks for more memory is refused
_CHUNK = 1 << 18

BrokenZstdError = zstandard.ZstdError


def decompressed(source: RawIOBase) -> Iterator[bytes]:
    """The contents of consecutive frames, piece by piece. Raises ``BrokenZstdError``."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    reader = decompressor.stream_reader(cast("IO[bytes]", source), read_across_frames=True)
    while chunk := reader.read(_CHUNK):
        yield chunk
