"""What people in the plays say, and the facts about them: ``chatter.toml`` and ``people.toml``."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from scoring.generators.draws import between
from scoring.generators.grammar import Grammar, read_tables

_CHATTER = read_tables(__file__, "chatter")
_PEOPLE = read_tables(__file__, "people")


@dataclass(frozen=True, slots=True)
class Trait:
    forms: tuple[tuple[str, str], ...]  # (third person, first person), followed by a value
    values: tuple[str, ...]

    def drawn(self, rng: Random, count: int, taken: Collection[str]) -> list[str]:
        """``count`` different values, none of them taken."""
        found: list[str] = []
        while len(found) < count:
            value = self.values[between(rng, 0, len(self.values) - 1)]
            if value not in taken and value not in found:
                found.append(value)
        return found

    def predicate(self, rng: Random, value: str) -> tuple[str, str]:
        """The same in the third and in the first person: “lodges …”, “lodge …”."""
        other, self_ = self.forms[between(rng, 0, len(self.forms) - 1)]
        return f"{other} {value}", f"{self_} {value}"


NAMES: tuple[str, ...] = tuple(_PEOPLE["names"])
TITLES = Grammar(_PEOPLE["titles"])
TRAITS: Mapping[str, Trait] = {
    trait["name"]: Trait(
        tuple((other, self_) for other, self_ in trait["forms"]),
        tuple(" ".join(chosen) for parts in trait["parts"] for chosen in product(*parts)),
    )
    for trait in _PEOPLE["traits"]
}
CHATTER = Grammar(*_CHATTER.values(), words=frozenset(("friend", "other", "affair", "neighbour")))
_SLOTS = "a b me who business fact sentence exclamation closing someone time friend other"
FACTS = Grammar(_PEOPLE["facts"], words=frozenset(_SLOTS.split()))
