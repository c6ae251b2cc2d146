"""A function in the making: lines that are added step by step, and what they compute."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from scoring.generators.debug.step import Step, Value
from scoring.generators.debug.words import CONSTANTS, LOCALS, PRIMES, STRINGS
from scoring.generators.draws import T, between

_TRIES = 6
_RESULT = re.compile(r"return (\w+)")
_RANGES = {"k": (3, 12), "m": (2, 9)}


class Line(NamedTuple):
    """A line of a body, without the body's own indentation, and what a bug could make of it."""

    text: str
    init: bool = False  # declares its first name, which is surely read later
    reads: str = ""  # a local name that it surely reads
    progress: bool = False  # its loop has no end without it
    miscalls: tuple[str, ...] = ()  # the same with a wrong number of arguments


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    signature: str  # without the colon
    docstring: tuple[str, ...]
    lines: tuple[Line, ...]
    takes: str  # of KINDS
    gives: str
    apply: Callable[..., Value]  # with one argument, or two
    arguments: int = 1
    default: int | None = None  # of the second one
    depth: int = 1  # functions that run inside one another, with this one
    # So that colons, brackets and indentation alone do not tell which function is broken: comments
    # between lines, at any indentation, and behind colons; a head and a result on several lines.
    comments: tuple[tuple[float, int, str], ...] = ()  # place as a share, indentation, text
    asides: tuple[str, ...] = ()
    broken: tuple[bool, bool] = (False, False)

    def source(self, body: Sequence[str] | None = None) -> str:
        """The definition; with another body if one is given."""
        lines = [line.text for line in self.lines] if body is None else [*body]
        after = iter(self.asides)
        lines = [
            f"{line}  # {text}" if line.endswith(":") and (text := next(after, "")) else line
            for line in lines
        ]
        head = f"{self.signature}:"
        if self.broken[0]:
            head = head.replace("(", "(\n        ", 1).replace(") ->", ",\n) ->", 1)
        if self.broken[1] and (result := _RESULT.fullmatch(lines[-1])):
            lines[-1:] = ["return (", f"    {result[1]}", ")"]
        for share, indent, text in self.comments:
            lines.insert(round(share * (len(lines) - 1)), f"{' ' * indent}# {text}")
        return "\n".join([head, *indented([*self.docstring, *lines])]) + "\n"


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


@dataclass(slots=True)
class Scope:
    """What the functions of a module may name: its constants, and functions they can call."""

    rng: Random
    name: Callable[[], str]  # of a function, new in the package
    method: Callable[[], str]  # of a method
    constants: dict[str, int | str] = field(default_factory=dict)
    known: list[Function] = field(default_factory=list)  # of this module, or to be imported
    called: set[str] = field(default_factory=set)

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.rng.random() * len(items))]

    def setting(self, name: str) -> int | str:
        return self.pick(STRINGS[name]) if name in STRINGS else self.number(name)

    def number(self, name: str) -> int:
        return self.pick(PRIMES) if name == "p" else between(self.rng, *_RANGES[name])

    def constant(self, name: str, value: int | str) -> str:
        """A new constant of this value."""
        called = _fresh(self.pick(CONSTANTS[name]), self.constants)
        self.constants[called] = value
        return called


def _fresh(name: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken."""
    number, chosen = 2, name
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen


class Draft:
    """A body in the making: the steps so far, and the name and the kind of what they give."""

    def __init__(self, scope: Scope, kind: str, name: str, *, taken: Sequence[str] = ()) -> None:
        self.scope = scope
        self.kind = kind
        self.name = name  # first that of the argument
        self.argument = name
        self.lines: list[Line] = []
        self.says: list[str] = []
        self.depth = 1
        self._taken = {name, *taken}
        self._applied: list[Callable[[Value], Value]] = []

    def _local(self, kind: str) -> str:
        names = (self.scope.pick(LOCALS[kind]) for _ in range(_TRIES))
        chosen = next((name for name in names if name not in self._taken), None)
        chosen = chosen or _fresh(LOCALS[kind][0], self._taken)
        self._taken.add(chosen)
        return chosen

    def take(self, step: Step) -> None:
        """Add a step that takes what the last one gives."""
        settings = [self.scope.setting(name) for name in step.needs]
        out = self.add(step, dict(zip(step.needs, settings, strict=True)))
        apply = step.apply
        self._become(step.gives, out, lambda value: apply(value, *settings))

    def add(self, step: Step, values: Mapping[str, int | str]) -> str:
        """Write the lines of a step, its settings given; returns the name of its result."""
        words = {"src": self.name, "out": self._local(step.gives)}
        for name in step.names:
            setting = values.get(name.lower())
            if setting is None and name not in words:
                words[name] = self._local(name)
            elif setting is not None:
                lower = name in values
                words[name] = str(setting) if lower else self.scope.constant(name.lower(), setting)
        for text, mark in step.lines:
            reads = self.name if mark == "reads" else ""
            line = Line(text.format_map(words), mark == "init", reads, mark == "progress")
            self.lines.append(line)
        self.says.append(step.says.format_map(words))
        return words["out"]

    def call(self, function: Function) -> None:
        """Add a call of a function that takes what the last step gives."""
        scope, out, src = self.scope, self._local(function.gives), self.name
        more: list[int] = []
        if function.arguments > 1 and (function.default is None or scope.rng.random() < 0.5):
            more.append(scope.number("m"))
        wrong = _miscounts(function, src, [*more, scope.number("m"), scope.number("k")])
        calls = [
            f"{out} = {function.name}({', '.join(map(str, g))})" for g in ([src, *more], *wrong)
        ]
        self.lines.append(Line(calls[0], reads=src, miscalls=tuple(calls[1:])))
        apply = function.apply
        self._become(function.gives, out, lambda value: apply(value, *more))
        scope.called.add(function.name)
        self.depth = max(self.depth, function.depth + 1)
        self.says.append(f"hands it to {function.name}" + "".join(f" with {one}" for one in more))

    def _become(self, kind: str, name: str, apply: Callable[[Value], Value]) -> None:
        self.kind, self.name = kind, name
        self._applied.append(apply)

    def end(self) -> Callable[[Value], Value]:
        """Return what there is; gives what the whole computes."""
        self.lines.append(Line(f"return {self.name}", reads=self.name))
        applied = tuple(self._applied)

        def run(value: Value) -> Value:
            for one in applied:
                value = one(value)
            return value

        return run


def _miscounts(function: Function, src: str, more: list[int]) -> list[list[object]]:
    """Arguments of a wrong number: one too many, or one too few."""
    needed = function.arguments - (function.default is not None)
    few: list[object] = [src, *more][: needed - 1]
    return [[src, *more[: function.arguments]], few]
