"""``manage.py backup DIR``: the database and the files, consistent with each other."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.operations.backup import write_backup
from portal.operations.backup_folder import BackupError


class Command(BaseCommand):
    help = (
        "Write a backup of database and files into a folder. SECRET_KEY and ENDPOINT_KEY_SECRETS "
        "are not in it: keep them elsewhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path, help="the folder of all backups")
        parser.add_argument(
            "--keep", type=int, default=7, metavar="N", help="how many backups to keep (7)"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if options["keep"] < 1:
            raise CommandError("--keep is 1 or more")
        try:
            written = write_backup(options["dir"], keep=options["keep"])
        except BackupError as error:
            raise CommandError(f"No backup was made. {error}") from error
        size = f"{written.file_bytes / 1e6:,.1f} MB"
        self.stdout.write(
            f"{options['dir'] / written.name}: the database and {written.files} files ({size})"
        )
        self.stdout.write("Not in it: SECRET_KEY and ENDPOINT_KEY_SECRETS. Keep them elsewhere.")
        wrong = [f"lost: {name}" for name in written.absent]
        wrong += [f"changed since it was stored: {name}" for name in written.damaged]
        if wrong:
            raise CommandError(
                "The backup is whole, but files of the site are not:\n" + "\n".join(wrong)
            )
