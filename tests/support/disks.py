"""A disk that is soon full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk_at(folder: Path) -> Iterator[None]:
    """A disk of one megabyte in this place; where none can be had, skips aloud."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("NO SMALL DISK: this needs the right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
