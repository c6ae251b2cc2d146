"""Code.Debug: look at each of the four functions, and say which one cannot work."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from scoring.reader.cut import Page
from scoring.reader.faults import (
    Arity,
    arity_of,
    called_names,
    endless_loops,
    parsed,
    unknown_names,
    wrong_calls,
)

_HEAD = re.compile(r"^(?P<indent>[ \t]*)(?:async )?def (?P<name>\w+)", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
_NEXT = re.compile(r"^(?P<indent>[ \t]*)(?:async def|def|class|@)\b", re.MULTILINE)
_BREAK = re.compile(r"\n\s*\n\s*\n(?=\S)")  # two empty lines end everything
_SIGNATURE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_GIVEN = re.compile(
    r"^(?:async def|def|class) (\w+)|^(\w+)(?:\s*:[^=\n]+)?\s*=(?!=)|^(?:from \S+ )?import (.+)",
    re.MULTILINE,
)
_MODULE = re.compile(r"^# [Ff]ile:? .*$|^#+ ?\S+\.py\b.*$", re.MULTILINE)


class Found(NamedTuple):
    source: str
    module: str


def broken_function(page: Page) -> str:
    """The letter and the name of the option whose function is the worst."""
    options = page.options
    if not options:
        return "The question has no options."
    badness = [_badness(page.text, name) for _, name in options]
    letter, name = options[badness.index(max(badness))]
    return f"{letter}. {name}"


def _badness(text: str, name: str) -> int:
    """How sure it is that a function is broken. What is not in view may be, what is sound is not.

    A name that is unknown is surer than a wrong call: of several functions with one name only
    some may be in view.
    """
    found = _find(text, name)
    if found is None:
        return 1
    try:
        return _badness_of_source(found.source, found.module, text)
    except (RecursionError, MemoryError):  # nested as nobody would write it
        return 0


def _badness_of_source(source: str, module: str, text: str) -> int:
    tree = parsed(source)
    if tree is None:
        return 5
    if any(unknown_names(tree, _names(module))):
        return 4
    if any(endless_loops(tree)):
        return 3
    arities = {called: _arities(text, called) for called in called_names(tree)}
    return 2 if any(wrong_calls(tree, arities)) else 0


def _find(text: str, name: str) -> Found | None:
    """The source of ``function`` or ``Class.method``, with the module in which it stands."""
    owner, _, own = name.rpartition(".")
    for head in _definitions(text, own):
        if bool(owner) != bool(head["indent"]):
            continue
        if not owner or _owner(text, head.start()) == owner:
            return Found(_source(text, head), _module(text, head.start()))
    return None


def _definitions(text: str, name: str) -> Iterator[re.Match[str]]:
    """The lines that define a function, up to the name; fast in a long text."""
    words = f"def {name}("
    place = text.find(words)
    while place >= 0:
        if head := _HEAD.match(text, text.rfind("\n", 0, place) + 1):
            yield head
        place = text.find(words, place + 1)


def _owner(text: str, place: int) -> str:
    """The class above this place."""
    above = list(_CLASS.finditer(text, max(0, place - 40_000), place))
    return above[-1][1] if above else ""


def _source(text: str, head: re.Match[str]) -> str:
    """From ``def`` to what comes next at the same depth."""
    deep = len(head["indent"])
    ends = [
        found.start()
        for found in _NEXT.finditer(text, head.end(), head.end() + 20_000)
        if len(found["indent"]) <= deep
    ]
    end = ends[0] if ends else min(len(text), head.end() + 20_000)
    apart = _BREAK.search(text, head.end(), end)
    return text[head.start() : apart.start() if apart else end]


def _module(text: str, place: int) -> str:
    """What stands between the lines that name the files, around this place."""
    marks = [mark.start() for mark in _MODULE.finditer(text)]
    start = max((mark for mark in marks if mark <= place), default=0)
    end = min((mark for mark in marks if mark > place), default=len(text))
    return text[start:end]


def _names(module: str) -> set[str]:
    """All that a module calls something at its outermost level."""
    names = set()
    for defined, assigned, imported in _GIVEN.findall(module):
        names |= {defined, assigned}
        for part in imported.strip("() ").split(","):
            names.add(part.split(" as ")[-1].strip().partition(".")[0])
    return names


def _arities(text: str, called: str) -> list[Arity]:
    """How many arguments the functions of that name take; ``self.name`` is a method."""
    owner, _, name = called.rpartition(".")
    found = []
    for head in _definitions(text, name):
        signature = _SIGNATURE.match(text, head.end())
        tree = parsed(f"def f({signature[1]}): pass") if signature else None
        definition = tree.body[0] if tree else None
        if isinstance(definition, ast.FunctionDef) and bool(owner) == bool(head["indent"]):
            found.append(arity_of(definition.args, method=bool(owner)))
    return found
