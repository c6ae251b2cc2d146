"""``infinitebench logout``: forget the stored token."""

from argparse import ArgumentParser, Namespace

from scoring.cli.terminal import add_json_argument, write_answer
from scoring.site.login import forget_login, login_file

_DESCRIPTION = """\
Delete the file with the address and the token. The token itself stays in force until you revoke it
on your profile, or it expires.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_json_argument(parser, "whether there was one")


def run(arguments: Namespace) -> int:
    file = login_file()
    was_there = forget_login(file)
    return write_answer(
        arguments,
        {"deleted": was_there, "file": str(file)},
        f"{file} is deleted." if was_there else f"There was no {file}.",
    )
