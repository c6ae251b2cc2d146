"""The modules of the package: constants, functions and classes, and imports from one another."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import Random

from scoring.generators.debug.draft import Function, Scope
from scoring.generators.debug.function import make_caller, make_class, make_function, make_helper
from scoring.generators.debug.words import FIRST, FOLDERS, PROSE, SECOND, VERBS
from scoring.generators.draws import between


class Names:
    """Draws names and remembers them: no function of the package has the name of another."""

    def __init__(self, rng: Random, package: str, taken: Collection[str] = ()) -> None:
        self._rng = rng
        self._package = package
        self.taken = set(taken)

    def function(self) -> str:
        return self._new(lambda: f"{self._of(VERBS)}_{self._of(FIRST)}_{self._of(SECOND)}s")

    def method(self) -> str:
        return self._new(
            lambda: f"{self._of(VERBS)}_{self._of(SECOND)}_{between(self._rng, 2, 99)}"
        )

    def of_class(self) -> str:
        return self._new(lambda: f"{self._of(FIRST).title()}{self._of(SECOND).title()}s")

    def module(self) -> str:
        """A path: package/folder/module.py."""
        folder = f"{self._package}/{self._of(FOLDERS)}"
        return self._new(lambda: f"{folder}/{self._of(FIRST)}_{self._of(SECOND)}s.py")

    def others(self, rng: Random) -> "Names":
        """Names of the same package that are none of these."""
        return Names(rng, self._package, self.taken)

    def _of(self, words: Sequence[str]) -> str:
        return words[int(self._rng.random() * len(words))]

    def _new(self, draw: Callable[[], str]) -> str:
        """Drawn until it is new; with a number once that takes long."""
        name = draw()
        for _ in range(20):
            if name not in self.taken:
                break
            name = draw()
        number, chosen = 2, name
        while chosen in self.taken:
            number, chosen = number + 1, f"{name.removesuffix('.py')}_{number}"
            chosen += ".py" if name.endswith(".py") else ""
        self.taken.add(chosen)
        return chosen


@dataclass(frozen=True, slots=True)
class Module:
    path: str
    head: str  # all that comes before the functions
    parts: tuple[Function | str, ...]  # functions, and classes by their source

    @property
    def functions(self) -> list[Function]:
        return [part for part in self.parts if isinstance(part, Function)]

    @property
    def text(self) -> str:
        return self.head + "".join(map(_source, self.parts))


def _source(part: Function | str) -> str:
    """The source of a function or class as it stands in its module, two empty lines before it."""
    return f"\n\n{part if isinstance(part, str) else part.source()}"


def make_module(rng: Random, names: Names, modules: Sequence[Module], *, parts: int) -> Module:
    """A module with a helper, one function that calls it, and others; it imports from modules.

    With one part it is the helper alone.
    """
    scope = Scope(rng, names.function, names.method)
    scope.known += [one for module in modules for one in module.functions]
    helper = make_helper(scope)
    made: list[Function | str] = [helper, *(make_caller(scope, helper) for _ in range(parts > 1))]
    scope.known.append(helper)
    for _ in range(parts - len(made)):
        made.append(_part(scope, names))
        if isinstance(made[-1], Function):
            scope.known.append(made[-1])
    froms = [_imports(module, scope.called) for module in modules]
    constants = [f"{name} = {_literal(value)}\n" for name, value in scope.constants.items()]
    path = names.module()
    blocks = (f'"""{PROSE.say("module", rng)}"""\n', "".join(sorted(froms)), "".join(constants))
    head = f"# File: {path}\n" + "\n".join(block for block in blocks if block)
    return Module(path, head, tuple(made))


def _part(scope: Scope, names: Names) -> Function | str:
    drawn = scope.rng.random()
    if drawn < 0.15:
        return make_class(scope, names.of_class())
    if drawn < 0.30:
        return make_helper(scope)
    if drawn < 0.50:
        helpers = [one for one in scope.known if one.arguments > 1]
        return make_caller(scope, scope.pick(helpers))
    return make_function(scope)


def _imports(module: Module, called: Collection[str]) -> str:
    """The line that imports what is called of a module; nothing if that is none."""
    names = ", ".join(sorted(one.name for one in module.functions if one.name in called))
    return f"from {module.path[:-3].replace('/', '.')} import {names}\n" if names else ""


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
