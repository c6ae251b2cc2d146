"""``manage.py import_reported CSV``: import numbers copied from papers and model cards."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.entries.reported import import_reported
from portal.errors import UserError


class Command(BaseCommand):
    help = "Import a table of published results; existing entries are updated."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="in the format of portal/data/published_results.csv"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            import_reported(options["file"], report=self.stdout.write)
        except (UserError, OSError) as error:
            raise CommandError(str(error)) from error
