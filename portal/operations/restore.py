"""Restore a backup into an empty database and an empty storage, and check the result."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from portal.audit.chain import Link
from portal.operations.backup_folder import DATABASE, BackupError, BackupFolder, Manifest
from portal.operations.integrity import (
    IntegrityError,
    missing_secrets,
    row_counts,
    verify_audit_log,
)
from portal.operations.postgres_programs import ProgramError, restore_database


class Restored(NamedTuple):
    name: str
    files: int
    rows: int
    absent: list[str]  # files that were already lost when the backup was made
    to_migrate: bool


def restore_backup(root: Path, name: str = "", *, other_secrets: bool = False) -> Restored:
    """Restore the newest backup, unless one is named. Raises ``BackupError``, if possible before
    anything is written; the database is restored last, all of it or nothing."""
    folder = BackupFolder(root)
    names = folder.names()
    if not names:
        raise BackupError(f"There is no whole backup in {root}.")
    name = name or names[-1]
    if name not in names:
        raise BackupError(f"There is no whole backup {name} in {root}, only {' '.join(names)}.")
    manifest = folder.manifest(name)
    to_migrate = _check_migrations(manifest)
    if not other_secrets and (missing := missing_secrets(manifest.secrets)):
        raise BackupError(
            f"{' and '.join(missing)} are not those of the site that was backed up. Set them, or "
            "continue with --other-secrets: without SECRET_KEY links in emails end, and "
            "without ENDPOINT_KEY_SECRETS keys of endpoints are lost."
        )
    if connection.introspection.table_names():
        raise BackupError(
            "The database is not empty. Make an empty one, and name it in DATABASE_URL; do not run "
            "“migrate” in it."
        )
    others = sorted({*_stored_names("")} - {*manifest.files})
    if others:
        raise BackupError(
            f"The storage is not empty: it has {others[0]}. Name an empty one in STORAGE_DIR."
        )
    folder.check(f"{name}/{DATABASE}", manifest.database)
    for file, stored in manifest.files.items():
        folder.check(f"{name}/files/{file}", stored)
    try:
        for file in manifest.files:
            _restore_file(folder, name, file)
        restore_database(folder.read(f"{name}/{DATABASE}"))
    except ProgramError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"A file could not be stored: {error}") from error
    _check_restored(manifest, to_migrate=to_migrate)
    rows = sum(manifest.rows.values())
    return Restored(name, len(manifest.files), rows, manifest.absent, to_migrate)


def _check_migrations(manifest: Manifest) -> bool:
    """Whether this software has newer migrations. Raises ``BackupError`` if it lacks some."""
    known = MigrationLoader(None, ignore_no_migrations=True)
    disk = {*known.disk_migrations}
    # Squashed ones may be gone from the disk, but their successor names them.
    replaced = {key for one in known.disk_migrations.values() for key in one.replaces}
    applied = {(app, name) for app, name in manifest.migrations}
    if unknown := sorted(applied - disk - replaced):
        raise BackupError(
            f"The backup was made by a newer version ({manifest.version}): this one does not know "
            f"the migration {'.'.join(unknown[0])}. Install that version or a newer one."
        )
    return bool(disk - applied)


def _check_restored(manifest: Manifest, *, to_migrate: bool) -> None:
    """What needs the models of this version is not checked before the database is migrated. Raises
    ``BackupError``."""
    counts = row_counts()
    if different := {
        table: count for table, count in manifest.rows.items() if counts.get(table) != count
    }:
        table, count = next(iter(different.items()))
        raise BackupError(f"{table} has {counts.get(table)} rows instead of {count}.")
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        applied = {*cursor.fetchall()}
    if {tuple(one) for one in manifest.migrations} - applied:
        raise BackupError("The migrations of the database are not those of the backup.")
    if to_migrate:
        return
    number, _, link = manifest.audit.partition(":")
    try:
        verify_audit_log(Link(int(number), link))
    except IntegrityError as error:
        raise BackupError(str(error)) from error


def _restore_file(folder: BackupFolder, backup: str, name: str) -> None:
    """Store it under its own name; what an interrupted restore has left is replaced."""
    with tempfile.TemporaryFile() as copy:
        copy.writelines(folder.read(f"{backup}/files/{name}"))
        copy.seek(0)
        if default_storage.exists(name):
            default_storage.delete(name)
        if (stored := default_storage.save(name, File(copy))) != name:
            raise BackupError(f"The storage has named {name} {stored} instead.")


def _stored_names(folder: str) -> Iterator[str]:
    if folder and not default_storage.exists(folder):
        return
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:  # a new one
        return
    prefix = f"{folder}/" if folder else ""
    yield from (f"{prefix}{file}" for file in files)
    for inner in folders:
        yield from _stored_names(f"{prefix}{inner}")
