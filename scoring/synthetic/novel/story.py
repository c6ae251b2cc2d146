"""What happens in a book that its questions and its summary ask about: the same at every length."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from scoring.synthetic.novel.casting import ASKED, Casting
from scoring.synthetic.novel.events import Beat, Event
from scoring.synthetic.novel.plot import make_plot
from scoring.synthetic.novel.questions import KINDS, Question
from scoring.synthetic.novel.reserve import Reserve
from scoring.synthetic.novel.threads import THREADS
from scoring.synthetic.novel.world import World

_GOLDEN = 0.6180339887498949  # its multiples, modulo 1, cover 0..1 evenly however many they are
_TRIES = 8
# Kinds that filter share out the book among them; for the others it matters less.
_SHIFTS = (0.0, 0.0, 0.33, 0.2, 0.4, 0.67, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class Planned:
    place: float  # in the book: 0 is its start, 1 its end
    event: Event


@dataclass(frozen=True, slots=True)
class Story:
    world: World
    questions: tuple[Question, ...]
    planned: tuple[Planned, ...]  # in the order in which they are told
    reserve: Reserve

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(planned.event for planned in self.planned)


def make_story(world: World, numbers: range, rng: Random, offset: float) -> Story:
    """The story of the questions with these numbers, each of which has its own kind and depth.

    ``offset`` (0..1) shifts the depths of all of them.
    """
    casting = Casting(world, rng, Reserve())
    asked = [ASKED[kind](casting, kind) for kind in (tuple(KINDS)[i % len(KINDS)] for i in numbers)]
    events = [
        one
        for number, question in zip(numbers, asked, strict=True)
        for one in THREADS[question.kind](casting, question, _depth(number, offset))
    ]
    events += make_plot(rng)
    planned = [Planned(place, event) for place, event in events if place is not None]
    for free in (event for place, event in events if place is None):
        planned.append(Planned(_room(rng, planned), free))
    ordered = sorted(planned, key=_place)
    return Story(world, tuple(asked), tuple(ordered), casting.reserve)


def _depth(number: int, offset: float) -> float:
    """Where the evidence begins: evenly over 0..1 for each kind, and over the kinds."""
    turn, kind = divmod(number, len(KINDS))
    return (turn * _GOLDEN + _SHIFTS[kind] + offset) % 1


def _room(rng: Random, planned: Sequence[Planned]) -> float:
    """A place far from all others: in a short book, a crowd would push evidence from its depth."""
    places = [rng.random() for _ in range(_TRIES)]
    return max(places, key=lambda place: min(abs(one.place - place) for one in planned))


def _place(planned: Planned) -> tuple[bool, bool, float]:
    """A book begins and ends with the main plot."""
    beat = isinstance(planned.event, Beat)
    return beat and planned.place == 1, not (beat and planned.place == 0), planned.place
