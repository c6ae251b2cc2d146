"""Bugs of six kinds, put into functions that are right: which one it is, is certain.

Each yields all ways to spoil a body, without its own indentation; one that ``make_caller`` made has
a place for every kind.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from scoring.generators.debug.function import Line
from scoring.generators.debug.words import LOCALS

Lines = tuple[Line, ...]
_STEP = 4  # spaces of an indentation
_WORD = re.compile(r"[A-Za-z_]\w*")


def missing_declaration(lines: Lines) -> Iterator[Lines]:
    """A variable is read before anything is assigned to it."""
    for place, line in enumerate(lines):
        if line.mark == "init":
            yield _without(lines, place)


def argument_count(lines: Lines) -> Iterator[Lines]:
    """A function of the module gets an argument too many, or too few."""
    for place, line in enumerate(lines):
        for text in line.miscalls:
            yield _with(lines, place, text)


def endless_loop(lines: Lines) -> Iterator[Lines]:
    """What brings a loop nearer to its end is left out, or stands behind it."""
    for place, line in enumerate(lines):
        if line.mark == "progress":
            yield _without(lines, place)
            is_last = _indent(lines[place + 1].text) < _indent(line.text)
            yield _with(lines, place, line.text[_STEP:]) if is_last else _without(lines, place)


def indentation(lines: Lines) -> Iterator[Lines]:
    """A line stands too far to the right, or not far enough."""
    for place, (before, line) in enumerate(pairwise(lines), 1):
        if before.text.endswith(":"):
            yield _with(lines, place, line.text[_STEP:])
        elif _indent(before.text) == _indent(line.text):
            yield _with(lines, place, " " * (1 + place % _STEP) + line.text)


def undefined_name(lines: Lines) -> Iterator[Lines]:
    """A local name is read under another one, as after half a renaming."""
    known = {word for line in lines for word in _WORD.findall(line.text)}
    for place, line in enumerate(lines):
        if line.reads:
            head, equals, tail = line.text.rpartition(" = ")
            alike = next((names for names in LOCALS.values() if line.reads in names), ["renamed"])
            wrong = next((one for one in alike if one not in known), "renamed")
            read = re.sub(rf"\b{re.escape(line.reads)}\b", wrong, tail, count=1)
            yield _with(lines, place, head + equals + read)


def syntax(lines: Lines) -> Iterator[Lines]:
    """A line that Python cannot read: a sign is missing."""
    for place, line in enumerate(lines):
        text = line.text
        if text.endswith((":", ")", "]")) and len(text) > 1:
            yield _with(lines, place, text[:-1])
        if text.lstrip().startswith("for "):
            yield _with(lines, place, text.replace(" in ", " ", 1))
        if " = " in text and text.endswith(")"):
            yield _with(lines, place, text.replace("(", "", 1))


BUGS: dict[str, Callable[[Lines], Iterator[Lines]]] = {
    "missing declaration": missing_declaration,
    "argument count": argument_count,
    "endless loop": endless_loop,
    "indentation": indentation,
    "undefined name": undefined_name,
    "syntax": syntax,
}


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _with(lines: Lines, place: int, text: str) -> Lines:
    return (*lines[:place], lines[place]._replace(text=text), *lines[place + 1 :])


def _without(lines: Lines, place: int) -> Lines:
    return lines[:place] + lines[place + 1 :]
