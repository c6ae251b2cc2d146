"""``manage.py import_historical DIR --model NAME``: score released files with their own labels."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.entries.historical import Historical, import_historical
from portal.errors import UserError


class Command(BaseCommand):
    help = "Score released prediction files against their own labels, and publish the result."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, help="a folder of preds_{task}.jsonl")
        parser.add_argument("--model", required=True, help="the name of the language model")
        parser.add_argument(
            "--organisation", default="", help="the organisation behind the language model"
        )
        parser.add_argument(
            "--slug", default="", help="its name in URLs (default: made from --model)"
        )
        parser.add_argument(
            "--drop-first", action="store_true", help="Math.Calc answers repeat the first operand"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        about = Historical(
            name=options["model"],
            organisation=options["organisation"],
            slug=options["slug"],
            drop_first=options["drop_first"],
        )
        try:
            for run in about.runs_in(options["directory"]):
                import_historical(options["directory"], run, report=self.stdout.write)
        except (UserError, OSError) as error:
            raise CommandError(str(error)) from error
