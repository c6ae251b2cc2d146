"""The modules of the package: constants, functions and classes, and imports from one another."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from scoring.generators.debug.function import (
    Function,
    Scope,
    make_caller,
    make_class,
    make_function,
    make_helper,
)
from scoring.generators.debug.words import PROSE, Names
from scoring.generators.draws import pick


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
        "".join(f"{name} = {_literal(scope.values[name])}\n" for name in scope.constants),
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


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
