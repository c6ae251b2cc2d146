"""``infinitebench cancel-request``: take back a request for publication."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Take back a request for publication: the submission is private again."
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    return act_on(arguments, "cancel-request", {})
