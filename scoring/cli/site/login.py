"""``infinitebench login``: keep the address of a site and a token for it."""

import os
import sys
from argparse import ArgumentParser, Namespace
from getpass import getpass

from scoring.cli.site.options import EXIT_CODES, SUBMISSIONS, report_error
from scoring.cli.terminal import add_json_argument, write_answer
from scoring.site.connection import Site
from scoring.site.errors import RefusedError, SiteError
from scoring.site.login import (
    TOKEN_VARIABLE,
    Login,
    address_of,
    checked_token,
    forget_login,
    login_file,
    write_login,
)

_DESCRIPTION = f"""\
Keep the address of a site and a token for it, in a file that only you can read. Make the token on
your profile there, with the scopes “read” and “submit”. It is asked for, or read from standard
input or {TOKEN_VARIABLE}; never from the command line, which others can see.
--forget deletes the file; the token stays in force until it expires or you revoke it on your
profile.
"""

_EPILOG = f"""\
examples:
  infinitebench login https://HOST
  infinitebench login https://HOST < token.txt
  infinitebench login --forget

{EXIT_CODES}"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("address", nargs="?", metavar="ADDRESS", help="https://HOST")
    what.add_argument("--forget", action="store_true", help="delete the address and the token")
    add_json_argument(parser, "where it is kept, or was")


def run(arguments: Namespace) -> int:
    file = login_file()
    if arguments.forget:
        was_there = forget_login(file)
        return write_answer(
            arguments,
            {"deleted": was_there, "file": str(file)},
            f"{file} is deleted." if was_there else f"There was no {file}.",
        )
    try:
        login = Login(address_of(arguments.address), checked_token(_token()))
        _check(login)
    except SiteError as error:
        return report_error(error, arguments.json)
    write_login(login, file)
    return write_answer(
        arguments,
        {"site": login.address, "file": str(file)},
        f"Logged in to {login.address}. The token is in {file}, for you alone.",
    )


def _token() -> str:
    if given := os.environ.get(TOKEN_VARIABLE, ""):
        return given
    return getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()


def _check(login: Login) -> None:
    """Raises where the site does not know the token."""
    try:
        Site(login).get(SUBMISSIONS).document()
    except RefusedError as error:
        if error.code != "missing_scope":  # a token that may only submit is one too
            raise
