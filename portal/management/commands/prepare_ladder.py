"""``manage.py prepare_ladder``: what ``make demo`` generates while its pages are already up."""

import logging
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.demo.length_release import Ladder, prepare_ladder
from scoring.cli.arguments import several_tokens


class Command(BaseCommand):
    help = "Generate the demo's large release, and the entries of its reference readers."

    def add_arguments(self, parser: CommandParser) -> None:
        usual = Ladder()
        parser.add_argument("--tokens", type=several_tokens, default=usual.lengths, metavar="N,N")
        parser.add_argument("--synthetic", type=int, default=usual.synthetic, metavar="N")
        parser.add_argument("--realistic", type=int, default=usual.realistic, metavar="N")

    def handle(self, *_: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("This publishes under known accounts, so it needs DEMO=1.")
        logging.getLogger().setLevel(logging.WARNING)  # the report says what is done
        ladder = Ladder(options["tokens"], options["synthetic"], options["realistic"])
        if not prepare_ladder(ladder, self._report):
            raise CommandError("The next start continues with it.")

    def _report(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
