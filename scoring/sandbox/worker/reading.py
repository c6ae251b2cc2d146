"""Stage one: untrusted files → canonical predictions. No gold is in the box."""

import codecs
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from scoring.limits import LIMITS, MIB, Limits
from scoring.predictions.archive import open_stream
from scoring.predictions.canonical import write_canonical
from scoring.predictions.members import ArchiveError, Member, is_clutter
from scoring.predictions.reader import read_members
from scoring.problems import ProblemLog
from scoring.sandbox.worker.job import Streams

codecs.lookup("cp437")  # of names in a zip: an encoding is a module, loaded when it is first used


def run(streams: Streams) -> None:
    """Inputs are files by the names that people gave them; the output is ``predictions``."""
    log = ProblemLog()
    files = streams.inputs
    name = next(iter(files)) if len(files) == 1 else "upload"
    members = _members(files, LIMITS, log)
    predictions = read_members(
        name,
        members,
        log,
        task=streams.options["task"],
        file_tasks=streams.options["file_tasks"],
    )
    write_canonical(predictions, streams.outputs["predictions"])


def _members(files: Mapping[str, BinaryIO], limits: Limits, log: ProblemLog) -> Iterator[Member]:
    """One file as it is; several as if they lay in one directory, each a file or an archive."""
    if sum(stream.seek(0, 2) for stream in files.values()) > limits.bytes_in:
        raise ArchiveError("file_too_large", limit=limits.bytes_in // MIB)
    for name in sorted(files):
        if len(files) == 1 or not is_clutter(name):
            yield from open_stream(name, files[name], limits, log)
