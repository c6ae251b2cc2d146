"""``infinitebench reply``: answer a reviewer's question."""

import sys
from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)

_DESCRIPTION = """\
Reply to a reviewer who has asked something about a submission: it is in review again. The
question is what infinitebench status ID shows.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    parser.add_argument("text", metavar="TEXT", help="your reply; - reads it from standard input")
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    return act_on(arguments, "reply", {"reply": text})
