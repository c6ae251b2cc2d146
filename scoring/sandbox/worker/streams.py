"""The open files of a boxed stage, and what it was asked to do."""

from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple


class Streams(NamedTuple):
    inputs: Mapping[str, BinaryIO]
    outputs: Mapping[str, BinaryIO]
    options: Mapping[str, Any]

    def close(self) -> None:
        """Write what is still in buffers. Raises ``OSError`` where there is no room for it."""
        for stream in self.outputs.values():
            stream.flush()
