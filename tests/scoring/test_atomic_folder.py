"""Folders that appear in their place only when they are complete."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.atomic_folder import atomic_directory
from tests.support.paths import ROOT

KILLED = """
import os, signal, sys
from pathlib import Path
from scoring.atomic_folder import atomic_directory

with atomic_directory(Path(sys.argv[1]), ".made-") as folder:
    (folder / "half").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_folder_appears_only_when_complete(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    with atomic_directory(out, ".made-") as folder:
        (folder / "a").touch()
        assert not out.exists()
    assert (names(out), names(out.parent)) == (["a"], ["out"])


def test_the_slower_of_two_runs_fails(tmp_path: Path) -> None:
    out = tmp_path / "out"
    slow = atomic_directory(out, ".made-")
    slow.__enter__()
    with atomic_directory(out, ".made-") as fast:  # leaves a live run alone
        (fast / "fast").touch()
    with pytest.raises(FileExistsError, match="out exists by now"):
        slow.__exit__(None, None, None)
    assert (names(out), names(tmp_path)) == (["fast"], ["out"])


def test_a_folder_with_something_in_it_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(FileExistsError), atomic_directory(tmp_path / "out", ".made-"):
        pytest.fail("nothing should be written")
    assert names(tmp_path) == ["out"]


def test_leftovers_of_a_killed_run_are_deleted_by_the_next(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "out"], cwd=ROOT, check=False)
    assert run.returncode == -signal.SIGKILL
    assert len(names(tmp_path)) == 1
    mine = tmp_path / ".made-by-me"
    mine.mkdir()
    with atomic_directory(tmp_path / "out", ".made-"):
        pass
    assert names(tmp_path) == [".made-by-me", "out"]
