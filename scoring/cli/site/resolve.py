"""``infinitebench resolve``: answer the site's question about the files of a submission."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_site_arguments,
    add_submission_argument,
)

_DESCRIPTION = """\
Answer the question that has to be decided before the files of a submission can be scored. status
shows the question and its answers.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    answer = parser.add_mutually_exclusive_group(required=True)
    answer.add_argument("--align", choices=("id", "order"), help="how rows are matched")
    answer.add_argument("--release", metavar="NAME", help="the release they were made for")
    answer.add_argument("--version", metavar="NAME", help="its label version")
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    given = {name: getattr(arguments, name) for name in ("align", "release", "version")}
    return act_on(arguments, "answer", {name: value for name, value in given.items() if value})
