"""What the functions of the package do, step by step: the source of each, and what it computes.

The second is written by other means than the first. So the values that the documentation of a
function promises are not taken from running it, and running it proves both.

Every step takes any value of its kind, empty ones too, and comes to an end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from string import Formatter

KINDS = {
    "numbers": "list[int]",
    "number": "int",
    "words": "list[str]",
    "text": "str",
    "table": "dict[str, int]",
}

Value = int | str | list[int] | list[str] | dict[str, int]
SETTINGS = ("k", "m", "p", "unit", "sign", "shelf")


@dataclass(frozen=True, slots=True)
class Step:
    """``source`` has placeholders and, at the end of a line, marks:

    - ``#init``: the line declares its first name, which is surely read later;
    - ``#reads``: the line surely reads ``{src}``;
    - ``#progress``: without this line its loop has no end, and takes no memory. It is surely run.

    ``{src}`` is the name of the value, ``{out}`` that of the result; those of ``SETTINGS`` are
    numbers and texts, or in capital letters constants of the module; others are local names.
    """

    takes: str  # of KINDS
    gives: str
    says: str  # continues “It …”
    source: str
    apply: Callable[..., Value]  # the value, then its ``needs``
    lines: tuple[tuple[str, str], ...] = field(init=False)  # of the source, each with its mark
    names: tuple[str, ...] = field(init=False)  # of the placeholders
    needs: tuple[str, ...] = field(init=False)  # what ``apply`` gets after the value

    def __post_init__(self) -> None:
        marked = (line.partition("  #") for line in self.source.strip("\n").split("\n"))
        object.__setattr__(self, "lines", tuple((text, mark) for text, _, mark in marked))
        found = (name for _, name, _, _ in Formatter().parse(self.source) if name)
        names = tuple(dict.fromkeys(found))
        object.__setattr__(self, "names", names)
        lower = {name.lower() for name in names}
        object.__setattr__(self, "needs", tuple(name for name in SETTINGS if name in lower))
