"""Code.Debug: look at each of the four functions, and say which one cannot work."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

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
_NEXT = re.compile(r"^(?P<indent>[ \t]*)(?:async def|def|class|@)\b", re.MULTILINE)
_BREAK = re.compile(r"\n[^\S\n]*\n[^\S\n]*\n(?=\S)")  # two empty lines end everything
_SIGNATURE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_GIVEN = re.compile(
    r"^(?:async def|def|class) (\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)|^(?:from \S+ )?import (.+)",
    re.MULTILINE,
)
_MODULE = re.compile(r"^# [Ff]ile:? .*$|^#+ ?[^\s#]\S*\.py\b.*$", re.MULTILINE)
_MOST = 50  # ways to call functions of one name; of more, nothing is known


class Defined(NamedTuple):
    owner: str  # the class above it, if it is a method
    head: re.Match[str]  # the line that defines it, up to the name


class Found(NamedTuple):
    source: str
    module: str


def broken_function(prompt: VisiblePrompt) -> str:
    """The letter and the name of the option whose function is the worst."""
    options = prompt.options
    if not options:
        return "The question has no options."
    badness = [_badness(prompt.text, name) for _, name in options]
    letter, name = options[badness.index(max(badness))]
    return f"{letter}. {name}"


def _badness(text: str, name: str) -> int:
    """How certain it is that a function is broken; one that is not in view may be.

    An unknown name is stronger evidence than a wrong call: of several functions with one name, only
    some may be in view.
    """
    found = _find(text, name)
    if found is None:
        return 1
    try:
        return _badness_of_source(found.source, found.module, text)
    except (RecursionError, MemoryError):  # nested far too deeply
        return 0


def _badness_of_source(source: str, module: str, text: str) -> int:
    tree = parsed(source)
    if tree is None:
        return 5
    if any(unknown_names(tree, _names(module))):
        return 4
    if any(endless_loops(tree)):
        return 3
    return 2 if any(wrong_calls(tree, _arities(text, called_names(tree)))) else 0


def _find(text: str, name: str) -> Found | None:
    """The source of ``function`` or ``Class.method``, with the module in which it stands."""
    owner, _, own = name.rpartition(".")
    for above, head in _definitions(text, {own}):
        if bool(owner) == bool(head["indent"]) and owner == above:
            return Found(_source(text, head), _module(text, head.start()))
    return None


def _definitions(text: str, names: Collection[str]) -> Iterator[Defined]:
    """Where functions of these names are defined, in one pass over the text."""
    owner = ""
    for head in _HEAD.finditer(text):
        if head["owner"]:
            owner = head["owner"]
        elif head["name"] in names:
            yield Defined(owner if head["indent"] else "", head)


def _source(text: str, head: re.Match[str]) -> str:
    """From ``def`` to the next statement at the same depth."""
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


def _arities(text: str, called: Collection[str]) -> Mapping[str, Collection[Arity]]:
    """How many arguments the functions of these names take; ``self.name`` is a method."""
    signatures = _signatures(text, called)
    return {
        name: [arity for one in given if (arity := _arity(one, method="." in name))]
        for name, given in signatures.items()
        if len(given) <= _MOST
    }


def _signatures(text: str, called: Collection[str]) -> Mapping[str, set[str]]:
    """The parameter lists of all functions of these names."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for _, head in _definitions(text, {name.rpartition(".")[2] for name in called}):
        name = f"self.{head['name']}" if head["indent"] else head["name"]
        signature = _SIGNATURE.match(text, head.end())
        if signature and name in called and len(found[name]) <= _MOST:
            found[name].add(signature[1])
    return found


def _arity(signature: str, *, method: bool) -> Arity | None:
    """How many arguments such a function takes; None where this is no signature."""
    tree = parsed(f"def f({signature}): pass")
    definition = tree.body[0] if tree else None
    return (
        arity_of(definition.args, method=method)
        if isinstance(definition, ast.FunctionDef)
        else None
    )
