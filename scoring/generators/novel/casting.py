"""The people and things of a book's questions: chosen first, so that nothing else uses them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from scoring.generators.draws import between, shuffled
from scoring.generators.novel import things
from scoring.generators.novel.events import NOBODY, Gave
from scoring.generators.novel.plot import CAST
from scoring.generators.novel.questions import Question
from scoring.generators.novel.reserve import Reserve
from scoring.generators.novel.world import World, pick

_TIMES = (4, 6)  # that two people meet, or that a petition is signed


@dataclass(slots=True)
class Casting:
    """Assigns people and things to questions, nothing twice."""

    world: World
    rng: Random
    reserve: Reserve
    _left: dict[str, list[str]] = field(default_factory=dict)
    _people: list[int] = field(default_factory=list)

    def key(self, table: Sequence[str]) -> str:
        left = self._left.setdefault(table[0], [])
        if not left:
            left += shuffled(self.rng, table)
        return left.pop()

    def person(self) -> int:
        if not self._people:
            self._people += shuffled(self.rng, [person.key for person in self.world.core])
        return self._people.pop()

    def others(self, count: int, *besides: int) -> list[int]:
        """Different people of the core whom none of those must keep away from."""
        core = [person.key for person in self.world.core]
        return [
            other
            for other in shuffled(self.rng, core)
            if other not in besides and not any(self.reserve.parts(one, other) for one in besides)
        ][:count]

    def chain(self, first: int, count: int) -> list[int]:
        """Different people, each of whom may meet the next."""
        people = [first]
        while len(people) < count:
            people += [one for one in self.others(count + CAST, people[-1]) if one not in people][
                :1
            ]
        return people

    def gifts(self, first: int, thing: str, count: int) -> list[Gave]:
        """A thing goes from hand to hand, and is called by its name at first only.

        No two of them ever give each other anything else: so it is clear what “what A had given B”
        is.
        """
        people = self.chain(first, count + 1)
        while any(pair in self.reserve.gifts | self.reserve.sales for pair in pairwise(people)):
            people = self.chain(first, count + 1)
        self.reserve.gifts.update(pairwise(people))
        before = [NOBODY, *people]
        return [
            Gave(who, whom, thing, had_from)
            for had_from, (who, whom) in zip(before, pairwise(people), strict=False)
        ]

    def place(self, *people: int) -> str:
        open_ = [one for one in self.world.places if not self.reserve.closed(one, *people)]
        return pick(self.rng, open_)


def _ask_wares(casting: Casting, kind: str) -> Question:
    question = Question(kind, casting.person(), key=casting.key(tuple(things.GOODS)))
    casting.reserve.wares.add((question.who, question.key))
    return question


def _ask_visits(casting: Casting, kind: str) -> Question:
    rank = between(casting.rng, 0, 3)  # among four counts in a row, any of which is the right one
    times = rank + between(casting.rng, 1, 3)
    key = casting.key(casting.world.places)
    question = Question(kind, casting.person(), key=key, nth=rank, times=times)
    casting.reserve.visits.add((question.who, question.key))
    return question


def _ask_meeting(casting: Casting, kind: str) -> Question:
    who = casting.person()
    others = [person for person in casting.others(len(casting.world.core), who)
                 if max(person, who) >= CAST]  # fmt: skip
    times, nth = _times(casting.rng)
    part = pick(casting.rng, ("colour", "garment"))
    question = Question(kind, who, others[0], part, nth=nth, times=times)
    casting.reserve.pairs.add(frozenset((who, question.whom)))
    return question


def _times(rng: Random) -> tuple[int, int]:
    """How often something happens, and which of these times is asked for: any."""
    times = between(rng, *_TIMES)
    return times, between(rng, 1, times)


def _ask_key(table: Sequence[str]) -> Callable[[Casting, str], Question]:
    def ask(casting: Casting, kind: str) -> Question:
        who, (times, nth) = casting.person(), _times(casting.rng)
        question = Question(kind, who, key=casting.key(table), nth=nth, times=times)
        casting.reserve.keys.add(question.key)
        return question

    return ask


ASKED: dict[str, Callable[[Casting, str], Question]] = {
    "total spent": _ask_wares,
    "dearest purchase": _ask_wares,
    "count of visits": _ask_visits,
    "meeting": _ask_meeting,
    "last owner": _ask_key(things.THINGS),
    "who told": _ask_key(things.SECRETS),
    "whereabouts": _ask_key(things.CALAMITIES),
    "order of signing": _ask_key(things.PETITIONS),
}
