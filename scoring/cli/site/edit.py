"""``infinitebench edit``: correct how the predictions of a submission were made."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_settings_arguments,
    add_site_arguments,
    add_submission_argument,
    settings_of,
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Correct the settings of a submission while it is private or rejected. What is not given "
        "stays as it is."
    )
    parser.epilog = EXIT_CODES
    add_submission_argument(parser)
    add_settings_arguments(parser)
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    return act_on(arguments, "edit", settings_of(arguments))
