"""Write a backup: the database at one moment, and the files that its rows name.

Files are written before the rows that name them, and never changed, so the database comes first:
whatever it names is there, unless it was deleted meanwhile. Only new files are copied.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils.timezone import now

from portal.heartbeats import beat
from portal.models import Context, HeartbeatKind, Original, ReleaseFile
from portal.operations.backup_folder import (
    DATABASE,
    BackupError,
    BackupFolder,
    Manifest,
    Stored,
)
from portal.operations.integrity import (
    LEFT_OUT,
    fingerprints,
    log_head,
    row_counts,
)
from portal.operations.postgres_programs import ProgramError, dump_database, server_major
from portal.snapshot import one_moment
from scoring import __version__

NAME = "backup"  # of its heartbeat
_CHUNK = 1 << 20  # bytes
FILE_COLUMNS: tuple[tuple[type[Model], str, str], ...] = (  # and the column of the hash, if any
    (Original, "file", "hash"),
    (ReleaseFile, "file", "sha256"),
    (Context, "text", "sha256"),
    (Context, "index", ""),
)

log = logging.getLogger(__name__)


class Written(NamedTuple):
    name: str
    files: int
    copied: int  # of these, because no earlier backup had them
    copied_bytes: int
    absent: list[str]  # named by rows, but lost
    damaged: list[str]  # with another content than their row says
    forgotten: int  # files that were deleted because no backup needs them any more


def write_backup(root: Path, *, passphrase: str | None = None, keep: int = 7) -> Written:
    """Raises ``BackupError``, and leaves earlier backups as they were."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupError(f"There is no such folder, and none can be made: {error}") from error
    folder = BackupFolder(root, passphrase)
    with folder.locked():
        names = folder.names()
        before = folder.manifest(names[-1]).files if names else {}
        partial = folder.begin()
        try:
            manifest, named = _dump(folder, partial)
            copied, copied_bytes = [], 0
            damaged = []
            for name, sha256 in named.items():
                found = before.get(name)
                try:
                    size = default_storage.size(name)
                    if found is None or found.size != size or not folder.has(_path(name), found):
                        found = folder.write(_path(name), _content(name))
                        copied.append(name)
                        copied_bytes += found.size
                except FileNotFoundError:
                    manifest.absent.append(name)
                    continue
                if sha256 and found.sha256 != sha256:
                    damaged.append(name)
                manifest.files[name] = found
            whole = folder.finish(partial, manifest)
        except ProgramError as error:
            raise BackupError(str(error)) from error
        except OSError as error:
            raise BackupError(f"The backup could not be written: {error}") from error
        forgotten = folder.forget(keep)
    # Without those whose rows were deleted while the backup was written.
    still_named = dict(_named_files()) if manifest.absent else {}
    absent = [name for name in manifest.absent if name in still_named]
    note_backup(f"{whole}, {len(manifest.files)} files")
    return Written(
        whole, len(manifest.files), len(copied), copied_bytes, absent, damaged, forgotten
    )


def note_backup(details: str) -> None:
    """Tell the status page and the metrics. The backup is complete even if this fails, as it does
    in a database of an earlier version."""
    try:
        beat(HeartbeatKind.BACKUP, NAME, details=details)
    except DatabaseError as error:
        log.warning("the backup is not noted: %s", str(error).partition("\n")[0])


def _dump(folder: BackupFolder, partial: str) -> tuple[Manifest, dict[str, str]]:
    """Dump the database, and describe it at the same moment. Also returns the files that its rows
    name, with their hashes where rows have them."""
    with one_moment() as snapshot:
        if not snapshot:
            raise BackupError("A backup cannot be made within a transaction.")
        manifest = Manifest(
            made=now().isoformat(timespec="seconds"),
            version=__version__,
            site=settings.SITE_URL,
            server=str(server_major()),
            database=Stored(0, ""),
            migrations=applied_migrations(),
            rows=row_counts(),
            audit=str(log_head()),
            secrets=fingerprints(),
        )
        named = dict(_named_files())
        manifest.database = folder.write(f"{partial}/{DATABASE}", dump_database(snapshot, LEFT_OUT))
    return manifest, named


def applied_migrations() -> list[list[str]]:
    return sorted(map(list, MigrationRecorder(connection).applied_migrations()))


def _named_files() -> Iterator[tuple[str, str]]:
    """Reads only these columns, since a database that is not migrated yet may lack others. A test
    compares them with those of all models."""
    for model, file, sha256 in FILE_COLUMNS:
        names = model._default_manager.order_by(file)
        if sha256:
            yield from names.values_list(file, sha256)
        else:
            yield from ((name, "") for name in names.values_list(file, flat=True))


def _path(name: str) -> str:
    return f"files/{name}"


def _content(name: str) -> Iterator[bytes]:
    with default_storage.open(name) as stored:
        yield from stored.chunks(_CHUNK)
