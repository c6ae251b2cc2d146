"""The folder of backups: each is whole by itself, in a folder named by its time.

20261124T161500Z/database.dump   the database
20261124T161500Z/files/…         by their names in the storage
20261124T161500Z/manifest.json   what belongs to it, with hashes; its folder is named last
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Self

from django.utils.timezone import now

from portal.storage.folder import write_atomically

FORM = "infinitebench-backup-1"
DATABASE, MANIFEST = "database.dump", "manifest.json"
_PARTIAL = ".partial"
_NAME = re.compile(r"\d{8}T\d{6}Z")
_CHUNK = 1 << 20  # bytes


class BackupError(Exception):
    """A sentence for the operator: what is wrong, and what to do."""


class Stored(NamedTuple):
    size: int
    sha256: str


@dataclass(slots=True)
class Manifest:
    made: str
    version: str  # of the software
    site: str
    server: str  # version of PostgreSQL
    database: Stored
    migrations: list[list[str]]  # app and name, as applied
    rows: dict[str, int]  # by table
    audit: str  # the newest entry of the audit log, as the command prints it
    secrets: dict[str, list[str]]  # fingerprints
    files: dict[str, Stored] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)  # files that rows name, but that are lost

    def to_json(self) -> bytes:
        return json.dumps({"form": FORM, **asdict(self)}, indent=1).encode()

    @classmethod
    def from_json(cls, raw: bytes) -> Self:
        """Raises ``BackupError``."""
        try:
            values: dict[str, Any] = json.loads(raw)
            if values.pop("form") != FORM:
                raise ValueError
            values["database"] = Stored(*values["database"])
            values["files"] = {name: Stored(*one) for name, one in values["files"].items()}
            return cls(**values)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BackupError("The manifest of the backup cannot be read.") from error


class BackupFolder:
    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One backup at a time. Raises ``BackupError``."""
        with (self.root / "lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupError(f"Another backup is being written to {self.root}.") from None
            yield

    def names(self) -> list[str]:
        """The names of complete backups, the oldest first."""
        if not self.root.is_dir():
            return []
        return sorted(one.name for one in self.root.iterdir() if _NAME.fullmatch(one.name))

    def begin(self) -> str:
        """Start a backup and return its name; what is left of interrupted ones is deleted."""
        for partial in self.root.glob(f"*{_PARTIAL}"):
            shutil.rmtree(partial)
        name = now().strftime("%Y%m%dT%H%M%SZ")
        if name in self.names():
            raise BackupError("There is a backup of this second. Try again in the next one.")
        (self.root / f"{name}{_PARTIAL}").mkdir(mode=0o700)
        return f"{name}{_PARTIAL}"

    def finish(self, name: str, manifest: Manifest) -> str:
        """Write the manifest; only then does the backup get its final name, which is returned."""
        self.write(f"{name}/{MANIFEST}", [manifest.to_json()])
        whole = name.removesuffix(_PARTIAL)
        (self.root / name).rename(self.root / whole)
        _sync(self.root)
        return whole

    def manifest(self, name: str) -> Manifest:
        """Raises ``BackupError``."""
        raw = b"".join(self.read(f"{name}/{MANIFEST}"))
        return Manifest.from_json(raw)

    def write(self, name: str, chunks: Iterable[bytes]) -> Stored:
        """Write all of a file or nothing, and hash it on the way."""
        path = self._path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        counted = _Counted(chunks)
        write_atomically(path, counted)
        return counted.stored

    def read(self, name: str) -> Iterator[bytes]:
        """Raises ``BackupError``."""
        try:
            with self._path(name).open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    yield chunk
        except FileNotFoundError:
            raise BackupError(f"{name} is missing in the backup.") from None

    def check(self, name: str, stored: Stored) -> None:
        """Read the file, and raise ``BackupError`` if it is not what the manifest says."""
        counted = _Counted(self.read(name))
        for _ in counted:
            pass
        if counted.stored != stored:
            raise BackupError(f"{name} was changed: its content is not what the manifest says.")

    def forget(self, keep: int) -> None:
        """Delete all but the newest backups."""
        for name in self.names()[:-keep]:
            shutil.rmtree(self.root / name)

    def _path(self, name: str) -> Path:
        """Raises ``BackupError`` if a manifest names a path outside of the folder."""
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts:
            raise BackupError(f"The backup names a file outside of it: {name}")
        return self.root.joinpath(*parts)


class _Counted:
    """Passes chunks on, and knows their size and hash at the end."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks, self._size, self._digest = chunks, 0, hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._size += len(chunk)
            self._digest.update(chunk)
            yield chunk

    @property
    def stored(self) -> Stored:
        return Stored(self._size, self._digest.hexdigest())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
