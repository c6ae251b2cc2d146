"""``infinitebench delete``: delete a submission that nobody else has seen."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    SUBMISSIONS,
    add_site_arguments,
    add_submission_argument,
    at_site,
)
from scoring.cli.terminal import write_answer
from scoring.site.connection import Site

_DESCRIPTION = """\
Delete a submission and its files, while nobody else has seen it. After that: withdraw.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    add_site_arguments(parser, "which one was deleted")


def run(arguments: Namespace) -> int:
    def act(site: Site) -> int:
        site.delete(f"{SUBMISSIONS}{arguments.id}/")
        return write_answer(arguments, {"deleted": arguments.id}, f"{arguments.id}  deleted")

    return at_site(arguments, act)
