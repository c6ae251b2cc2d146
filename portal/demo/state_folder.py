"""The folder that holds all of a demo: created, locked, and checked to be of this release."""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

# Until 1.0.0 each change of the schema rewrites these, and databases made by others are of no use.
_MIGRATIONS = Path(__file__).parents[1] / "migrations"
_SCHEMA = ("0001_schema.py", "0002_database.sql")
_VERSION_FILE = "state-version"
_LOG_CAP = 5_000_000  # bytes; one older file is kept


class DemoError(Exception):
    """The demo cannot run. The message says why, and what to do."""


def samples_folder(state: Path) -> Path:
    """The sample predictions: at the top of the checkout, where people see them, unless the state
    is elsewhere too."""
    checkout = Path(__file__).parents[2]
    return (checkout if state == checkout / ".demo" else state) / "demo-samples"


@contextmanager
def opened(state: Path) -> Iterator[None]:
    """Create and lock the folder. Raises ``DemoError`` if it is in use, too old or not owned."""
    another = "Name another folder:  make demo DEMO_DIR=/path/to/folder"
    try:
        state.mkdir(parents=True, exist_ok=True)
        owner = state.stat().st_uid
    except OSError as error:
        raise DemoError(f"{state} cannot be used ({error.strerror}). {another}") from error
    if owner != os.geteuid() or not os.access(state, os.W_OK | os.X_OK):
        raise DemoError(f"{state} belongs to another user, or cannot be written. {another}")
    busy = f"A demo runs in {state} already. Stop it first, or name another folder in DEMO_DIR."
    with lock(state / "demo.lock", busy):
        schema = b"".join((_MIGRATIONS / name).read_bytes() for name in _SCHEMA)
        version, file = hashlib.sha256(schema).hexdigest(), state / _VERSION_FILE
        older = any((state / name).exists() for name in ("postgres", "prepared.json"))
        if not file.exists() and not older:
            write_private(file, version)
        elif not file.exists() or file.read_text(encoding="utf-8").strip() != version:
            raise DemoError(
                f"{state} was made by another release, and this one cannot use it. Delete it, or "
                "name another folder:  make demo DEMO_DIR=/path/to/folder"
            )
        yield


@contextmanager
def lock(file: Path, busy: str) -> Iterator[None]:
    """Hold a lock file until the block ends or this process dies. Raises ``DemoError(busy)``.

    The file is never removed: that would let two processes hold two files of one name.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError(busy) from None
        yield
    finally:
        os.close(descriptor)


def write_private(file: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step; by default only its owner can read it."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    draft.chmod(mode)
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def read_text(file: Path) -> str:
    """The start of a small file, or nothing; never through a link, which others may have put."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as opened_file:
        return opened_file.read(4096)


def open_log(log: Path) -> IO[bytes]:
    """A log to append to, readable by this user only; one that has grown too large is rotated."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileNotFoundError):
        if log.stat().st_size > _LOG_CAP:
            log.replace(log.with_name(f"{log.name}.1"))
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    return os.fdopen(os.open(log, flags, 0o600), "ab")


def last_lines(log: Path, count: int = 12) -> str:
    """The last lines of a log, indented; of a long one from its last 8 KiB."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 8192))
        lines = file.read().decode(errors="replace").splitlines()[-count:]
        return "".join(f"\n    {line}" for line in lines)
    return ""
