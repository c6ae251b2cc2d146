"""``infinitebench publish``: request the publication of a submission."""

from argparse import ArgumentParser, Namespace

from scoring.cli.site.options import (
    EXIT_CODES,
    act_on,
    add_settings_arguments,
    add_site_arguments,
    add_submission_argument,
    settings_of,
)

_DESCRIPTION = """\
Request the publication of a scored submission: a reviewer looks at it, and you get the decision by
email. Settings that are given here are corrected first. It becomes public once it is approved, or
on a later day.
"""

_EPILOG = f"""\
example:
  infinitebench publish ID --input-limit 131072 --output-limit 1024 --truncation middle \\
    --prompt-strategy "official templates" --unknown-confirmed
  infinitebench publish ID --on 2026-12-01T09:00Z --hide-account

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_submission_argument(parser)
    parser.add_argument(
        "--unknown-confirmed",
        action="store_true",
        help="settings that are not given here or before are not known",
    )
    parser.add_argument(
        "--by-maker",
        action="store_true",
        help="the submission is by the maker of the model, which a reviewer confirms",
    )
    parser.add_argument(
        "--on",
        "--publish-on",  # as the field is called in errors of the site
        metavar="TIME",
        help="public from then on, at most a year from now: 2026-12-01T09:00Z, or with an offset "
        "as +08:00; without one, in UTC (default: once it is approved)",
    )
    parser.add_argument(
        "--hide-account",
        action="store_true",
        help="the entry does not show the name of your account; reviewers see it",
    )
    add_settings_arguments(parser)
    add_site_arguments(parser, "the submission as it is then")


def run(arguments: Namespace) -> int:
    said = {name: True for name in ("unknown_confirmed", "by_maker") if vars(arguments)[name]}
    day = {"publish_on": arguments.on} if arguments.on else {}
    account = {"show_account": False} if arguments.hide_account else {}
    return act_on(arguments, "request", {**settings_of(arguments), **said, **day, **account})
