"""A world: its people and places. It is the same at every length."""

from dataclasses import dataclass
from random import Random

from scoring.generators.draws import between, shuffled

CORE = 18  # persons whom questions ask about: they come first, and each has a trade of their own
PEOPLE = 132
PLACES = 20
YEAR = 360  # days: twelve months of thirty


@dataclass(frozen=True, slots=True)
class Person:
    """Everything but the key is the place of a word in a table of the language."""

    key: int  # the place in ``World.people``
    female: bool
    given: int  # unique in the book among people of that sex
    family: int  # unique in the book
    trade: int


@dataclass(frozen=True, slots=True)
class World:
    people: tuple[Person, ...]
    places: tuple[int, ...]
    town: int


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happens: a day of the story, how long after the last, a part of the day."""

    day: int  # since the start of the year in which the book begins
    since: int  # days since the previous event; 0 is the same day
    part: int  # 0 morning, 1 noon, 2 afternoon, 3 evening, 4 night

    @property
    def season(self) -> int:
        """0 spring, 1 summer, 2 autumn, 3 winter."""
        return self.day % YEAR * 4 // YEAR


def make_world(rng: Random, sizes: dict[str, int]) -> World:
    """A town with its people, half of them women, no two with a name in common."""
    given = {True: shuffled(rng, range(sizes["women"])), False: shuffled(rng, range(sizes["men"]))}
    families = shuffled(rng, range(sizes["families"]))
    trades = shuffled(rng, range(sizes["trades"]))
    people = tuple(
        Person(
            key,
            key % 2 == 0,
            given[key % 2 == 0][key // 2],
            families[key],
            trades[key] if key < CORE else between(rng, 0, sizes["jobs"] - 1),
        )
        for key in range(PEOPLE)
    )
    places = tuple(shuffled(rng, range(sizes["places"]))[:PLACES])
    return World(people, places, between(rng, 0, sizes["towns"] - 1))
