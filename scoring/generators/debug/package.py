"""The modules of the package: constants, functions and classes, and imports from one another."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace

from scoring.generators.debug.function import Draft, Function, Line, Scope, docstring, indented
from scoring.generators.debug.steps import (
    KINDS,
    LOOPS,
    OF_KIND,
    TOWARDS_NUMBERS,
    WITH_ARGUMENT,
    sample,
)  # fmt: skip
from scoring.generators.debug.words import ARGUMENTS, LOCALS, PROSE, Names
from scoring.generators.draws import between, pick
from scoring.generators.grammar import capital

_KEPT = ("numbers", "words", "table")  # by classes
_DEEPEST = 4  # functions inside one another
_CALLS = 0.5  # of the functions that could call another do so


@dataclass(frozen=True, slots=True)
class Module:
    path: str  # without its ending
    head: str  # all that comes before the functions
    parts: tuple[Function | str, ...]  # functions, and classes by their source

    @property
    def functions(self) -> list[Function]:
        return [part for part in self.parts if isinstance(part, Function)]

    @property
    def text(self) -> str:
        sources = (part if isinstance(part, str) else part.source() for part in self.parts)
        return self.head + "".join(f"\n\n{source}" for source in sources)


def make_module(rng: Random, names: Names, modules: Sequence[Module], *, parts: int) -> Module:
    """A module with a helper, one function that calls it, and others; it imports from modules.

    With one part it is the helper alone.
    """
    scope = Scope(rng, names, [one for module in modules for one in module.functions])
    scope.values |= {one.name: one.run for one in scope.known}
    made: list[Function | str] = []
    for number in range(parts):
        part = _part(scope, number)
        made.append(part)
        if isinstance(part, Function) and number != 1:
            scope.known.append(part)
    path = names.module()
    blocks = (
        f'"""{PROSE.say("module", rng)}"""\n',
        "".join(sorted(_imports(module, scope.called) for module in modules)),
        "".join(f"{name} = {json.dumps(scope.values[name])}\n" for name in scope.constants),
    )
    head = f"# File: {path}.py\n" + "\n".join(block for block in blocks if block)
    return Module(path, head, tuple(made))


def _part(scope: Scope, number: int) -> Function | str:
    """A helper, the function that calls it, and then of all kinds."""
    if number == 1:
        return make_caller(scope, scope.known[-1])
    drawn = scope.rng.random() if number else 0.2
    if drawn < 0.15:
        return make_class(scope)
    if drawn < 0.30:
        return make_helper(scope)
    if drawn < 0.50:
        helpers = [one for one in scope.known if one.most > 1]
        return make_caller(scope, pick(scope.rng, helpers))
    return make_function(scope)


def _imports(module: Module, called: Collection[str]) -> str:
    """The line that imports what is called of a module; nothing if that is none."""
    names = ", ".join(sorted(one.name for one in module.functions if one.name in called))
    return f"from {module.path.replace('/', '.')} import {names}\n" if names else ""


def make_function(scope: Scope) -> Function:
    """Two to four steps from any kind, some of which may be calls."""
    rng = scope.rng
    draft = Draft(scope, pick(rng, tuple(KINDS)))
    for _ in range(between(rng, 2, 4)):
        fitting = [one for one in scope.known if one.takes == draft.kind and one.depth < _DEEPEST]
        if fitting and rng.random() < _CALLS:
            draft.call(pick(rng, fitting))
        else:
            draft.take(pick(rng, OF_KIND[draft.kind]))
    return draft.finished()


def make_caller(scope: Scope, helper: Function) -> Function:
    """A function that calls the helper, and then comes to a loop: all six bugs can be put there."""
    rng = scope.rng
    draft = Draft(scope, helper.takes)
    if rng.random() < 0.4:
        draft.take(pick(rng, [step for step in OF_KIND[draft.kind] if step.gives == draft.kind]))
    draft.call(helper)
    while draft.kind != "number":
        draft.take(pick(rng, TOWARDS_NUMBERS[draft.kind]))
    draft.take(pick(rng, LOOPS))
    if rng.random() < 0.5:
        draft.take(pick(rng, OF_KIND["number"]))
    return draft.finished()


def make_helper(scope: Scope) -> Function:
    """A small function with a second argument, which may have a default."""
    step = pick(scope.rng, WITH_ARGUMENT)
    draft = Draft(scope, step.takes, arg=pick(scope.rng, ARGUMENTS))
    draft.take(step)
    default = str(scope.pick_number("m")) if scope.rng.random() < 0.5 else ""
    return draft.finished(default=default, is_plain=True)


def make_class(scope: Scope) -> str:
    """The source of a class that keeps a value, and has two methods about it."""
    rng, name, kind = scope.rng, scope.names.of_class(), pick(scope.rng, _KEPT)
    attribute, given = pick(rng, LOCALS[kind]), sample(rng, kind)
    body = [
        f'"""{capital(PROSE.say("topic", rng))}."""',
        "",
        f"def __init__(self, {attribute}: {KINDS[kind]}) -> None:",
        f"    self.{attribute} = {attribute}",
    ]
    for _ in range(2):
        draft, method = Draft(scope, kind, f"self.{attribute}"), scope.names.method()
        for _ in range(between(rng, 1, 3)):
            draft.take(pick(rng, OF_KIND[draft.kind]))
        lines = [*draft.lines, Line(f"return {draft.name}")]
        head = f"def {method}(self) -> {KINDS[draft.kind]}:"
        value = scope.define(method, head, lines)(SimpleNamespace(**{attribute: given}))
        says = docstring(rng, draft.says, f"{name}({given!r}).{method}()", value)
        body += ["", head, *indented([*says, *(line.text for line in lines)])]
    return "\n".join([f"class {name}:", *indented(body)]) + "\n"
