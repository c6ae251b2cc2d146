"""``manage.py verify_audit``: whether the audit log is as it was written."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.audit.chain import EMPTY, BrokenLogError, Link, verify_log


class Command(BaseCommand):
    help = (
        "Walk the chain of the audit log, and hold the states of submissions against it; name the "
        "first thing that does not fit."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--known",
            metavar="NUMBER:HASH",
            type=_link,
            default=EMPTY,
            help="what this command printed another time: that entry must still be there",
        )

    def handle(self, *_: Any, **options: Any) -> None:  # noqa: ANN401 - as in Django
        try:
            newest = verify_log(options["known"])
        except BrokenLogError as error:
            raise CommandError(f"The audit log is broken. {error}") from error
        if newest == EMPTY:
            self.stdout.write("The audit log is empty.")
            return
        self.stdout.write(f"{newest.number} audit entries, every link holds. The newest:")
        self.stdout.write(f"{newest}")
        self.stdout.write("Keep this line elsewhere, and give it to --known the next time.")


def _link(text: str) -> Link:
    number, colon, digest = text.partition(":")
    if not (colon and number.isascii() and number.isdigit()):
        raise ValueError
    return Link(int(number), digest)
