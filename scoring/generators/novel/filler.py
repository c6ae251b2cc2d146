"""Other events of a book, as many as its length requires; they never change an answer."""

from collections.abc import Callable, Iterator
from random import Random

from scoring.generators.novel import things
from scoring.generators.novel.events import (  # fmt: skip
    Denied,
    Event,
    Fact,
    Gave,
    Meant,
    Met,
    Paid,
    Scene,
    Signed,
    Told,
    Went,
)
from scoring.generators.novel.plot import ABSENT
from scoring.generators.novel.story import Story
from scoring.generators.novel.world import CORE, PEOPLE, outfit, pick

_SCENES = 7  # of ten events; the others are of the kinds that questions ask about
_CORE = 0.45  # how often a person is of the core


def invent(story: Story, rng: Random) -> Iterator[Event]:
    """Events without end, most of them scenes, in any of which nothing asked about happens."""
    inventor = _Inventor(story, rng)
    while True:
        yield inventor.next()


class _Inventor:
    def __init__(self, story: Story, rng: Random) -> None:
        self._story, self._rng = story, rng
        keys = story.reserve.keys
        self._things = [thing for thing in things.THINGS if thing not in keys]
        self._secrets = [secret for secret in things.SECRETS if secret not in keys]
        self._petitions = [petition for petition in things.PETITIONS if petition not in keys]
        self._asked = [question.key for question in story.questions if question.key in things.GOODS]
        self._owners: dict[str, int] = {}
        self._signed: set[Signed] = set()

    def next(self) -> Event:
        while True:
            event = self._any()
            if self._story.reserve.allows(event) and event not in self._signed:
                self._note(event)
                return event

    def _any(self) -> Event:
        if self._rng.random() * 10 < _SCENES:
            return self._scene()
        fact = pick(self._rng, _FACTS)(self)
        if isinstance(fact, Paid | Went):
            return pick(self._rng, (fact, fact, fact, Meant(fact), Denied(fact)))
        return fact

    def _note(self, event: Event) -> None:
        if isinstance(event, Gave):
            self._owners[event.thing] = event.whom
        elif isinstance(event, Signed):
            self._signed.add(event)

    def _person(self) -> int:
        core = self._rng.random() < _CORE
        first, beyond = (0, CORE) if core else (CORE, PEOPLE - ABSENT)
        return first + int(self._rng.random() * (beyond - first))

    def _two(self) -> tuple[int, int]:
        who = whom = self._person()
        while who == whom:
            whom = self._person()
        return who, whom

    def _place(self) -> str:
        return pick(self._rng, self._story.world.places)

    def _scene(self) -> Scene:
        return Scene(pick(self._rng, things.SCENES), self._two(), self._place())

    def paid(self) -> Paid:
        """Half of the time goods that a question asks about, when others buy them."""
        asked = self._asked and self._rng.random() < 0.5
        goods = pick(self._rng, self._asked or _GOODS) if asked else pick(self._rng, _GOODS)
        ware = things.GOODS[goods]
        crowns = ware.low + int(self._rng.random() * (ware.high - ware.low + 1))
        return Paid(*self._two(), goods, pick(self._rng, ware.qualities), crowns, self._place())

    def went(self) -> Went:
        return Went(self._person(), self._place())

    def met(self) -> Met:
        return Met(*self._two(), outfit(self._rng), self._place())

    def gave(self) -> Gave:
        """Things have one owner at a time, here too."""
        thing = pick(self._rng, self._things)
        who, whom = self._two()
        owner = self._owners.get(thing, who)
        return Gave(owner, whom if whom != owner else who, thing)

    def confided(self) -> Told:
        return Told(*self._two(), pick(self._rng, self._secrets))

    def signed(self) -> Signed:
        return Signed(self._person(), pick(self._rng, self._petitions))


_GOODS = tuple(things.GOODS)
_FACTS: tuple[Callable[[_Inventor], Fact], ...] = (
    _Inventor.paid, _Inventor.paid, _Inventor.met, _Inventor.met, _Inventor.went,
    _Inventor.went, _Inventor.gave, _Inventor.confided, _Inventor.signed,
)  # fmt: skip
