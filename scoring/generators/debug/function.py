"""Functions of the package: steps put together, and run for the example in their documentation."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from scoring.generators.debug.steps import KINDS, Step, Value, sample
from scoring.generators.debug.words import CONSTANTS, LOCALS, PROSE, SETTINGS, THEN, Names, unused
from scoring.generators.draws import between, pick
from scoring.generators.grammar import capital

_WIDTH = 88  # of a docstring
# So that colons, brackets and indentation alone do not tell which function is broken, lines have
# comments above them, at any indentation, or behind them; a head and a result stand on several.
_COMMENTS = 0.12
_ASIDES = 0.4  # of the lines with a colon
_BROKEN = 0.4


class Line(NamedTuple):
    """A line of a body, without the body's own indentation, and what a bug could make of it."""

    text: str
    mark: str = ""  # of the step: “init” or “progress”
    reads: str = ""  # a local name that it surely reads
    miscalls: tuple[str, ...] = ()  # the same with a wrong number of arguments
    comment: str = ""  # above it
    aside: str = ""  # behind it


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    head: str
    docstring: tuple[str, ...]
    lines: tuple[Line, ...]
    takes: str  # of KINDS
    gives: str
    run: Callable[..., Value]
    needed: int = 1  # arguments
    most: int = 1
    depth: int = 1  # functions that run inside one another, with this one

    def source(self, lines: Sequence[Line] | None = None) -> str:
        """The definition; with another body if one is given."""
        body = [*self.docstring]
        for line in self.lines if lines is None else lines:
            body += [line.comment] if line.comment else []
            body.append(line.text + line.aside)
        return "\n".join([self.head, *indented(body)]) + "\n"


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


@dataclass(slots=True)
class Scope:
    """What the functions of a module may name: its constants, and functions they can call."""

    rng: Random
    names: Names
    known: list[Function]  # of this module, or to be imported
    constants: list[str] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)  # of all these names

    def pick_number(self, name: str) -> int:
        return int(pick(self.rng, SETTINGS[name]))

    def constant(self, name: str) -> str:
        """A new constant of the kind."""
        called = unused(pick(self.rng, CONSTANTS[name]), self.values)
        self.values[called] = pick(self.rng, SETTINGS[name])
        self.constants.append(called)
        return called

    def define(self, name: str, head: str, body: Sequence[Line]) -> Callable[..., Value]:
        """The function as it is where the package runs: its documentation shows what it gives."""
        source = "\n".join([head, *(f"    {line.text}" for line in body)])
        exec(source, self.values)  # noqa: S102 – made of the steps in steps.toml and nothing else
        run: Callable[..., Value] = self.values[name]
        return run


class Draft:
    """A body in the making: the steps so far, and the name and the kind of what they give."""

    def __init__(self, scope: Scope, kind: str, name: str = "", *, arg: str = "") -> None:
        self.scope = scope
        self.takes = self.kind = kind
        self.name = self.argument = name or pick(scope.rng, LOCALS[kind])
        self.arg = arg  # a second argument
        self.lines: list[Line] = []
        self.says: list[str] = []
        self.depth = 1
        self._taken = {self.name, arg}

    def take(self, step: Step) -> None:
        """Add a step that takes what the last one gives."""
        words = {"src": self.name, "out": self._local(step.gives), "arg": self.arg}
        for name in step.names:
            if name in SETTINGS:
                words[name] = str(pick(self.scope.rng, SETTINGS[name]))
            elif name.isupper():
                words[name] = self.scope.constant(name.lower())
            elif name not in words:
                words[name] = self._local(name)
        for text, mark in step.lines:
            reads = self.name if mark == "reads" else ""
            self.lines.append(Line(text.format_map(words), mark, reads))
        self.says.append(step.says.format_map(words))
        self.kind, self.name = step.gives, words["out"]

    def _local(self, kind: str) -> str:
        free = [name for name in LOCALS[kind] if name not in self._taken]
        name = pick(self.scope.rng, free or [unused(LOCALS[kind][0], self._taken)])
        self._taken.add(name)
        return name

    def call(self, function: Function) -> None:
        """Add a call of a function that takes what the last step gives."""
        scope, out = self.scope, self._local(function.gives)
        given = [self.name, *(str(scope.pick_number(name)) for name in "mk")]
        right = between(scope.rng, function.needed, function.most)
        ways = {
            count: f"{out} = {function.name}({', '.join(given[:count])})"
            for count in (right, function.needed - 1, function.most + 1)
        }
        text = ways.pop(right)
        self.lines.append(Line(text, reads=self.name, miscalls=tuple(ways.values())))
        self.says.append(f"hands it to {function.name}" + f" with {given[1]}" * (right > 1))
        scope.called.add(function.name)
        self.kind, self.name = function.gives, out
        self.depth = max(self.depth, function.depth + 1)

    def finished(self, *, default: str = "", is_plain: bool = False) -> Function:
        """A function that gives what the last step does."""
        scope, rng, name = self.scope, self.scope.rng, self.scope.names.function()
        second = [f"{self.arg}: int{default and f' = {default}'}"] if self.arg else []
        takes = ", ".join([f"{self.argument}: {KINDS[self.takes]}", *second])
        head = f"def {name}({takes}) -> {KINDS[self.kind]}:"
        lines = [*self.lines, Line(f"return {self.name}", reads=self.name)]
        run = scope.define(name, head, lines)
        given = [sample(rng, self.takes), *(scope.pick_number("m") for _ in second)]
        call = f"{name}({', '.join(map(repr, given))})"
        if not is_plain:
            if rng.random() < _BROKEN:
                head = f"def {name}(\n        {takes},\n) -> {KINDS[self.kind]}:"
            if rng.random() < _BROKEN:
                inner = Line(f"    {self.name}", reads=self.name)
                lines[-1:] = [Line("return ("), inner, Line(")")]
            lines = [_commented(rng, line) for line in lines]
        most = len(given)
        return Function(
            name,
            head,
            docstring(rng, self.says, call, run(*given)),
            tuple(lines),
            self.takes,
            self.kind,
            run,
            needed=most - bool(default),
            most=most,
            depth=self.depth,
        )


def _commented(rng: Random, line: Line) -> Line:
    """With comments of people who number, shout and smile: most have a bracket too many."""
    comment = aside = ""
    if rng.random() < _COMMENTS:
        comment = f"{' ' * between(rng, 0, 9)}# {PROSE.say('comment', rng)}"
    if line.text.endswith(":") and rng.random() < _ASIDES:
        aside = f"  # {PROSE.say('aside', rng)}"
    return line._replace(comment=comment, aside=aside)


def docstring(rng: Random, says: Sequence[str], call: str, value: Value) -> tuple[str, ...]:
    """What a function does, and an example: a call, and what it returns."""
    text = capital(says[0]) + "".join(pick(rng, THEN) + one for one in says[1:])
    purpose = ["", PROSE.say("purpose", rng)] if rng.random() < 0.4 else []
    lines = textwrap.wrap(f'"""{text}.', _WIDTH)
    return (*lines, *purpose, "", f">>> {call}", repr(value), '"""')
