"""The main plot: a choice of stages, each in one of several versions, about things of its own.

Which stages a book has, in what order, and what each is about are drawn, so that a summary of one
book says little about another.
"""

from collections.abc import Iterator
from random import Random

from scoring.generators.draws import between, pick, shuffled
from scoring.generators.grammar import read_tables
from scoring.generators.novel.events import Beat
from scoring.generators.novel.world import PEOPLE

PLOT = read_tables(__file__, "plot")
# Three of them live in the rest of the book too; the others die or leave, and so do not.
ROLES = {
    "heroine": 0, "suitor": 1, "friend": 2,
    "enemy": PEOPLE - 3, "mentor": PEOPLE - 2, "waverer": PEOPLE - 1,
}  # fmt: skip
CAST = 3  # of the core
ABSENT = 3  # the last of the world's people
_BETWEEN = (6, 7)  # stages of them in a book
_TOGETHER = 0.001  # of the book: between losing and regaining freedom nothing else happens
_COINS = (21, 99)


def make_plot(rng: Random) -> Iterator[tuple[float, Beat]]:
    """One beat for each stage drawn, with its place in the book, which starts and ends with one."""
    stages = ["arrival", *_middle(rng), "reckoning", "ending"]
    details = _details(rng, len(stages))
    place = 0.0
    for number, (stage, detail) in enumerate(zip(stages, details, strict=True)):
        place = place + _TOGETHER if stage == "rescue" else number / (len(stages) - 1)
        told = PLOT["stages"][stage]
        roles = tuple(ROLES[role] for role in told["roles"])
        yield place, Beat(stage, pick(rng, range(len(told["ways"]))), roles, detail)


def _middle(rng: Random) -> list[str]:
    """Some of the threads, mixed."""
    room = between(rng, *_BETWEEN)
    placed: list[tuple[float, str]] = []
    for thread in shuffled(rng, PLOT["threads"]):
        if len(placed) + len(thread) <= room:
            times = sorted(rng.random() for _ in thread)
            placed += zip(times[:1] * 2 if "rescue" in thread else times, thread, strict=True)
    return [stage for _, stage in sorted(placed)]  # "prison" stands before "rescue" there too


def _details(rng: Random, count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """As many, in which no words come twice but those that are the same in all of a book."""
    words = PLOT["details"]
    work, coin = pick(rng, words["works"]), pick(rng, words["coins"])
    tables = ("looks", "objects", "spots", "standings", "helpers", "causes", "skies", "days")
    columns = [shuffled(rng, words[table])[:count] for table in tables]
    for look, what, spot, standing, helper, cause, sky, day in zip(*columns, strict=True):
        yield (
            ("work", work), ("thing", f"{look} {what}"), ("spot", spot),
            ("helper", f"{standing} {helper}"), ("cause", cause), ("day", f"{sky} {day}"),
            ("coins", str(between(rng, *_COINS))), ("coin", coin),
        )  # fmt: skip
