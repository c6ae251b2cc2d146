"""``manage.py prepare_demo``: what ``make demo`` does between its database and its first page."""

import logging
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.demo.seed import prepare_demo


class Command(BaseCommand):
    help = "Migrate, collect static files, make the demo's accounts, import what it shows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--data", type=Path, help="a folder with real labels and results")

    def handle(self, *_: Any, **options: Any) -> None:  # noqa: ANN401 - as in Django
        if not settings.DEMO:
            raise CommandError("This makes accounts with known names: only with DEMO=1.")
        logging.getLogger().setLevel(logging.WARNING)  # the report says what is done
        prepare_demo(options["data"], self._report)

    def _report(self, line: str) -> None:
        self.stdout.write(f"  {line}")
        self.stdout.flush()
