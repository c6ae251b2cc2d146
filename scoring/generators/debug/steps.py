"""What the functions of the packages do, step by step: ``steps.toml``."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from string import Formatter
from typing import NamedTuple

from scoring.generators.debug.words import THINGS
from scoring.generators.draws import between, pick

KINDS = {
    "numbers": "list[int]",
    "number": "int",
    "words": "list[str]",
    "text": "str",
    "table": "dict[str, int]",
}
Value = int | str | list[int] | list[str] | dict[str, int]


class Step(NamedTuple):
    takes: str  # of KINDS
    gives: str
    says: str  # continues “It …”
    lines: tuple[tuple[str, str], ...]  # each with its mark, or none
    names: tuple[str, ...]  # of the placeholders


def _read_steps() -> Iterator[Step]:
    text = Path(__file__).with_name("steps.toml").read_text(encoding="utf-8")
    for takes, tables in tomllib.loads(text).items():
        for gives, steps in tables.items():
            for says, source in steps.items():
                marked = (line.partition("  #") for line in source.rstrip().split("\n"))
                lines = tuple((line, mark) for line, _, mark in marked)
                names = dict.fromkeys(name for _, name, *_ in Formatter().parse(source) if name)
                yield Step(takes, gives, says, lines, tuple(names))


_EVERY = tuple(_read_steps())
STEPS = tuple(step for step in _EVERY if "arg" not in step.names)
WITH_ARGUMENT = tuple(step for step in _EVERY if "arg" in step.names)
LOOPS = tuple(step for step in STEPS if "progress" in dict(step.lines).values())
OF_KIND = {kind: tuple(step for step in STEPS if step.takes == kind) for kind in KINDS}
TOWARDS_NUMBERS = {  # the steps that lead on to a number
    kind: tuple(step for step in steps if step.gives in {"number", "numbers"} - {kind})
    for kind, steps in OF_KIND.items()
}


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
