"""``infinitebench score-again``: score a submission with the scorer as it is now."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Score a submission again with the scorer as it is now. It counts like an upload; the "
        "scores that count stay until there are new ones."
    )
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    return act_on(arguments, "score-again", {})
