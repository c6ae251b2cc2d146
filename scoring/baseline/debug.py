"""Code.Debug: look at each of the four functions, and say which one cannot work."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from scoring.baseline.faults import (
    Arity,
    arity_of,
    called_names,
    endless_loops,
    parsed,
    unknown_names,
    wrong_calls,
)
from scoring.baseline.truncation import VisiblePrompt

_HEAD = re.compile(
    r"^(?:class (?P<owner>\w+)|(?P<indent>[ \t]*)(?:async )?def (?P<name>\w+)(?=\())",
    re.MULTILINE,
)
_NEXT = re.compile(
    r"^(?P<indent>[ \t]*)(?:async def|def|class|@)\b|\n[^\S\n]*\n[^\S\n]*\n(?=\S)", re.MULTILINE
)
_LONGEST = 20_000  # characters of a function
_SIGNATURE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_GIVEN = re.compile(
    r"^(?:async def|def|class) (\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)|^(?:from \S+ )?import (.+)",
    re.MULTILINE,
)
_MODULE = re.compile(r"^# [Ff]ile:? .*$|^#+ ?[^\s#]\S*\.py\b.*$", re.MULTILINE)
_MOST = 50  # signatures of functions with one name; beyond that nothing is concluded


def broken_function(prompt: VisiblePrompt) -> str:
    """The letter and the name of the option with the worst function."""
    options = prompt.options
    if not options:
        return "The question has no options."
    letter, name = max(options, key=lambda option: _badness(prompt.text, option[1]))
    return f"{letter}. {name}"


def _badness(text: str, name: str) -> int:
    """How certain it is that a function is broken; one that is not visible may be.

    An unknown name is stronger evidence than a wrong call: of several functions with one name, only
    some may be visible.
    """
    owner, _, own = name.rpartition(".")
    heads = (head for above, head in _definitions(text, {own}) if above == owner)
    head = next(heads, None)
    if head is None:
        return 1
    try:
        tree = parsed(_source(text, head))
        if tree is None:
            return 5
        if any(unknown_names(tree, _names(_module(text, head.start())))):
            return 4
        if any(endless_loops(tree)):
            return 3
        return 2 if any(wrong_calls(tree, _arities(text, called_names(tree)))) else 0
    except (RecursionError, MemoryError):  # nested far too deeply
        return 0


def _definitions(text: str, names: Collection[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """Where functions with these names are defined, in one pass over the text: the class that a
    method belongs to, and the defining line up to the name."""
    owner = "?"  # the class is not visible
    for head in _HEAD.finditer(text):
        if head["owner"]:
            owner = head["owner"]
        elif head["name"] in names:
            yield owner if head["indent"] else "", head


def _source(text: str, head: re.Match[str]) -> str:
    """From ``def`` to the next statement at the same depth, or to two empty lines."""
    end = min(len(text), head.end() + _LONGEST)
    for found in _NEXT.finditer(text, head.end(), end):
        if found["indent"] is None or len(found["indent"]) <= len(head["indent"]):
            return text[head.start() : found.start()]
    return text[head.start() : end]


def _module(text: str, place: int) -> str:
    """The text between the lines with file names that surrounds this position."""
    marks = [mark.start() for mark in _MODULE.finditer(text)]
    start = max((mark for mark in marks if mark <= place), default=0)
    end = min((mark for mark in marks if mark > place), default=len(text))
    return text[start:end]


def _names(module: str) -> set[str]:
    """Every name that a module binds at its top level."""
    names = set()
    for defined, assigned, imported in _GIVEN.findall(module):
        names |= {defined, assigned}
        for part in imported.strip("() ").split(","):
            names.add(part.split(" as ")[-1].strip().partition(".")[0])
    return names


def _arities(text: str, called: Collection[str]) -> Mapping[str, Collection[Arity]]:
    """How many arguments the functions with these names take; ``self.name`` is a method."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for owner, head in _definitions(text, {name.rpartition(".")[2] for name in called}):
        name = f"self.{head['name']}" if owner else head["name"]
        signature = _SIGNATURE.match(text, head.end())
        if signature and name in called and len(found[name]) <= _MOST:
            found[name].add(signature[1])
    return {
        name: [arity for one in given if (arity := _arity(one, is_method="." in name))]
        for name, given in found.items()
        if len(given) <= _MOST
    }


def _arity(signature: str, *, is_method: bool) -> Arity | None:
    """How many arguments such a function takes; None if this is no signature."""
    tree = parsed(f"def f({signature}): pass")
    definition = tree.body[0] if tree else None
    if isinstance(definition, ast.FunctionDef):
        return arity_of(definition.args, is_method=is_method)
    return None
