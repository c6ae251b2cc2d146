"""The command ``infinitebench``, which is also ``python -m scoring``."""

import gc
import os
import signal
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import NamedTuple, cast

from scoring import __version__
from scoring.cli.placeholders import placeholders
from scoring.cli.unusable import CommandParser, UnusableError, UsageError, json_target, refuse
from scoring.releases.gold import GoldError

NAME = "infinitebench"


class Command(NamedTuple):
    module: str  # in scoring.cli; only imported for its command, since most need heavy packages
    summary: str
    extra: str = ""  # the extra of the package that has the module's other imports


COMMANDS: dict[str, Command] = {
    "score": Command("local.score", "score prediction files against gold answers"),
    "check": Command("local.check", "find problems, and the release that fits"),
    "convert": Command("local.convert", "predictions and logs of other tools, as files"),
    "generate": Command("local.generate", "generate a release of all tasks", "run"),
    "answer": Command("local.answer", "answer a release with the reference reader", "run"),
    "estimate": Command("local.estimate", "what an endpoint run needs and can reach", "run"),
    "run": Command("local.run", "ask an endpoint all questions", "run"),
    "verify": Command("local.verify", "check this installation against golden cases"),
    "verify-receipt": Command("local.verify_receipt", "check what a site has signed", "receipts"),
    "verify-ledger": Command("local.verify_ledger", "check the public ledger of a site"),
    "login": Command("site.login", "keep the address of a site and your token"),
    "logout": Command("site.logout", "delete them"),
    "submit": Command("site.submit", "check prediction files and send them to the site"),
    "status": Command("site.status", "your submissions, and how far one is"),
    "resolve": Command("site.resolve", "answer the question about a submission's files"),
    "publish": Command("site.publish", "request publication"),
    "cancel-request": Command("site.cancel_request", "take back a request for publication"),
    "reply": Command("site.reply", "answer a reviewer's question"),
    "edit": Command("site.edit", "correct how predictions were made"),
    "score-again": Command("site.score_again", "score it with the scorer as it is now"),
    "schedule": Command("site.schedule", "change when it becomes public"),
    "withdraw": Command("site.withdraw", "take a submission back"),
    "delete": Command("site.delete", "delete a submission that nobody else has seen"),
    "runs": Command("site.runs", "endpoint runs by the site", "run"),
    "reviews": Command("site.reviews", "for reviewers: what waits, and decisions"),
    "download": Command("site.download", "files of a submission or of a public entry"),
    "model-card": Command("site.model_card", "scores for the model card on the Hub"),
    "board": Command("site.board", "a leaderboard as a table"),
    "correlate": Command("site.correlate", "whether two releases rank models alike"),
}

_EPILOG = """\
Start here:
  infinitebench check my_predictions/ --gold release/
  infinitebench score my_predictions/ --gold release/ --json report.json
  infinitebench login https://HOST
  infinitebench submit my_predictions/ --model my-model --follow

infinitebench COMMAND --help explains a command with examples. In a checkout of the site,
python -m scoring is the same command.
"""


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    chosen = arguments[0] if arguments and arguments[0] in COMMANDS else None
    parser = CommandParser(
        prog=NAME,
        description="Check, score and submit predictions for ∞Bench.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    try:
        for name, command in COMMANDS.items():
            subparser = commands.add_parser(
                name, help=command.summary, formatter_class=RawDescriptionHelpFormatter
            )
            if name == chosen:
                asks_help = bool({"-h", "--help"} & {*arguments})
                _add_arguments(name, subparser, asks_help=asks_help)
    except ModuleNotFoundError as error:
        return _say_missing(str(chosen), error, json_target(arguments))
    if not arguments:
        parser.print_help(sys.stderr)
        return 2
    try:
        values = parser.parse_args(arguments)
    except UsageError as error:
        return refuse(json_target(arguments), "usage", str(error), before=error.usage)
    return run(values.command, values)


def run(name: str, values: Namespace) -> int:
    """Run a command. Errors that the user can fix are printed as sentences, with ``--json`` also as
    documents."""
    try:
        code: int = import_module(f"scoring.cli.{COMMANDS[name].module}").run(values)
    except ModuleNotFoundError as error:
        return _say_missing(name, error, values.json)
    except BrokenPipeError:  # whoever read the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return refuse(values.json, "unusable", f"{where}{error.strerror or error}")
    except (GoldError, UnusableError) as error:
        return refuse(values.json, "unusable", str(error))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return code


def _add_arguments(name: str, parser: ArgumentParser, *, asks_help: bool) -> None:
    """Adds the arguments of a command. Its help is complete even if the packages it needs are not
    installed. Raises ``ModuleNotFoundError``."""
    command = COMMANDS[name]
    module, note = f"scoring.cli.{command.module}", ""
    try:
        add_arguments = import_module(module).add_arguments
    except ModuleNotFoundError:
        if not (asks_help and command.extra):
            raise
        note = f"\nIt needs more packages: pip install '{NAME}[{command.extra}]'\n"
        with placeholders():
            add_arguments = import_module(module).add_arguments
    add_arguments(parser)
    parser.epilog = f"{parser.epilog or ''}{note}" or None


def _say_missing(name: str, error: ModuleNotFoundError, target: str | None) -> int:
    """Which packages to install for a command. Raises the error again if the fault is ours."""
    command = COMMANDS[name]
    if not command.extra or (error.name or "").partition(".")[0] == "scoring":
        raise error
    detail = f"{error.name} is not installed, which this command needs."
    fix = f"\n    → pip install '{NAME}[{command.extra}]'"
    return refuse(target, "missing_package", detail, after=fix)


def command() -> int:
    """The entry point of the installed command."""
    gc.set_threshold(50_000)  # looking for cycles after every 700 objects costs 3 % of the time
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # removes unfinished output
    for stream in (sys.stdout, sys.stderr):
        cast("TextIOWrapper", stream).reconfigure(errors="backslashreplace")
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
