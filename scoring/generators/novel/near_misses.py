"""Near-misses: events about the same people and things that change no answer.

They are as dense in a long book as in a short one, and never contradict what happened before.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from scoring.generators.draws import between, pick
from scoring.generators.novel.events import NONE, Event
from scoring.generators.novel.plot import ABSENT
from scoring.generators.novel.story import Story
from scoring.generators.novel.threads import changes
from scoring.generators.novel.world import CORE, PEOPLE

_STRANGER = 0.2  # how often a person is not of the core
_UNREAL = 0.4
_LIKE = 0.35  # how often one of the core does what a stranger did
_SAME = 0.5  # how often something that a question is about
_TRIES = 60


class NearMisses:
    """Invents events in the order of the book; ``note`` what else happens in between."""

    def __init__(self, story: Story, rng: Random) -> None:
        self._draw, self._rng = replace(story.draw, rng=rng), rng
        self._threads = (*story.threads, *story.decoys)
        planned = [event for thread in story.threads for event in thread.events]
        self._asked = {
            kind: [event for event in planned if event.kind == kind]
            for kind in {event.kind for event in planned}
        }
        # Who gave, or told, whom: once each, so that “what A had given B” is one thing.
        self._pairs = {(one.kind, one.who, one.whom) for one in planned if one.real}
        self._refused: set[tuple[str, int, int, int]] = set()  # what did not go to whom
        self._owners: dict[int, tuple[int, int]] = {}  # of things, and from whom they have them
        self._knows: dict[int, dict[int, int]] = {}  # secrets: who knows them, and from whom
        # What strangers bought, and where they went: once each, so “what A had bought” is clear.
        self._models: dict[str, dict[int, Event]] = {"paid": {}, "went": {}}
        self._once: set[tuple[str, int, int]] = {
            (one.kind, one.who, one.key) for one in planned if one.real
        }

    def make(self, kind: str) -> Event | None:
        """An event of that kind, or None where none was found that changes nothing."""
        for _ in range(_TRIES):
            event = _MAKERS[kind](self)
            if event and not any(changes(thread, event) for thread in self._threads):
                self._note(event)
                return event
        return None

    def _note(self, event: Event) -> None:
        if event.kind == "gave":
            held = self._owners.get(event.key, (event.who, NONE))
            self._owners[event.key] = (event.whom, event.who) if event.real else held
        if event.kind == "told":
            self._knows[event.key].setdefault(event.who, NONE)
        if event.kind == "signed":
            self._once.add((event.kind, event.who, event.key))
        if not event.real:
            self._refused.add((event.kind, event.key, event.who, event.whom))
            return
        self._pairs.add((event.kind, event.who, event.whom))
        if event.kind == "told":
            self._knows[event.key][event.whom] = event.who
        if event.kind == "stayed":
            self._once.add((event.kind, event.who, event.key))
        if event.kind in self._models and event.who >= CORE:
            self._models[event.kind][event.who] = event

    def _person(self, *besides: int) -> int:
        while True:
            stranger = self._rng.random() < _STRANGER
            first, beyond = (CORE, PEOPLE - ABSENT) if stranger else (0, CORE)
            person = first + int(self._rng.random() * (beyond - first))
            if person not in besides:
                return person

    def _real(self) -> bool:
        return self._rng.random() >= _UNREAL

    def _key(self, kind: str, table: str) -> int:
        asked = self._asked[kind]
        if self._rng.random() < _SAME:
            return pick(self._rng, asked).key
        return int(self._rng.random() * self._draw.language.sizes[table])

    def _who(self, kind: str) -> int:
        """Often one whom a question is about."""
        asked = [one.who for one in self._asked[kind] if one.who != NONE]
        return pick(self._rng, asked) if self._rng.random() < _SAME / 2 else self._person()

    def paid(self) -> Event:
        who, goods = self._who("paid"), self._key("paid", "goods")
        ware = self._draw.language.goods[goods]
        price = between(self._rng, ware.low, ware.high)
        seller, real = self._person(who), self._real()
        return self._compared(self._draw.paid(who, seller, goods, price, real=real))

    def went(self) -> Event:
        same = self._rng.random() < _SAME
        place = pick(self._rng, self._asked["went"]).key if same else self._draw.place()
        return self._compared(Event("went", place, self._who("went"), real=self._real()))

    def _compared(self, event: Event) -> Event:
        """The same, or compared with what a stranger did, who does it once."""
        models = self._models[event.kind]
        if event.who >= CORE:
            return replace(event, real=event.real and event.who not in models)
        one = (
            pick(self._rng, list(models.values()))
            if models and self._rng.random() < _LIKE
            else None
        )
        return replace(event, key=one.key, source=one.who) if one else event

    def met(self) -> Event:
        who = self._who("met")
        asked = [one.whom for one in self._asked["met"] if one.whom != who]
        same = asked and self._rng.random() < _SAME
        whom = pick(self._rng, asked) if same else self._person(who)
        sizes = self._draw.language.sizes
        clothes = [int(self._rng.random() * sizes[table]) for table in ("colours", "garments")]
        return self._draw.met(who, whom, *clothes, real=self._real())

    def gave(self) -> Event | None:
        """Things have one owner at a time."""
        thing = int(self._rng.random() * self._draw.language.sizes["things"])
        owner, source = self._owners.get(thing) or (self._who("gave"), NONE)
        return self._passed("gave", thing, owner, source)

    def told(self) -> Event | None:
        """Whoever knows a secret tells it to one who does not."""
        secret = int(self._rng.random() * self._draw.language.sizes["secrets"])
        knows = self._knows.setdefault(secret, {})
        who = pick(self._rng, list(knows)) if knows else self._who("told")
        event = self._passed("told", secret, who, knows.get(who, NONE))
        return event if event and event.whom not in knows else None

    def _passed(self, kind: str, key: int, who: int, source: int) -> Event | None:
        whom = self._person(who, source)
        if self._rng.random() < _SAME / 2:
            source = NONE
        real = self._real()
        free = (kind, who, whom) not in self._pairs and (kind, key, who, whom) not in self._refused
        return Event(kind, key, who, whom, source=source, real=real) if free or not real else None

    def stayed(self) -> Event | None:
        who, night = self._who("stayed"), self._key("stayed", "nights")
        if ("stayed", who, night) in self._once:
            return None
        return Event("stayed", night, who, place=self._draw.place(), real=self._real())

    def happened(self) -> Event | None:
        """Of a calamity that a question is about, another night is told."""
        asked = self._asked["happened"]
        woe, night = pick(self._rng, asked).woe, self._key("happened", "nights")
        if any(one.real and (one.woe, one.key) == (woe, night) for one in asked):
            return None
        return Event("happened", night, woe=woe, real=False)

    def signed(self) -> Event | None:
        who, petition = self._who("signed"), self._key("signed", "petitions")
        if ("signed", who, petition) in self._once:
            return None
        return Event("signed", petition, who, real=self._real())


_MAKERS: dict[str, Callable[[NearMisses], Event | None]] = {
    "paid": NearMisses.paid,
    "went": NearMisses.went,
    "met": NearMisses.met,
    "gave": NearMisses.gave,
    "told": NearMisses.told,
    "stayed": NearMisses.stayed,
    "happened": NearMisses.happened,
    "signed": NearMisses.signed,
}


def near_misses(story: Story, wanted: dict[str, int], rng: Random) -> Iterator[tuple[float, Event]]:
    """As many of each kind as wanted, with their places in the book, in order."""
    places = sorted(
        (rng.random(), kind) for kind, count in sorted(wanted.items()) for _ in range(count)
    )
    inventor = NearMisses(story, rng)
    for place, kind in places:
        if event := inventor.make(kind):
            yield place, event
