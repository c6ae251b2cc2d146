"""``manage.py verify_ledger``: whether the public ledger is unchanged and complete."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.ledger.chain import verify_ledger
from scoring.ledger import BrokenLedgerError, Head


class Command(BaseCommand):
    help = (
        "Verify the chain of the public ledger, what its entries commit to, and that every scoring "
        "is counted; report the first mismatch."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--known",
            metavar="NUMBER:HASH",
            type=Head.parse,
            help="the newest entry of an earlier time: it must still be there",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            newest = verify_ledger(options["known"])
        except BrokenLedgerError as error:
            raise CommandError(f"The ledger is broken. {error}") from error
        self.stdout.write(f"{newest.number} ledger entries, all links intact. The newest:")
        self.stdout.write(f"{newest}")
