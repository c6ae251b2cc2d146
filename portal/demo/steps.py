"""Steps of a preparation, each taken once: known by a fingerprint of all that it depends on.

So a start after an update does what the update asks for, and any other start nothing.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db.migrations.recorder import MigrationRecorder

from portal.demo.state_files import write_file
from portal.telling import Tell


@dataclass(slots=True)
class Steps:
    """Which steps earlier starts have taken, in this very database, and with which fingerprint.

    A step that fails with one of ``failures`` is told, and taken again by the next start.
    """

    file: Path
    tell: Tell
    failures: tuple[type[Exception], ...]
    _taken: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        database = _birth_of_database()
        if self.file.exists():
            self._taken = json.loads(self.file.read_text(encoding="utf-8"))
        if self._taken.get("database") != database:
            self._taken = {"database": database}

    def forget(self, name: str) -> None:
        self._taken.pop(name, None)

    def has_taken(self, name: str, fingerprint: str) -> bool:
        return self._taken.get(name) == fingerprint

    def take(self, name: str, fingerprint: str, do: Callable[[], object]) -> bool:
        """Take a step, unless it has been. Returns whether it is done."""
        if self.has_taken(name, fingerprint):
            return True
        try:
            do()
        except self.failures as error:
            self.tell(f"{name}: left out. {error}")
            return False
        self._taken[name] = fingerprint
        write_file(self.file, json.dumps(self._taken, indent=2))
        return True


def fingerprint_of(files: Iterable[Path], *more: object) -> str:
    """Of names, sizes and times: contents take longer to read than to import again."""
    digest = hashlib.sha256(repr(more).encode())
    for file in files:
        facts = file.stat()
        digest.update(f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _birth_of_database() -> str:
    """When its first migration was applied: no other database has the same."""
    first = MigrationRecorder.Migration.objects.order_by("pk").first()
    return first.applied.isoformat() if first else ""
