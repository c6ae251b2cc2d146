"""Functions of the package: steps put together, and run for the example in their documentation."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

from scoring.generators.debug.steps import (
    KINDS,
    LOOPS,
    OF_KIND,
    TOWARDS_NUMBERS,
    WITH_ARGUMENT,
    Step,
    Value,
)
from scoring.generators.debug.words import (
    ARGUMENTS,
    CONSTANTS,
    LOCALS,
    PROSE,
    SETTINGS,
    THEN,
    THINGS,
    Names,
    unused,
)
from scoring.generators.draws import between, pick
from scoring.generators.grammar import capital

_KEPT = ("numbers", "words", "table")  # by classes
_WIDTH = 88  # of a docstring
_DEEPEST = 4  # functions inside one another
_CALLS = 0.5  # of the functions that could call another do so
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


def sample(rng: Random, kind: str) -> Value:
    """An argument of a kind as people would try it: never empty."""
    if kind == "number":
        return between(rng, 14, 400)
    if kind == "numbers":
        return [between(rng, 1, 60) for _ in range(between(rng, 4, 7))]
    words = [pick(rng, THINGS) for _ in range(between(rng, 3, 6))]
    if kind == "words":
        return words
    if kind == "table":
        return {word: between(rng, 1, 40) for word in words}
    return pick(rng, (", ", " ")).join(words)


def docstring(rng: Random, says: Sequence[str], call: str, value: Value) -> tuple[str, ...]:
    """What a function does, and an example: a call, and what it returns."""
    text = capital(says[0]) + "".join(pick(rng, THEN) + one for one in says[1:])
    purpose = ["", PROSE.say("purpose", rng)] if rng.random() < 0.4 else []
    lines = textwrap.wrap(f'"""{text}.', _WIDTH)
    return (*lines, *purpose, "", f">>> {call}", repr(value), '"""')


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
