"""A planted fault: a small textual change to one file of the product, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.support.paths import ROOT


class Fault(NamedTuple):
    name: str  # what a user would see, in a few words
    path: str
    old: str  # occurs exactly once in the file
    new: str
    grave: bool  # about scores, permissions, hidden labels, keys, or loss of data
    near: tuple[str, ...]  # folders and files of tests that should catch it


Row = tuple[str, str, str]  # name, old and new


def faults_in(
    path: str, near: tuple[str, ...], *, grave: Sequence[Row] = (), others: Sequence[Row] = ()
) -> list[Fault]:
    """The faults of one file."""
    return [
        *(Fault(name, path, old, new, True, near) for name, old, new in grave),
        *(Fault(name, path, old, new, False, near) for name, old, new in others),
    ]


def problems(faults: Sequence[Fault]) -> list[str]:
    """What makes a fault unusable, such as a text that the product no longer has."""
    names = Counter(fault.name for fault in faults)
    repeated = (f"{name}: the name of {count} faults" for name, count in names.items() if count > 1)
    return [*repeated, *(f"{fault.name}: {why}" for fault in faults for why in _obstacles(fault))]


def _obstacles(fault: Fault) -> Iterator[str]:
    if fault.old == fault.new:
        yield "it changes nothing"
    for path in (fault.path, *fault.near):
        if not (ROOT / path).exists():
            yield f"there is no {path}"
    if (ROOT / fault.path).is_file():
        count = (ROOT / fault.path).read_text(encoding="utf-8").count(fault.old)
        if count != 1:
            yield f"{fault.path} has its text {count} times"
