"""The files of a state folder: locks, private files, and logs that stay small."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

LOG_CAP = 5_000_000  # bytes; one older file of this size is kept
TAIL = 12  # lines of a log shown when a process fails


class BusyError(Exception):
    """Somebody else holds the lock. The message is a sentence for the user."""


@contextmanager
def hold(lock: Path, sentence: str) -> Iterator[None]:
    """Hold a lock file until the block ends or this process dies, however it dies.

    Raises BusyError(sentence) at once when somebody else holds it. The file is never removed: that
    would let two processes hold two files of one name.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BusyError(sentence) from None
    try:
        yield
    finally:
        os.close(descriptor)


def write_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step; by default nobody but us may read it."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with open(fresh, "x", encoding="utf-8", opener=_private) as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
    fresh.replace(path)


def read_small(path: Path) -> str:
    """The start of a small file, or nothing; never through a link, which others may have put."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
        return file.read(4096)


def rotate(log: Path | None, cap: int = LOG_CAP) -> None:
    """Move a log's content aside once it has grown above `cap` bytes; its writers go on.

    They append, so after the cut they write at its start. Lines of that very moment may be lost;
    and on a full disk the older ones, which is when a log must shrink most of all.
    """
    if log is None or not log.exists() or log.stat().st_size <= cap:
        return
    with suppress(OSError):
        shutil.copyfile(log, log.with_name(log.name + ".1"))
    os.truncate(log, 0)


def last_lines(log: Path, count: int = TAIL) -> list[str]:
    """The last lines of a log, read from at most its last 8 KiB."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 8192))
            return file.read().decode(errors="replace").splitlines()[-count:]
    except OSError:
        return []


def open_log(log: Path) -> IO[bytes]:
    """A log to append to, readable only by us; too large an old one is moved aside."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    rotate(log)
    return open(log, "ab", opener=_private)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)
