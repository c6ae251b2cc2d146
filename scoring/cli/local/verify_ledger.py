"""``infinitebench verify-ledger``: is the ledger of a site as it was when its head was noted?"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from scoring.cli.terminal import add_json_argument, write_json
from scoring.cli.unusable import UnusableError
from scoring.ledger import BrokenLedgerError, Checked, Head, check_ledger

_DESCRIPTION = """\
Compute every hash of the ledger that a site publishes at /ledger/ledger.jsonl again, without the
site. With --known it must also hold a head that you know from before: from your notes, from the
feed of the ledger. Without, you know that the file agrees with
itself. The file may also begin with the entry after the known one.
"""

_EPILOG = """\
examples:
  curl -O https://HOST/ledger/ledger.jsonl
  infinitebench verify-ledger ledger.jsonl
  infinitebench verify-ledger ledger.jsonl --known 812:HASH

exit codes:
  0  nothing was changed or left out
  1  something was: it says which entry is the first
  2  the file cannot be read
"""


def _head(text: str) -> Head:
    try:
        return Head.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(
            f"{text!r} is no head: write its number, a colon and its hash of 64 digits"
        ) from error


def _file(text: str) -> Path:
    """Refuses an address, which many try first: it would only be a missing file."""
    if text.startswith(("http://", "https://")):
        raise ArgumentTypeError(
            f"{text!r} is an address: download the file that the site has at /ledger/ledger.jsonl "
            "first, and name it here"
        )
    return Path(text)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("ledger", type=_file, metavar="LEDGER")
    parser.add_argument("--known", metavar="NUMBER:HASH", type=_head, help="an earlier head")
    add_json_argument(parser, "what was found")


def run(arguments: Namespace) -> int:
    try:
        with arguments.ledger.open(encoding="utf-8") as lines:
            found = check_ledger(lines, arguments.known)
    except UnicodeDecodeError as error:
        raise UnusableError(f"{arguments.ledger} is not text in UTF-8.") from error
    except BrokenLedgerError as error:
        return _answer(arguments, None, str(error))
    return _answer(arguments, found, "")


def _answer(arguments: Namespace, found: Checked | None, wrong: str) -> int:
    if arguments.json:
        head = {"number": found.head.number, "hash": found.head.hash} if found else None
        document = {"head": head, "opened": found.opened if found else None, "wrong": wrong or None}
        write_json(arguments.json, document)
    if arguments.json != "-":
        if found:
            opened = "1 entry is" if found.opened == 1 else f"{found.opened:,} entries are"
            print(f"All links are intact; {opened} open. The newest:")
            print(found.head)
        else:
            print(f"✗ {wrong}")
    return 1 if wrong else 0
