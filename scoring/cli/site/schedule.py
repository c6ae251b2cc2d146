"""``infinitebench schedule``: change when a submission becomes public."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)

_NOW = "now"


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Change when a submission becomes public, while it is in review or scheduled."
    )
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    parser.add_argument(
        "--on",
        "--publish-on",  # as the field is called in errors of the site
        metavar="TIME",
        required=True,
        help="2026-12-01T09:00Z; now: once it is approved",
    )
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    day = None if arguments.on == _NOW else arguments.on
    return act_on(arguments, "schedule", {"publish_on": day})
