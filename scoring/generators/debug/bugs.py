"""Bugs of six kinds, put into functions that are right: which one it is, is certain.

Each takes a function that ``make_caller`` made, so that there is a place for every kind.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random

from scoring.generators.debug.draft import Function, Line
from scoring.generators.debug.words import LOCALS
from scoring.generators.draws import between

Mutant = list[str]  # the lines of the body, and of nothing else
_STEP = 4  # spaces of an indentation
_WORD = re.compile(r"[A-Za-z_]\w*")


def missing_declaration(rng: Random, function: Function) -> Mutant:
    """A variable is read before anything is assigned to it."""
    places = [place for place, line in enumerate(function.lines) if line.init]
    return _without(function.lines, _one(rng, places))


def argument_count(rng: Random, function: Function) -> Mutant:
    """A function of the module gets an argument too many, or too few."""
    places = [place for place, line in enumerate(function.lines) if line.miscalls]
    place = _one(rng, places)
    wrong = function.lines[place].miscalls
    return _with(function.lines, place, wrong[between(rng, 0, len(wrong) - 1)])


def endless_loop(rng: Random, function: Function) -> Mutant:
    """What brings a loop nearer to its end is left out, or stands behind it."""
    place = _one(rng, [place for place, line in enumerate(function.lines) if line.progress])
    text, after = function.lines[place].text, function.lines[place + 1].text
    if _indent(after) < _indent(text) and between(rng, 0, 1):
        return _with(function.lines, place, text[_STEP:])
    return _without(function.lines, place)


def indentation(rng: Random, function: Function) -> Mutant:
    """A line stands too far to the right, or not far enough."""
    texts = [line.text for line in function.lines]
    found: list[tuple[int, str]] = []
    for place, (before, text) in enumerate(pairwise(texts), 1):
        if before.endswith(":"):
            found.append((place, text[_STEP:]))
        elif _indent(before) == _indent(text):
            found.append((place, " " * between(rng, 1, _STEP) + text))
    place, wrong = found[between(rng, 0, len(found) - 1)]
    return _with(function.lines, place, wrong)


def undefined_name(rng: Random, function: Function) -> Mutant:
    """A local name is read under another one, as after half a renaming."""
    known = set(_WORD.findall(function.source()))
    place = _one(rng, [place for place, line in enumerate(function.lines) if line.reads])
    text, name = function.lines[place].text, function.lines[place].reads
    head, equals, tail = text.partition(" = ")
    before, read = (head + equals, tail) if equals else ("", text)
    alike = next((names for names in LOCALS.values() if name in names), LOCALS["item"])
    free = [one for one in alike if one not in known] or ["renamed"]
    wrong = free[between(rng, 0, len(free) - 1)]
    return _with(function.lines, place, before + _replaced(read, name, wrong))


def syntax(rng: Random, function: Function) -> Mutant:
    """A line that Python cannot read: a sign is missing."""
    found: list[tuple[int, str]] = []
    for place, line in enumerate(function.lines):
        text = line.text
        found += [(place, text[:-1])] * text.endswith((":", ")", "]"))
        if text.lstrip().startswith("for "):
            found.append((place, text.replace(" in ", " ", 1)))
        if " = " in text and text.endswith(")"):
            found.append((place, text.replace("(", "", 1)))
    place, wrong = found[between(rng, 0, len(found) - 1)]
    return _with(function.lines, place, wrong)


BUGS: dict[str, Callable[[Random, Function], Mutant]] = {
    "missing declaration": missing_declaration,
    "argument count": argument_count,
    "endless loop": endless_loop,
    "indentation": indentation,
    "undefined name": undefined_name,
    "syntax": syntax,
}


def _one(rng: Random, places: list[int]) -> int:
    return places[between(rng, 0, len(places) - 1)]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _with(lines: tuple[Line, ...], place: int, text: str) -> Mutant:
    return [text if at == place else line.text for at, line in enumerate(lines)]


def _without(lines: tuple[Line, ...], place: int) -> Mutant:
    return [line.text for at, line in enumerate(lines) if at != place]


def _replaced(text: str, name: str, wrong: str) -> str:
    """The text with the name once replaced, where it stands as a word."""
    return re.sub(rf"\b{re.escape(name)}\b", wrong, text, count=1)
