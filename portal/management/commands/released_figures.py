"""``manage.py released_figures``: import the figures of released results, or make their file."""

import gzip
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.entries.figures import FILE, import_figures, make_figures
from portal.errors import UserError
from scoring.releases.gold import GoldError


class Command(BaseCommand):
    help = "Import the figures of the results that were released with ∞Bench, where missing."

    def add_arguments(self, parser: CommandParser) -> None:
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument(
            "--make",
            type=Path,
            metavar="DATA",
            help=f"write {FILE.name} instead, from the released files in DATA",
        )
        ways.add_argument(
            "--check", type=Path, metavar="DATA", help="compare it with the released files in DATA"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            if folder := options["make"] or options["check"]:
                made = make_figures(folder)
                if options["make"]:
                    FILE.write_bytes(made)
                elif gzip.decompress(made) != gzip.decompress(FILE.read_bytes()):
                    raise CommandError(f"{FILE.name} is not what {folder} gives: use --make.")
                self.stdout.write(f"{FILE.name}: as {folder} gives it")
            else:
                import_figures(report=self.stdout.write)
        except (GoldError, UserError, OSError) as error:
            raise CommandError(str(error)) from error
