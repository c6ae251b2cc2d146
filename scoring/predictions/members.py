"""Common to all kinds of archives: members, names, errors and cost.

A name inside an archive is only compared and shown; nothing is ever written under it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring.limits import MIB, Limits
from scoring.problems import Parameter, Problem

_SMALL = MIB  # below this a ratio says nothing


class Member(NamedTuple):
    name: str
    chunks: Iterable[bytes]  # read once, before the next member is asked for
    problem: Problem | None = None  # why it holds no rows, as far as its first bytes show


class _InputError(Exception):
    def __init__(self, code: str, **params: Parameter) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class MemberError(_InputError):
    """This one file cannot be used, and is left out; ``code`` is one of ``PROBLEMS``."""


class ArchiveError(_InputError):
    """Nothing of the input can be used; ``code`` is one of ``PROBLEMS``.

    An archive that is damaged or says two things at once is refused as a whole: what could still
    be read of it is not what its author submitted, and scoring that would be silently wrong.
    """


@dataclass(slots=True)
class Meter:
    """Counts the bytes that come out of an input, against what its own size allows."""

    limits: Limits
    size: int  # of the input, as submitted
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = min(self.limits.bytes_out, max(_SMALL, self.limits.ratio * self.size))

    def check(self, size: int) -> None:
        """Raises ``ArchiveError`` where there is no room for so many bytes."""
        if size > self.left:
            if self.limits.ratio * self.size < self.limits.bytes_out:
                raise ArchiveError("archive_ratio", limit=self.limits.ratio)
            raise ArchiveError("archive_too_large", limit=self.limits.bytes_out // MIB)

    def count(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Passes the chunks on. Raises ``ArchiveError`` at the first one over the limit."""
        for chunk in chunks:
            self.check(len(chunk))
            self.left -= len(chunk)
            yield chunk


def is_unsafe(name: str) -> bool:
    """Whether a name could lead out of a directory, or is not what it seems to be."""
    return (
        not name.isprintable()
        or len(name) > 1_000
        or re.match(r"[A-Za-z]:", name) is not None
        or name.startswith("/")
        or "\\" in name
        or ".." in name.split("/")
    )


def is_clutter(name: str) -> bool:
    """Whether a file only exists because of the system that made the archive."""
    parts = [part for part in name.split("/") if part not in (".", "..")]
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def comparable_name(name: str) -> str:
    """Two names that a system may take for one are equal in this form."""
    return "/".join(part for part in name.split("/") if part not in ("", ".")).casefold()
