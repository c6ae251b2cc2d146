"""Check the public ledger of a site with nothing but its download.

Each line is one entry in JSON: ``number``, ``day``, ``kind``, ``release``, ``commitment``,
``reconstructed`` and ``hash``; of one that is open also ``key`` and ``content``. A hash is SHA-256
of the hash before and of the public fields, each with its length in bytes and a colon in front, so
that no two entries give the same text; a commitment is that of key and content.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from scoring.strict_json import parse_json

_DIGITS = 18
_HASH = re.compile(r"[0-9a-f]{64}")


class BrokenLedgerError(Exception):
    """The message names the first entry that is wrong."""


class Head(NamedTuple):
    """The newest entry: whoever knows it, knows if anything before is changed later."""

    number: int = 0
    hash: str = ""

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"

    def __bool__(self) -> bool:
        return self.number > 0

    @classmethod
    def parse(cls, text: str) -> "Head":
        """As it is printed. Raises ``ValueError``."""
        number, colon, value = text.partition(":")
        is_number = number.isascii() and number.isdigit() and len(number) <= _DIGITS
        if not (colon and is_number and _HASH.fullmatch(value)):
            raise ValueError(text)
        return cls(int(number), value)


class Checked(NamedTuple):
    head: Head
    opened: int  # entries whose content was there, and fits its commitment


def digest(*fields: object) -> str:
    """Over any number of fields, none of which can take over a part of another. Sites never have
    lone surrogates in an entry: with one the hash is wrong."""
    texts = [str(field).encode(errors="surrogatepass") for field in fields]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(text), text) for text in texts)).hexdigest()


def commitment_of(key: str, content: str) -> str:
    return digest(key, content)


def link_of(previous: str, entry: dict[str, Any]) -> str:
    """The hash of an entry, from the hash before and its public fields."""
    reconstructed = "reconstructed" if entry["reconstructed"] else ""
    names = ("number", "day", "kind", "release", "commitment")
    return digest(previous, *(entry[name] for name in names), reconstructed)


def check_ledger(lines: Iterable[str], known: Head | None = None) -> Checked:
    """Raises ``BrokenLedgerError`` for the first entry that does not follow the one before, whose
    content is not what was committed to, or that is not ``known``, an earlier head. A file may also
    begin with the entry after that one."""
    head, opened = Head(), 0
    for line in lines:
        if not line.strip():
            continue
        entry = _parse(line, head.number + 1)
        if known and not head.number and entry["number"] == known.number + 1:
            head = known
        if entry["number"] != head.number + 1:
            raise BrokenLedgerError(f"Entry {head.number + 1} is missing.")
        head = Head(head.number + 1, link_of(head.hash, entry))
        if entry["hash"] != head.hash:
            raise BrokenLedgerError(
                f"Entry {head.number} is broken: it, or an entry before it, was changed."
            )
        if known and known.number == head.number and known.hash != head.hash:
            raise BrokenLedgerError(f"Entry {head.number} is not the known one: {known}.")
        if entry.get("content") is not None:
            if commitment_of(entry["key"], entry["content"]) != entry["commitment"]:
                raise BrokenLedgerError(
                    f"Entry {head.number} was opened to other than what was committed to."
                )
            opened += 1
    if known and head.number < known.number:
        raise BrokenLedgerError(
            f"The ledger ends with entry {head.number}, but entry {known} is known to exist."
        )
    return Checked(head, opened)


def _parse(line: str, number: int) -> dict[str, Any]:
    try:
        entry: Any = parse_json(line)
        fields = (entry["number"], entry["day"], entry["kind"], entry["release"])
        _ = (*fields, entry["commitment"], entry["reconstructed"], entry["hash"])
        if entry.get("content") is not None:
            _ = entry["key"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenLedgerError(f"Line {number} is no entry of a ledger.") from error
    return dict(entry)
