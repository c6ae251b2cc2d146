"""Run the scorer in a box: untrusted bytes are parsed where no file, network or secret is.

A box gets open files and nothing else: inputs that can only be read, and one new file for each
output. These files have lost their names before the scorer starts, so nothing can be put in their
place, and nothing is left behind, however a run ends. ``scoring.sandbox.lockdown`` is what
the scorer drops itself; bubblewrap, where it works, removes everything else from outside.
"""

import errno
import json
import os
import stat
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import scoring
from scoring.sandbox.bubblewrap import in_bubblewrap, without_bubblewrap
from scoring.sandbox.exit_codes import ENDINGS, Ending, ending
from scoring.sandbox.lockdown import WALLS, Wall
from scoring.sandbox.process import Process, start_process, wait_for
from scoring.sandbox.worker.job import LIMITS, BoxLimits, Job, Stage

MAX_INPUTS = 256  # open files; more than these have to be packed
_PACKAGE = Path(scoring.__file__).resolve().parent
# No site-packages, no current directory on the path, no bytecode written.
_ARGUMENTS = ("-S", "-s", "-P", "-B", "-m", "scoring.sandbox.worker")
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}

Source = Path | BinaryIO  # an input: the path of a regular file, or a stream open for reading


class Level(StrEnum):
    STRONG = "strong"  # bubblewrap, and inside it lockdown
    LOCKDOWN = "lockdown"  # only what the scorer drops itself: Landlock, seccomp, limits
    NONE = "none"  # limits, and whatever else works: not for the public's files


# The layers without which nothing is read; the others are used where the kernel supports them.
_REQUIRED: Mapping[Level, tuple[Wall, ...]] = {
    Level.STRONG: ("seccomp",),
    Level.LOCKDOWN: WALLS,
    Level.NONE: (),
}


class LabelSet(NamedTuple):
    """The labels of a task: of the chosen release, or of another one, to see which fits."""

    task: str
    source: Source
    questions: str | None = None  # the hash of the questions that they answer, if it is known
    releases: tuple[str, ...] = ()  # those that they belong to: label versions, or other releases
    other: bool = False


@dataclass(slots=True)
class BoxResult:
    """How a run ended. ``code`` is of ``ENDINGS`` and may be shown; ``details`` are for the log.

    Outputs are open for reading and have no name; they are there only where the code is ``done``.
    Used in a ``with``, the result closes them.
    """

    code: str
    details: str = ""
    exit_code: int | None = None  # of the process; negative for a signal
    outputs: dict[str, BinaryIO] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.code == "done"

    @property
    def ending(self) -> Ending:
        return ENDINGS[self.code]

    def __enter__(self) -> "BoxResult":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self.outputs.values():
            stream.close()


def _no_watch() -> None: ...


@dataclass(frozen=True, slots=True)
class Boxes:
    """How boxes are made here.

    ``watch`` is called every ``interval`` seconds while one runs. Whatever it raises ends the box
    and propagates: a lost lease, a request to stop.
    """

    level: Level
    limits: BoxLimits = LIMITS
    watch: Callable[[], None] = _no_watch
    interval: float = 1.0
    scratch: Path | None = None  # where outputs lie; None: the system's directory for such files
    bwrap: str = "bwrap"
    walls: tuple[Wall, ...] = WALLS  # fewer only to measure one wall at a time

    @property
    def required(self) -> tuple[Wall, ...]:
        return tuple(wall for wall in _REQUIRED[self.level] if wall in self.walls)


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """An upload of an earlier version, with the tasks that the new files do not replace."""

    name: str
    source: Source
    tasks: Sequence[str] | None = None  # None: all
    task: str | None = None  # as for ``read_in_box``
    file_tasks: Mapping[str, str] = field(default_factory=dict)


def read_in_box(
    boxes: Boxes,
    files: Mapping[str, Source],
    *,
    task: str | None = None,
    file_tasks: Mapping[str, str] | None = None,
    kept: Sequence[KeptUpload] = (),
) -> BoxResult:
    """Stage one: files under the names that people gave them → ``predictions``, canonical, and
    ``contents``: the tasks of each upload, those of ``kept`` first (``results_file``).

    ``task`` is the task of a single file whose name does not say it; ``file_tasks`` are those of
    several, by their names. No gold is in this box.
    """
    names = [f"\0{number}" for number in range(len(kept))]  # no file can have such a name
    earlier = [
        {
            "input": name,
            "name": upload.name,
            "tasks": None if upload.tasks is None else list(upload.tasks),
            "task": upload.task,
            "file_tasks": dict(upload.file_tasks),
        }
        for name, upload in zip(names, kept, strict=True)
    ]
    sources = {name: upload.source for name, upload in zip(names, kept, strict=True)}
    options = {"task": task, "file_tasks": dict(file_tasks or {}), "kept": earlier}
    return run_box(boxes, "read", {**files, **sources}, ("predictions", "contents"), options)


