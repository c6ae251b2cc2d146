"""What the functions of the packages do, step by step: ``steps.toml``."""

from collections.abc import Iterator
from string import Formatter
from typing import NamedTuple

from scoring.generators.grammar import read_tables

KINDS = {
    "numbers": "list[int]",
    "number": "int",
    "words": "list[str]",
    "text": "str",
    "table": "dict[str, int]",
}


class Step(NamedTuple):
    takes: str  # of KINDS
    gives: str
    says: str  # continues “It …”
    source: str
    names: tuple[str, ...]  # of the placeholders


def _read_steps() -> Iterator[Step]:
    for takes, tables in read_tables(__file__, "steps").items():
        for gives, steps in tables.items():
            for says, source in steps.items():
                names = dict.fromkeys(name for _, name, *_ in Formatter().parse(source) if name)
                yield Step(takes, gives, says, source, tuple(names))


_EVERY = tuple(_read_steps())
STEPS = tuple(step for step in _EVERY if "arg" not in step.names)
WITH_ARGUMENT = tuple(step for step in _EVERY if "arg" in step.names)
OF_KIND = {kind: tuple(step for step in STEPS if step.takes == kind) for kind in KINDS}
LOOPS = tuple(  # each ends because of one of its lines, and is run for any number
    step for step in OF_KIND["number"] if step.gives == "number" and "\nwhile " in step.source
)
TOWARDS_NUMBERS = {  # the steps that lead on to a number
    kind: tuple(step for step in steps if step.gives in {"number", "numbers"} - {kind})
    for kind, steps in OF_KIND.items()
}
