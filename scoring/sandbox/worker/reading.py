"""Stage one: untrusted files → canonical predictions. No gold is in the box."""

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from scoring.limits import LIMITS, MIB, Limits
from scoring.predictions.archive import open_stream
from scoring.predictions.canonical import write_canonical
from scoring.predictions.members import ArchiveError, Member, is_clutter
from scoring.predictions.versions import Upload, read_version
from scoring.problems import ProblemLog
from scoring.sandbox.worker.job import Streams

codecs.lookup("cp437")  # of names in a zip: an encoding is a module, loaded when it is first used


def run(streams: Streams) -> None:
    """Inputs are the new files by the names that people gave them, and the uploads that ``kept``
    lists. Outputs are ``predictions``, and ``contents``: the tasks of each upload."""
    options = streams.options
    kept = [_kept(streams.inputs[about["input"]], about) for about in options["kept"]]
    of_kept = {about["input"] for about in options["kept"]}
    files = {name: file for name, file in streams.inputs.items() if name not in of_kept}
    new = Upload(
        next(iter(files)) if len(files) == 1 else "upload",
        lambda log: _members(files, LIMITS, log),
        task=options["task"],
        file_tasks=options["file_tasks"],
    )
    predictions, tasks = read_version(new if files or not kept else None, kept)
    write_canonical(predictions, streams.outputs["predictions"])
    streams.outputs["contents"].write(json.dumps(tasks).encode())


def _kept(stream: BinaryIO, about: Mapping[str, Any]) -> Upload:
    return Upload(
        about["name"],
        lambda log: open_stream(about["name"], stream, LIMITS, log),
        task=about["task"],
        file_tasks=about["file_tasks"],
        kept=about["tasks"],
    )


def _members(files: Mapping[str, BinaryIO], limits: Limits, log: ProblemLog) -> Iterator[Member]:
    """One file as it is; several as if they lay in one directory, each a file or an archive."""
    if sum(stream.seek(0, 2) for stream in files.values()) > limits.bytes_in:
        raise ArchiveError("file_too_large", limit=limits.bytes_in // MIB)
    for name in sorted(files):
        if len(files) == 1 or not is_clutter(name):
            yield from open_stream(name, files[name], limits, log)
