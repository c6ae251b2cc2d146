"""The events that a book's questions and summary ask about: the same at every length."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from scoring.generators.draws import seeded, shuffled
from scoring.generators.novel.casting import ASKED, Casting
from scoring.generators.novel.events import Beat, Event
from scoring.generators.novel.plot import make_plot
from scoring.generators.novel.questions import KINDS, Question
from scoring.generators.novel.reserve import Reserve
from scoring.generators.novel.threads import THREADS
from scoring.generators.novel.world import World

_GOLDEN = 0.6180339887498949  # its multiples, modulo 1, cover 0..1 evenly however many they are
_TRIES = 8
_SHARE = 5  # consecutive questions that share out a book among them


@dataclass(frozen=True, slots=True)
class Planned:
    place: float  # in the book: 0 is its start, 1 its end
    event: Event


@dataclass(frozen=True, slots=True)
class Story:
    world: World
    questions: tuple[Question, ...]
    planned: tuple[Planned, ...]  # in the order of narration
    reserve: Reserve

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(planned.event for planned in self.planned)


def make_story(world: World, numbers: range, rng: Random, seed: object) -> Story:
    """The story of the questions with these numbers, each of which has its own kind and depth.

    ``seed`` is that of the depths of all stories.
    """
    plot = list(make_plot(rng))  # first, so that it is the same whatever is asked
    casting = Casting(world, rng, Reserve())
    asked = [ASKED[kind](casting, kind) for kind in (tuple(KINDS)[i % len(KINDS)] for i in numbers)]
    events = [
        one
        for number, question in zip(numbers, asked, strict=True)
        for one in THREADS[question.kind](casting, question, _depth(number, seed))
    ]
    events += plot
    planned = [Planned(place, event) for place, event in events if place is not None]
    for free in (event for place, event in events if place is None):
        planned.append(Planned(_room(rng, planned), free))
    ordered = sorted(planned, key=_place)
    return Story(world, tuple(asked), tuple(ordered), casting.reserve)


def _depth(number: int, seed: object) -> float:
    """Where the evidence begins: evenly over 0..1.

    Each five questions divide the book among themselves in an order of their own, so that a number
    does not reveal its depth.
    """
    turn, place = divmod(number, _SHARE)
    part = shuffled(seeded("depths", seed, turn), range(_SHARE))[place]
    return (part + (turn * _GOLDEN + seeded("depths", seed).random()) % 1) / _SHARE


def _room(rng: Random, planned: Sequence[Planned]) -> float:
    """A place far from all others: in a short book, a crowd would push evidence from its depth."""
    places = [rng.random() for _ in range(_TRIES)]
    return max(places, key=lambda place: min(abs(one.place - place) for one in planned))


def _place(planned: Planned) -> tuple[bool, bool, float]:
    """A book begins and ends with the main plot."""
    beat = isinstance(planned.event, Beat)
    return beat and planned.place == 1, not (beat and planned.place == 0), planned.place
