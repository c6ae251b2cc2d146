"""The main plot: a choice of stages, each in one of several versions, about things of its own.

Which stages a book has, in what order, and what each is about are drawn, so that a summary of one
book says little about another.
"""

from collections.abc import Iterator
from random import Random

from scoring.generators.draws import between, shuffled
from scoring.generators.novel import plot_things as things
from scoring.generators.novel.events import Beat, Detail
from scoring.generators.novel.world import PEOPLE, pick

# Three of them live in the rest of the book too; the others die or leave, and so do not.
HEROINE, SUITOR, FRIEND = range(3)
ENEMY, MENTOR, WAVERER = range(PEOPLE - 3, PEOPLE)
CAST = 3  # of the core
ABSENT = 3  # the last of the world's people

# Each stage, and who is in it; a narrator has words for each way of each.
STAGES: dict[str, tuple[int, ...]] = {
    "arrival": (HEROINE,),
    "bequest": (HEROINE, MENTOR),
    "opposition": (ENEMY, HEROINE),
    "friendship": (HEROINE, FRIEND),
    "failure": (HEROINE, ENEMY),
    "courtship": (SUITOR, HEROINE),
    "treason": (WAVERER, HEROINE, ENEMY),
    "loss": (MENTOR, HEROINE),
    "discovery": (FRIEND, HEROINE),
    "theft": (ENEMY, HEROINE),
    "journey": (HEROINE, FRIEND),
    "illness": (SUITOR, HEROINE),
    "wager": (HEROINE, SUITOR),
    "prison": (HEROINE, ENEMY),
    "rescue": (FRIEND, HEROINE, SUITOR),
    "reckoning": (HEROINE, ENEMY),
    "repentance": (WAVERER, HEROINE),
    "ending": (HEROINE, SUITOR),
}
WAYS = 3
# What may come between the arrival and the reckoning: of a pair both, in this order.
_THREADS: tuple[tuple[str, ...], ...] = (
    ("bequest", "loss"),
    ("treason", "repentance"),
    ("prison", "rescue"),
    ("opposition",),
    ("friendship",),
    ("failure",),
    ("courtship",),
    ("discovery",),
    ("theft",),
    ("journey",),
    ("illness",),
    ("wager",),
)
_BETWEEN = (6, 7)  # stages of them in a book
_TOGETHER = 0.001  # of the book: between losing and regaining freedom nothing else happens
_COINS = (21, 99)


def make_plot(rng: Random) -> Iterator[tuple[float | None, Beat]]:
    """One beat for each stage drawn, with its place in the book, which starts and ends with one.

    The name of a beat is the stage and the way, as ``arrival.2``.
    """
    stages = ["arrival", *_middle(rng), "reckoning", "ending"]
    details = _details(rng, len(stages))
    place = 0.0
    for number, (stage, detail) in enumerate(zip(stages, details, strict=True)):
        freed = stage == "rescue"
        place = place + _TOGETHER if freed else number / (len(stages) - 1)
        yield place, Beat(f"{stage}.{pick(rng, range(WAYS))}", STAGES[stage], detail)


def _middle(rng: Random) -> list[str]:
    """Some of the threads, mixed."""
    room = between(rng, *_BETWEEN)
    placed: list[tuple[float, str]] = []
    for thread in shuffled(rng, _THREADS):
        if len(placed) + len(thread) <= room:
            times = sorted(rng.random() for _ in thread)
            placed += zip(times[:1] * 2 if "rescue" in thread else times, thread, strict=True)
    return [stage for _, stage in sorted(placed)]  # "prison" stands before "rescue" there too


def _details(rng: Random, count: int) -> Iterator[Detail]:
    """As many, in which no words come twice but those that are the same in all of a book."""
    work, coin = pick(rng, things.WORKS), pick(rng, things.COINS)
    tables = (
        things.LOOKS, things.OBJECTS, things.SPOTS, things.STANDINGS, things.HELPERS, things.CAUSES,
        things.SKIES, things.DAYS,
    )  # fmt: skip
    columns = [shuffled(rng, table)[:count] for table in tables]
    for look, what, spot, standing, helper, cause, sky, day in zip(*columns, strict=True):
        yield Detail(
            work=work,
            thing=f"{look} {what}",
            spot=spot,
            helper=f"{standing} {helper}",
            cause=cause,
            day=f"{sky} {day}",
            coins=between(rng, *_COINS),
            coin=coin,
        )
