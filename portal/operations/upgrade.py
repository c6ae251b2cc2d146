"""An upgrade of the database: backed up before, verified afterwards, and undone if anything is not
as it was."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from portal.operations.backup import note_backup, write_backup
from portal.operations.backup_folder import BackupError
from portal.operations.integrity import (
    IntegrityError,
    log_head,
    sample_of_scored,
    score_again,
    verify_audit_log,
)

Say = Callable[[str], object]


class UpgradeError(Exception):
    """What is wrong, what was done about it, and what to do now."""


class Verified(NamedTuple):
    same: int
    unknown: int


def upgrade_database(
    backups: Path, *, passphrase: str | None = None, keep: int = 7, sample: int = 20, say: Say
) -> Verified:
    """Raises ``UpgradeError``; the database is then as before, or the message says it is not."""
    before = log_head()  # the only models of this version that work with an older database
    try:
        written = write_backup(backups, passphrase=passphrase, keep=keep)
    except BackupError as error:
        raise UpgradeError(f"Nothing was changed: no backup could be made. {error}") from error
    say(f"Backed up: {backups / written.name}")
    applied = set(MigrationRecorder(connection).applied_migrations())
    try:
        call_command("migrate", interactive=False, verbosity=0)
        note_backup(f"{written.name}, {written.files} files")  # earlier versions cannot
        added = len(set(MigrationRecorder(connection).applied_migrations()) - applied)
        say(f"Migrated: {added} migrations.")
        verify_audit_log(before)
        say("The audit log is intact.")
        verified = verify_scores(sample, say)
    except (CommandError, DatabaseError, IntegrityError) as error:
        message = _migrate_back(str(error).strip(), applied, backups / written.name)
        raise UpgradeError(message) from error
    return verified


def verify_scores(sample: int, say: Say) -> Verified:
    """Score so many random evaluations again. Raises ``IntegrityError``."""
    wrong, same, unknown = [], 0, 0
    for evaluation in sample_of_scored(sample):
        again = score_again(evaluation)
        if again.difference:
            wrong.append(f"evaluation {evaluation}: {again.difference}")
        elif again.unknown:
            unknown += 1
            say(f"Evaluation {evaluation} cannot be compared: {again.unknown}.")
        else:
            same += 1
    if wrong:
        count = f"{len(wrong)} of {len(wrong) + same} evaluations were scored differently"
        raise IntegrityError(f"{count}; {'; '.join(wrong)}.")
    if same:
        say(f"Scored again: {same} evaluations, each with the result that it had.")
    else:
        say("There was nothing to score again.")
    return Verified(same, unknown)


def _migrate_back(reason: str, applied: set[tuple[str, str]], backup: Path) -> str:
    """Undo the upgrade; returns ``reason`` with the outcome."""
    try:
        executor = MigrationExecutor(connection)
        graph = executor.loader.graph
        known = applied & set(graph.nodes)
        # The newest applied migration of each app: none after it in the app was applied.
        newest = [
            node
            for node in known
            if not any(child[0] == node[0] for child in graph.node_map[node].children & known)
        ]
        if set(MigrationRecorder(connection).applied_migrations()) != applied:
            executor.migrate(newest)
        if set(MigrationRecorder(connection).applied_migrations()) == applied:
            return (
                f"{reason}\nThe database is as it was. Keep running the version that you had, and "
                f"report this. (The backup is {backup}.)"
            )
    except (DatabaseError, IrreversibleError) as error:
        reason = f"{reason}\nGoing back has failed too: {error}"
    return (
        f"{reason}\nThe database is not as it was. Stop the site, make an empty database and an "
        f"empty storage, and run “manage.py restore {backup.parent} --backup {backup.name}” with "
        "the version that you had."
    )