def score_in_box(
    boxes: Boxes,
    predictions: Source,
    labels: Sequence[LabelSet],
    *,
    align: str | None = None,
    drop_first: bool = False,
    version: str = "",
    compare_labels: bool = True,
) -> BoxResult:
    """Stage two: what stage one wrote, and labels → ``report`` and ``examples``.

    ``version`` is the author's answer to which label version it is, as ``align`` is to how rows are
    matched. ``compare_labels`` lets labels in the files help to recognise their ids; without it
    those of the chosen release are not compared: of a hidden release even their agreement would
    disclose labels. ``scoring.sandbox.results_file`` reads both results.
    """
    inputs: dict[str, Source] = {"predictions": predictions}
    described = {}
    for number, one in enumerate(labels):
        inputs[f"labels-{number}"] = one.source
        described[f"labels-{number}"] = {
            "task": one.task,
            "questions": one.questions,
            "releases": list(one.releases),
            "other": one.other,
        }
    options = {
        "align": align,
        "drop_first": drop_first,
        "version": version,
        "labels": described,
        "compare_labels": compare_labels,
    }
    return run_box(boxes, "score", inputs, ("report", "examples"), options)


def run_box(
    boxes: Boxes,
    stage: Stage,
    inputs: Mapping[str, Source],
    outputs: Sequence[str],
    options: Mapping[str, Any],
) -> BoxResult:
    """Run one stage. What goes wrong becomes the code of the result; only ``watch`` may raise.

    There is no silent fallback: where the level is not available, nothing is read.
    """
    start = time.monotonic()
    with ExitStack() as opened, ExitStack() as kept:
        try:
            sources = {name: _input(source, opened) for name, source in inputs.items()}
            files = {name: _output(boxes.scratch, opened, kept) for name in outputs}
            writers = {name: writer.fileno() for name, (writer, _) in files.items()}
            process = _start(boxes, _job(boxes, stage, sources, writers, options))
        except OSError as error:
            code = "scorer_disk" if error.errno in _DISK_FULL else "scorer_unavailable"
            return BoxResult(code, str(error))
        result = _finish(boxes, process)
        result.outputs = {name: reader for name, (_, reader) in files.items()}
        sizes = [os.fstat(stream.fileno()).st_size for stream in result.outputs.values()]
        if result.ok and (not sizes[0] or max(sizes) > boxes.limits.output):
            # The first output is never empty, and none is larger than it could be.
            result.code, result.details = "output_invalid", f"outputs of {sizes} bytes"
        if result.ok:
            kept.pop_all()  # what was written: the result closes it
        else:
            result.outputs = {}
    result.seconds = time.monotonic() - start
    return result


def _job(
    boxes: Boxes,
    stage: Stage,
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    options: Mapping[str, Any],
) -> Job:
    if len(inputs) > MAX_INPUTS:
        raise OSError(errno.EMFILE, f"more than {MAX_INPUTS} inputs")
    # Bubblewrap ends with us by itself, and shows the box another number for us.
    parent = None if boxes.level is Level.STRONG else os.getpid()
    return Job(stage, boxes.limits, boxes.walls, boxes.required, inputs, outputs, parent, options)


def _input(source: Source, opened: ExitStack) -> int:
    """The descriptor of an input. Raises ``OSError`` where it is no regular file."""
    if not isinstance(source, Path):
        return source.fileno()
    descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    opened.callback(os.close, descriptor)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "an input is no regular file")
    return descriptor


def _output(scratch: Path | None, opened: ExitStack, kept: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """A new file without a name: for the box, which can only write; and for us, who only read."""
    descriptor, name = tempfile.mkstemp(prefix="box-", dir=scratch)
    opened.callback(os.close, descriptor)
    path = Path(name)
    try:
        writer = opened.enter_context(path.open("wb"))
        reader = kept.enter_context(path.open("rb"))
    finally:
        path.unlink()
    if not (_same(descriptor, writer) and _same(descriptor, reader)):
        raise OSError(errno.ESTALE, "an output was replaced")
    return writer, reader


def _same(descriptor: int, stream: BinaryIO) -> bool:
    return os.path.samestat(os.fstat(descriptor), os.fstat(stream.fileno()))


def _start(boxes: Boxes, job: Job) -> Process:
    wrapped = in_bubblewrap if boxes.level is Level.STRONG else without_bubblewrap
    command, environment = wrapped(boxes.bwrap, _PACKAGE, _ARGUMENTS)
    with tempfile.TemporaryFile(dir=boxes.scratch) as stdin:
        stdin.write(job.to_json())
        stdin.seek(0)
        descriptors = (*job.inputs.values(), *job.outputs.values())
        return start_process(command, environment, stdin, descriptors)


def _finish(boxes: Boxes, process: Process) -> BoxResult:
    finished = wait_for(
        process, seconds=boxes.limits.wall, watch=boxes.watch, interval=boxes.interval
    )
    try:  # the first line, which comes before anything untrusted, says which walls stand
        walls = json.loads(finished.output.partition(b"\n")[0])
        locked = walls["uid"] != 0 and all(walls[wall] for wall in boxes.required)
    except (ValueError, LookupError, TypeError):
        locked = False
    code = finished.stopped or ending(finished.exit_code, locked=locked)
    return BoxResult(code, finished.output.decode(errors="backslashreplace"), finished.exit_code)
