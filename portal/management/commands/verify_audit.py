"""``manage.py verify_audit``: whether the audit log is unchanged."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.audit.chain import EMPTY, BrokenLogError, Link, verify_log


class Command(BaseCommand):
    help = (
        "Verify the chain of the audit log and compare the states of submissions with it; report "
        "the first mismatch."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--known",
            metavar="NUMBER:HASH",
            type=_link,
            default=EMPTY,
            help="a line that this command printed earlier: that entry must still be there",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            newest = verify_log(options["known"])
        except BrokenLogError as error:
            raise CommandError(f"The audit log is broken. {error}") from error
        if newest == EMPTY:
            self.stdout.write("The audit log is empty.")
            return
        self.stdout.write(f"{newest.number} audit entries, all links intact. The newest:")
        self.stdout.write(f"{newest}")
        self.stdout.write("Keep this line somewhere else, and pass it to --known the next time.")


def _link(text: str) -> Link:
    number, colon, digest = text.partition(":")
    if not (colon and number.isascii() and number.isdigit()):
        raise ValueError
    return Link(int(number), digest)
