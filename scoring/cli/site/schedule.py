"""``infinitebench schedule``: change when a submission becomes public, and its name."""

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
        "Change when a submission becomes public, or its name, while it waits for review, is "
        "approved, or is anonymous. What is not given stays as it is."
    )
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    parser.add_argument(
        "--on",
        "--publish-on",  # as the field is called in errors of the site
        metavar="TIME",
        help="2026-12-01T09:00Z; now: once it is approved",
    )
    parser.add_argument(
        "--anonymous-until", metavar="TIME", help="2027-02-01T09:00Z; now: with its name"
    )
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    times = {"publish_on": arguments.on, "anonymous_until": arguments.anonymous_until}
    given = {name: time for name, time in times.items() if time is not None}
    sent = {name: None if time == _NOW else time for name, time in given.items()}
    return act_on(arguments, "schedule", sent)
