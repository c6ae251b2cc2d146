"""``manage.py verify_scores``: whether scoring again gives the same scores."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.operations.integrity import IntegrityError
from portal.operations.upgrade import verify_scores


class Command(BaseCommand):
    help = "Score some evaluations again, at random, and compare every answer. Stores nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sample", type=int, default=20, metavar="N", help="how many (20)")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            verify_scores(options["sample"], self.stdout.write)
        except IntegrityError as error:
            raise CommandError(str(error)) from error
