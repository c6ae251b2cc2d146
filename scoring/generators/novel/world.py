"""A world: its people, places and things. It is the same at every length."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from scoring.generators.draws import between, shuffled
from scoring.generators.novel import things

T = TypeVar("T")

CORE = 16  # persons whom questions ask about; they come first
PEOPLE = 132
GIVEN = 80  # given names of each sex that a narrator needs
FAMILIES = 140
TOWNS = 24
_PLACES = 20
YEAR = 360  # days: twelve months of thirty


@dataclass(frozen=True, slots=True)
class Person:
    key: int  # the place in ``World.people``
    female: bool
    given: int  # < GIVEN; unique in the book among people of that sex
    family: int  # < FAMILIES; unique in the book
    trade: str


@dataclass(frozen=True, slots=True)
class World:
    people: tuple[Person, ...]
    places: tuple[str, ...]
    town: int  # < TOWNS
    start: int  # day of the year on which the book begins

    @property
    def core(self) -> tuple[Person, ...]:
        return self.people[:CORE]


@dataclass(frozen=True, slots=True)
class Outfit:
    colour: str
    garment: str


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


def pick(rng: Random, items: Sequence[T]) -> T:
    """One of the items, each equally likely."""
    return items[int(rng.random() * len(items))]


def make_world(rng: Random) -> World:
    """A town with its people, half of them women, no two with a name in common."""
    given = {female: shuffled(rng, range(GIVEN)) for female in (True, False)}
    families = shuffled(rng, range(FAMILIES))
    people = tuple(
        Person(key, key % 2 == 0, given[key % 2 == 0][key // 2], families[key], _trade(rng))
        for key in range(PEOPLE)
    )
    places = tuple(shuffled(rng, things.PLACES)[:_PLACES])
    return World(people, places, between(rng, 0, TOWNS - 1), between(rng, 0, YEAR - 1))


def _trade(rng: Random) -> str:
    return pick(rng, things.TRADES)


def outfit(rng: Random) -> Outfit:
    return Outfit(pick(rng, things.COLOURS), pick(rng, things.GARMENTS))
