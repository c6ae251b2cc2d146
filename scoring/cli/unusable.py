"""Why a command did nothing: for people a sentence, for programs a document."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from scoring.cli.terminal import write_json

EXIT_CODE = 2


class UnusableError(Exception):
    """The command, a file or a setting cannot be used. The message is a sentence for the reader."""


class UsageError(Exception):
    """The command line cannot be read: how it is used, and what is wrong with it."""

    def __init__(self, usage: str, detail: str) -> None:
        super().__init__(detail)
        self.usage = usage


class CommandParser(ArgumentParser):
    """Raises ``UsageError`` where argparse would print it and exit."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.format_usage()}{self.prog}: ", message)


def refuse(target: str | None, code: str, detail: str, before: str = "", after: str = "") -> int:
    """Say it, also as a document if there is a ``target`` for one. Returns the exit code."""
    print(f"{before}error: {detail}{after}", file=sys.stderr)
    if target:
        with suppress(OSError):  # it may be the very file that cannot be written
            write_json(target, {"error": {"code": code, "detail": detail}})
    return EXIT_CODE


def json_target(arguments: Sequence[str]) -> str | None:
    """What ``--json`` says in a command line that may be wrong."""
    parser = CommandParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--json", nargs="?")
    target: str | None = parser.parse_known_args(arguments)[0].json
    return target
