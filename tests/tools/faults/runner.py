"""Plant faults in copies of the tree, and run the tests there.

A copy has hard links to the tracked files; only the file with the fault is a file of its own. It
also has a PostgreSQL of its own, whose migrated database is kept from one run to the next.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from tests.support.paths import DATA, ROOT
from tests.tools.faults.fault import Fault

_LONGEST = 1_800.0  # seconds of one run of pytest; a fault may make a test wait for ever
_FAILED = re.compile(r"^(?:FAILED|ERROR) (?P<test>\S+)", re.MULTILINE)
_EMPTY = 5  # pytest's exit code where it has found no test to run


class Result(StrEnum):
    CAUGHT = "caught"
    MISSED = "not caught"
    BROKEN = "broken"  # the tests cannot be loaded: anybody would notice, so it is no fair fault


class Judgement(NamedTuple):
    fault: Fault
    result: Result
    by: str = ""  # the test that has failed
    seconds: float = 0.0


class _Tests(NamedTuple):
    """How a run of pytest ended."""

    failed: tuple[str, ...]  # names of tests; of files where they could not be loaded
    is_over_time: bool
    exit_code: int

    @property
    def is_broken(self) -> bool:
        """Whether something has failed that is no test."""
        if self.exit_code in (0, _EMPTY) or self.is_over_time:
            return False
        return not self.failed or any("::" not in name for name in self.failed)


class _Tree:
    """A copy of the tracked files, with a database for its tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Without it, every run would compile all modules again.
        self._environment = os.environ | {"INFINITEBENCH_DATA": str(DATA) if DATA.is_dir() else ""}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._has_clean_database = False
        for name in _tracked_files():
            self._link(name)
        self._database = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.database"],
            cwd=folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._database.stdout
        self._database.stdout.readline()  # "ready"

    def close(self) -> None:
        self._database.terminate()
        self._database.wait()

    def _link(self, name: str) -> None:
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(ROOT / name, target)
        except OSError:  # on another disk
            shutil.copy2(ROOT / name, target)

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        file = self._folder / fault.path
        text = file.read_text(encoding="utf-8")
        file.unlink()  # the tree has the same file
        try:
            file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
            if "migrations" in file.parts:
                self._has_clean_database = False
            yield
        finally:
            if "migrations" in file.parts:
                self._has_clean_database = False
            file.unlink(missing_ok=True)
            self._link(fault.path)

    def run(self, near: Sequence[str], options: Iterable[str] = ()) -> _Tests:
        command = [
            *(sys.executable, "-m", "pytest", *near, "-q", "-rfE", "--tb=no", "--no-header"),
            *("-p", "no:cacheprovider", "-m", "not exhaustive", "-n", "0", *options),
            "--reuse-db",
        ]
        if not self._has_clean_database:
            command.append("--create-db")
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            self._has_clean_database = False
            return _Tests(tuple(_FAILED.findall(output)), True, process.returncode)
        self._has_clean_database = True
        return _Tests(tuple(_FAILED.findall(output)), False, process.returncode)


def _tracked_files() -> list[str]:
    git = shutil.which("git") or "git"
    found = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]


def room_of(fault: Fault) -> str:
    """All tests of the half of the product that the fault is near."""
    return "/".join(fault.near[0].split("/")[:2])


def judge_all(
    faults: Sequence[Fault], *, jobs: int, is_wide: bool, is_green: bool
) -> Iterator[Judgement]:
    """Each fault as soon as it is judged. ``is_wide``: what the tests nearby miss is shown to all
    tests of its room. ``is_green``: the unchanged tree passes.

    Otherwise it is tried first, and a test that fails in it is left out.
    """
    with (
        tempfile.TemporaryDirectory(prefix="faults-", dir="/tmp") as folder,
        ThreadPoolExecutor(jobs) as pool,
        ExitStack() as running,
    ):
        Path(folder).chmod(0o711)  # the account of the database has to get through
        trees: SimpleQueue[_Tree] = SimpleQueue()
        for number in range(jobs):
            tree = _Tree(Path(folder, str(number)))
            running.callback(tree.close)
            trees.put(tree)

        def unchanged(path: str) -> tuple[str, ...]:
            tree = trees.get()
            try:
                failed = tree.run([path]).failed
            finally:
                trees.put(tree)
            sys.stderr.write(f"unchanged  {path}: {len(failed)} fail\n")  # it may take an hour
            return failed

        def judge(fault: Fault) -> Judgement:
            tree, start = trees.get(), time.monotonic()
            try:
                with tree.planted(fault):
                    found = _judge(tree, fault, failing, is_wide=is_wide)
            finally:
                trees.put(tree)
            return found._replace(seconds=round(time.monotonic() - start, 1))

        paths = {path for fault in faults for path in fault.near}
        if is_wide:
            paths |= {room_of(fault) for fault in faults}
        failing: dict[str, Sequence[str]] = dict.fromkeys(sorted(paths), ())
        if not is_green:
            failing |= zip(failing, pool.map(unchanged, failing), strict=True)
        yield from pool.map(judge, faults)


def _judge(
    tree: _Tree, fault: Fault, failing: Mapping[str, Sequence[str]], *, is_wide: bool
) -> Judgement:
    room = room_of(fault)
    for tests in (fault.near, (room,)) if is_wide and room not in fault.near else (fault.near,):
        left_out = [f"--deselect={name}" for path in tests for name in failing[path]]
        found = tree.run(tests, ["-x", *left_out])
        if found.is_broken:
            return Judgement(fault, Result.BROKEN, next(iter(found.failed), ""))
        if found.failed or found.is_over_time:
            return Judgement(fault, Result.CAUGHT, next(iter(found.failed), "it takes too long"))
    return Judgement(fault, Result.MISSED)
