"""``manage.py restore DIR``: restore a backup into an empty database and an empty storage."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.operations.backup_folder import BackupError
from portal.operations.restore import restore_backup


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database and storage, and check rows, hashes and the audit "
        "log."
    )
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path, help="the folder of backups")
        parser.add_argument("--backup", default="", metavar="NAME", help="instead of the newest")
        parser.add_argument(
            "--other-secrets",
            action="store_true",
            help="even if SECRET_KEY or ENDPOINT_KEY_SECRETS are not the same",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            restored = restore_backup(
                options["dir"],
                options["backup"],
                other_secrets=options["other_secrets"],
            )
        except BackupError as error:
            raise CommandError(f"Not restored. {error}") from error
        self.stdout.write(
            f"{restored.name} is restored: {restored.rows:,} rows and {restored.files} files, each "
            "with the hash that it had."
        )
        if restored.to_migrate:
            self.stdout.write(
                "This version is newer: run “manage.py migrate”, then “verify_audit”."
            )
            return
        self.stdout.write("The audit log is intact.")
        for name in restored.absent:
            self.stdout.write(f"Already lost when the backup was made: {name}")
        self.stdout.write("Everybody has to sign in again.")
