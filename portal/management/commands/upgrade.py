"""``manage.py upgrade DIR``: back up, migrate and verify, or migrate back."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.management.passphrase import add_passphrase_file, read_passphrase
from portal.operations.upgrade import UpgradeError, upgrade_database
from scoring import __version__


class Command(BaseCommand):
    help = (
        "Back up, migrate, verify the logs, and score some submissions again. If anything is not "
        "as it was, migrate back. The site may run meanwhile."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dir", type=Path, help="the folder of all backups")
        parser.add_argument("--encrypt", action="store_true", help="the backup, as “backup” does")
        add_passphrase_file(parser)
        parser.add_argument("--keep", type=int, default=7, metavar="N", help="backups (7)")
        parser.add_argument(
            "--sample", type=int, default=20, metavar="N", help="evaluations to score again (20)"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        passphrase = read_passphrase(options) if options["encrypt"] else None
        if options["encrypt"] and not passphrase:
            raise CommandError("Set BACKUP_PASSPHRASE, or name a file with --passphrase-file.")
        try:
            upgrade_database(
                options["dir"],
                passphrase=passphrase,
                keep=options["keep"],
                sample=options["sample"],
                say=self.stdout.write,
            )
        except UpgradeError as error:
            raise CommandError(f"Not upgraded. {error}") from error
        self.stdout.write(
            f"The database is ready for version {__version__}. Now restart web, workers and "
            "sweeper."
        )
