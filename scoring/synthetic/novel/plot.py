"""The main plot: stages told in every book, each in one of several ways."""

from collections.abc import Iterator
from random import Random

from scoring.synthetic.novel.events import Beat
from scoring.synthetic.novel.world import PEOPLE, pick

# Three of them live in the rest of the book too; the others die or leave, and so do not.
HEROINE, SUITOR, FRIEND = range(3)
ENEMY, MENTOR, WAVERER = range(PEOPLE - 3, PEOPLE)
CAST = 3  # of the core
ABSENT = 3  # the last of the world's people

# Each stage: who is in it, and how many ways of it there are; a narrator has words for each.
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
    "prison": (HEROINE, ENEMY),
    "rescue": (FRIEND, HEROINE, SUITOR),
    "reckoning": (HEROINE, ENEMY),
    "repentance": (WAVERER, HEROINE),
    "ending": (HEROINE, SUITOR),
}
WAYS = 3
_TOGETHER = 0.001  # of the book: between losing and regaining freedom nothing else happens


def make_plot(rng: Random) -> Iterator[tuple[float | None, Beat]]:
    """One beat for each stage, with its place in the book, which starts and ends with one.

    The name of a beat is the stage and the way, as ``arrival.2``.
    """
    place = 0.0
    for number, (stage, roles) in enumerate(STAGES.items()):
        freed = stage == "rescue"
        place = place + _TOGETHER if freed else number / (len(STAGES) - 1)
        yield place, Beat(f"{stage}.{pick(rng, range(WAYS))}", roles)
