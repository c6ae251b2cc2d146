"""The events that a book's questions and summary ask about: the same at every length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from scoring.generators.draws import seeded, shuffled
from scoring.generators.novel.events import Beat, Event
from scoring.generators.novel.language import Language
from scoring.generators.novel.plot import make_plot
from scoring.generators.novel.questions import KINDS, Question
from scoring.generators.novel.threads import THREADS, TURNS, Draw, Thread, fits
from scoring.generators.novel.world import World

EACH = 4  # questions about one book
_GOLDEN = 0.6180339887498949  # its multiples, modulo 1, cover 0..1 evenly however many they are
_TRIES = 500


@dataclass(frozen=True, slots=True)
class Story:
    has_plot: bool  # from the first to the last page; in English
    draw: Draw
    threads: tuple[Thread, ...]
    decoys: tuple[Thread, ...]  # never asked: near-misses may not speak of them
    planned: tuple[tuple[float, Event | Beat], ...]  # with their places in the book, 0..1; in order


def make_story(
    world: World,
    language: Language,
    numbers: range,
    rng: Random,
    *,
    seed: object,
    has_plot: bool = True,
) -> Story:
    """The story of the questions with these numbers, each of which has its own kind and depth.

    ``seed`` is that of the depths of all stories. Only stories in English have a plot.
    """
    plot = list(make_plot(rng)) if has_plot and language.file == "english" else []
    draw = Draw(world, language, rng)
    threads: list[Thread] = []
    placed: list[tuple[float, Event | Beat]] = []
    for number in numbers:
        kind = tuple(KINDS)[number % len(KINDS)]
        draw.turn = _turn(number // len(KINDS), seed)
        thread = _fitting(draw, kind, threads)
        threads.append(thread)
        placed += thread.placed(_depth(number, seed), rng)
    ordered = sorted([*placed, *plot], key=in_order)
    decoys = tuple(
        Thread(Question(kind, draw.key(of_kind.decoys), draw.person(), nth=2), ())
        for kind, of_kind in THREADS.items()
        if of_kind.decoys
    )
    return Story(bool(plot), draw, tuple(threads), decoys, tuple(ordered))


def _fitting(draw: Draw, kind: str, threads: Sequence[Thread]) -> Thread:
    """A thread that changes no answer of the others. Raises ``ValueError`` if there is none."""
    for _ in range(_TRIES):
        attempt = replace(draw, taken={table: set(keys) for table, keys in draw.taken.items()})
        thread = THREADS[kind].make(attempt, kind)
        if fits(thread, threads):
            draw.taken = attempt.taken
            return thread
    raise ValueError(kind)


def _turn(number: int, seed: object) -> int:
    """So that not even few questions of a kind have often the same answer."""
    several, place = divmod(number, TURNS)
    return shuffled(seeded("turns", seed, several), range(TURNS))[place]


def _depth(number: int, seed: object) -> float:
    """Where the evidence begins: evenly over 0..1.

    The questions about a book divide it among themselves in an order of their own, so that a number
    does not reveal its depth.
    """
    turn, place = divmod(number, EACH)
    part = shuffled(seeded("depths", seed, turn), range(EACH))[place]
    return (part + (turn * _GOLDEN + seeded("depths", seed).random()) % 1) / EACH


def in_order(placed: tuple[float, Event | Beat]) -> tuple[bool, bool, float]:
    """A book begins and ends with the main plot."""
    place, event = placed
    beat = isinstance(event, Beat)
    return beat and place == 1, not (beat and place == 0), place
