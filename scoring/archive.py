"""Stream files out of untrusted input: a file, a directory, an archive. Nothing is extracted."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scoring.jsonrows import CHUNK
from scoring.limits import Limits
from scoring.problems import ProblemLog


class Source(NamedTuple):
    name: str
    chunks: Iterable[bytes]


def open_path(path: Path, limits: Limits, log: ProblemLog) -> Iterator[Source]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            with file.open("rb") as stream:
                yield Source(file.name, iter(partial(stream.read, CHUNK), b""))
