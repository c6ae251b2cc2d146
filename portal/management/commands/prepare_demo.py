"""``manage.py prepare_demo``: what ``make demo`` does between its database and its first page."""

import logging
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.demo.seed import prepare_demo


class Command(BaseCommand):
    help = "Prepare the demo: migrate, collect static files, create its accounts, import its data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--data", type=Path, help="a folder with real labels and results")

    def handle(self, *_: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("This creates accounts with known names, so it needs DEMO=1.")
        logging.getLogger().setLevel(logging.WARNING)  # the report says what is done
        logging.getLogger("kombu").setLevel(logging.ERROR)  # a broker of files has no host
        prepare_demo(options["data"], self._report)
        if self.stdout.isatty():
            self.stdout.write("")

    def _report(self, line: str) -> None:
        """On a terminal each line replaces the one before, but for the last."""
        start, end = ("\r\x1b[2K", "") if self.stdout.isatty() else ("", "\n")
        self.stdout.write(f"{start}  {line}", ending=end)
        self.stdout.flush()
