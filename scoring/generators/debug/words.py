"""Names and words of the packages: ``words.toml``."""

from collections.abc import Container
from random import Random

from scoring.generators.draws import pick
from scoring.generators.grammar import Grammar, read_tables

_WORDS = read_tables(__file__, "words")

FIRST: tuple[str, ...] = tuple(_WORDS["first"])
SECOND: tuple[str, ...] = tuple(_WORDS["second"])
ARGUMENTS: tuple[str, ...] = tuple(_WORDS["arguments"])
THEN: tuple[str, ...] = tuple(_WORDS["then"])
# For the placeholders of the steps, and for values by their kind.
LOCALS: dict[str, list[str]] = _WORDS["locals"]
CONSTANTS: dict[str, list[str]] = _WORDS["constants"]
SETTINGS: dict[str, list[int | str]] = _WORDS["settings"]
PROSE = Grammar({**_WORDS["prose"], "noun": SECOND, "adjective": FIRST})


class Names:
    """Draws names and remembers them: none in the package is that of another thing."""

    def __init__(self, rng: Random, package: str = "", taken: set[str] | None = None) -> None:
        self._rng = rng
        self._package = package or pick(rng, _WORDS["packages"])
        self._taken = set(taken or ())

    def function(self) -> str:
        return self._new(f"{pick(self._rng, _WORDS['verbs'])}_{self._thing()}")

    def module(self) -> str:
        """A path without its ending: package/folder/module."""
        return self._new(f"{self._package}/{pick(self._rng, _WORDS['folders'])}/{self._thing()}")

    def others(self, rng: Random) -> "Names":
        """Names of the same package that are none of these."""
        return Names(rng, self._package, self._taken)

    def _thing(self) -> str:
        return f"{pick(self._rng, FIRST)}_{pick(self._rng, SECOND)}s"

    def _new(self, name: str) -> str:
        chosen = unused(name, self._taken)
        self._taken.add(chosen)
        return chosen


def unused(name: str, taken: Container[str]) -> str:
    """The name, with a number where it is taken."""
    number, chosen = 2, name
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen
