"""``infinitebench withdraw``: take back a submission."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)

_DESCRIPTION = """\
Withdraw a submission, also a published one: its entry leaves the leaderboard, and its page says
that it was withdrawn.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    parser.add_argument("--reason", default="", metavar="TEXT", help="reviewers can see it")
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    return act_on(arguments, "withdraw", {"reason": arguments.reason})
