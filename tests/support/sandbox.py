"""What the tests of the sandbox share: small releases, the processes of a box, another user."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest

from scoring.catalog import TASKS
from scoring.sandbox.preflight import Preflight, preflight
from scoring.sandbox.run import Boxes, LabelSet, Level
from scoring.sandbox.worker.job import BoxLimits
from tests.support.paths import ROOT
from tests.support.worlds import write_rows

SOMEBODY = 61_234  # an unused user id, without an entry in /etc/passwd
QUICK = BoxLimits(cpu=10, wall=20.0)


@cache
def measured() -> Preflight:
    return preflight()


NEEDED = Path(orjson.__file__).parent  # the only package outside the standard library


def boxes(level: Level, limits: BoxLimits = QUICK, **more: object) -> Boxes:
    """Boxes of a level that works on this machine; if there is none, skips with a reason."""
    walls = {"strong": "both", "lockdown": "lockdown"}.get(level)
    findings = [finding for finding in measured().findings if finding.walls == walls]
    if walls and not (findings and all(finding.held for finding in findings)):
        pytest.skip(f"THE SANDBOX LEVEL {level} CANNOT BE HAD HERE: {measured().reason}")
    return Boxes(level, limits, **more)  # type: ignore[arg-type]  # named as in Boxes


def label_files(directory: Path, hashes: Mapping[str, str] | None = None) -> list[LabelSet]:
    """The ``{task}.jsonl`` files of a directory of labels, with the hashes of their questions."""
    files = {task: directory / f"{task}.jsonl" for task in TASKS}
    known = hashes or {}
    return [LabelSet(task, file, known.get(task)) for task, file in files.items() if file.is_file()]


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, directly or indirectly."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {pid}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {pid}


def scorers(pid: int) -> set[int]:
    """The boxed scorers that a process has started, without their wrapper processes."""
    return {child for child in descendants(pid) if _is_scorer(child)}


def _is_scorer(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return (
        b"scoring.sandbox.worker" in command
        and b"python" in Path(os.fsdecode(command[0])).name.encode()
    )


def is_locked(pid: int) -> bool:
    """Whether a system-call filter applies to a process."""
    return "Seccomp:\t2" in Path(f"/proc/{pid}/status").read_text()


def open_files(pid: int) -> list[tuple[str, int]]:
    """The open files of a process: their targets, and whether for reading or writing."""
    found = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        info = Path(f"/proc/{pid}/fdinfo", file.name).read_text()
        flags = int(info.partition("flags:")[2].split()[0], 8)
        found.append((str(file.readlink()), flags & os.O_ACCMODE))
    return found


def python_of_all() -> str:
    """A recent Python that every user may run; if there is none, skips with a reason."""
    for place in ("/usr/bin/python3", "/usr/local/bin/python3"):
        check = [place, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if shutil.which(place) and subprocess.run(check, check=False).returncode == 0:
            return place
    pytest.skip("NO PYTHON THAT EVERY USER MAY START: the box is not tried as an ordinary user")


@contextmanager
def open_to_all() -> Iterator[Path]:
    """A directory that every user may read."""
    with TemporaryDirectory(prefix="open-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def with_package(folder: Path) -> Path:
    """The directory with a copy of this package and its dependencies, readable by every user."""
    for package in (ROOT / "scoring", NEEDED):
        copied = folder / package.name
        shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run(["chmod", "-R", "a+rX", str(copied)], check=True)
    return folder


def as_ordinary_user(folder: Path, program: str, *arguments: object) -> object:
    """What a program prints as JSON when a user without privileges runs it."""
    is_root = os.geteuid() == 0
    command = [python_of_all() if is_root else sys.executable, "-c", program]
    finished = subprocess.run(
        [*command, *map(str, arguments)],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": os.environ["PATH"], "SECRET": "x"},
        user=SOMEBODY if is_root else None,
        group=SOMEBODY if is_root else None,
        extra_groups=[] if is_root else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def small_world(folder: Path) -> Path:
    """A release of three tasks in ``gold``, and predictions for two of them in ``preds``."""
    labels = [{"id": key, "answer": [f"{key:05}"]} for key in range(3)]
    write_rows(folder / "gold" / "passkey.jsonl", labels)
    options = ["one", "two", "three", "four"]
    debug = [{"id": key, "answer": ["two", "B"], "options": options} for key in range(2)]
    write_rows(folder / "gold" / "code_debug.jsonl", debug)
    write_rows(folder / "gold" / "code_run.jsonl", [{"id": 0, "answer": [4]}])
    answers = [{"id": key, "prediction": f"It is {key:05}."} for key in (0, 1, 7)]
    write_rows(folder / "preds" / "preds_passkey.jsonl", answers)
    write_rows(folder / "preds" / "preds_code_debug.jsonl", [{"id": 0, "prediction": "B. two"}])
    return folder


def files_in(folder: Path) -> dict[str, Path]:
    return {file.name: file for file in sorted(folder.iterdir())}


def once(action: Callable[[], bool]) -> Callable[[], None]:
    """A watch that calls ``action`` until it has returned true."""
    state = {"done": False}

    def watch() -> None:
        state["done"] = state["done"] or action()

    return watch
