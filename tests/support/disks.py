"""Disks that fill up quickly."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk_at(folder: Path) -> Iterator[None]:
    """Mount a disk of one megabyte here; skips with a reason where that is not possible."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("NO SMALL DISK: this needs the right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


_MOUNT = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'


def with_small_disk(folder: Path) -> list[str]:
    """The prefix of a command that makes it find a small disk there.

    An ordinary user becomes root of a namespace to mount it, and then themselves again.
    """
    folder.mkdir()
    user, group = os.geteuid(), os.getegid()
    command = ["unshare", "--mount", "sh", "-c", _MOUNT, str(folder)]
    if user:
        command[1:2] = ["--user", "--map-root-user", "--mount"]
        command += ["unshare", "--user", f"--map-user={user}", f"--map-group={group}"]
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    if shutil.which("unshare") is None or tried.returncode:
        pytest.skip(f"NO SMALL DISK: a mount namespace is not available here: {tried.stderr!r}")
    return command


class SmallDisk:
    """The disk as a process sees it."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.filler = Path(f"/proc/{pid}/root") / folder.relative_to("/") / "filler"

    def fill(self) -> None:
        with self.filler.open("wb", buffering=0) as file, suppress(OSError):  # no space left
            while file.write(b"x" * 4096):
                pass

    def make_room(self) -> None:
        self.filler.unlink()
