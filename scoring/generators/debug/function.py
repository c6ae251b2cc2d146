"""Functions of a made-up package, put together from steps."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from scoring.generators.debug.steps import KINDS, Step
from scoring.generators.debug.words import CONSTANTS, LOCALS, PROSE, SETTINGS, THEN, Names, unused
from scoring.generators.draws import between, pick
from scoring.generators.grammar import capital

_WIDTH = 88  # of a docstring
# So that colons, brackets and indentation alone do not tell which function is broken, lines have
# comments above them, at any indentation, or behind them; a head and a result stand on several.
_COMMENTS = 0.12
_ASIDES = 0.4  # of the lines with a colon
_BROKEN = 0.4


class Function(NamedTuple):
    name: str
    source: str
    takes: str  # of KINDS
    gives: str
    needed: int  # arguments
    most: int


@dataclass(slots=True)
class Scope:
    """What the functions of a module may name: its constants, and the functions before them."""

    rng: Random
    names: Names
    functions: list[Function] = field(default_factory=list)
    constants: dict[str, int | str] = field(default_factory=dict)

    def setting(self, name: str) -> str:
        return str(pick(self.rng, SETTINGS[name]))

    def constant(self, name: str) -> str:
        """A new constant of the kind."""
        called = unused(pick(self.rng, CONSTANTS[name]), self.constants)
        self.constants[called] = pick(self.rng, SETTINGS[name])
        return called


class Draft:
    """A body in the making: the steps so far, and the name and the kind of what they give."""

    def __init__(self, scope: Scope, kind: str, *, arg: str = "") -> None:
        self.scope = scope
        self.takes = self.kind = kind
        self.name = self.argument = pick(scope.rng, LOCALS[kind])
        self.arg = arg  # a second argument
        self.lines: list[str] = []
        self.says: list[str] = []
        self._taken = {self.name, arg}

    def take(self, step: Step) -> None:
        """Add a step that takes what the last one gives."""
        words = {"src": self.name, "out": self._local(step.gives), "arg": self.arg}
        for name in step.names:
            if name in SETTINGS:
                words[name] = self.scope.setting(name)
            elif name.isupper():
                words[name] = self.scope.constant(name.lower())
            elif name not in words:
                words[name] = self._local(name)
        self.lines += step.source.format_map(words).splitlines()
        self.says.append(step.says.format_map(words))
        self.kind, self.name = step.gives, words["out"]

    def _local(self, kind: str) -> str:
        free = [name for name in LOCALS[kind] if name not in self._taken]
        name = pick(self.scope.rng, free or [unused(LOCALS[kind][0], self._taken)])
        self._taken.add(name)
        return name

    def call(self, function: Function) -> None:
        """Add a call of a function that takes what the last step gives."""
        out = self._local(function.gives)
        count = between(self.scope.rng, function.needed, function.most)
        more = [self.scope.setting("m") for _ in range(count - 1)]
        self.lines.append(f"{out} = {function.name}({', '.join([self.name, *more])})")
        self.says.append(" with ".join([f"hands it to {function.name}", *more]))
        self.kind, self.name = function.gives, out

    def finished(self, *, default: str = "", is_plain: bool = False) -> Function:
        """A function that gives what the last step does."""
        rng, name = self.scope.rng, self.scope.names.function()
        second = [f"{self.arg}: int{default and f' = {default}'}"] if self.arg else []
        takes = ", ".join([f"{self.argument}: {KINDS[self.takes]}", *second])
        head = [f"def {name}({takes}) -> {KINDS[self.kind]}:"]
        body = [*self.lines, f"return {self.name}"]
        if not is_plain:
            if rng.random() < _BROKEN:
                head = [f"def {name}(", f"        {takes},", f") -> {KINDS[self.kind]}:"]
            if rng.random() < _BROKEN:
                body[-1:] = ["return (", f"    {self.name}", ")"]
            body = [line for one in body for line in _commented(rng, one)]
        inside = "\n".join([*_docstring(rng, self.says), *body])
        source = "\n".join([*head, textwrap.indent(inside, "    ")])
        most = 1 + len(second)
        return Function(name, source, self.takes, self.kind, most - bool(default), most)


def _commented(rng: Random, line: str) -> Iterator[str]:
    """With comments of people who number, shout and smile: most have a bracket too many."""
    if rng.random() < _COMMENTS:
        yield f"{' ' * between(rng, 0, 9)}# {PROSE.say('comment', rng)}"
    is_head = line.endswith(":") and rng.random() < _ASIDES
    yield f"{line}  # {PROSE.say('aside', rng)}" if is_head else line


def _docstring(rng: Random, says: Sequence[str]) -> list[str]:
    text = capital(says[0]) + "".join(pick(rng, THEN) + one for one in says[1:])
    if rng.random() < 0.4:
        return [*textwrap.wrap(f'"""{text}.', _WIDTH), "", PROSE.say("purpose", rng), '"""']
    return textwrap.wrap(f'"""{text}."""', _WIDTH)
