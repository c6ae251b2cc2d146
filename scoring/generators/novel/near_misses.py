"""Near-misses: events about the same people and things that change no answer.

They are as dense in a long book as in a short one, and never contradict what happened before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from scoring.generators.draws import between
from scoring.generators.novel.events import NONE, Event
from scoring.generators.novel.plot import ABSENT
from scoring.generators.novel.threads import Draw, Thread, changes
from scoring.generators.novel.world import CORE, PEOPLE, pick

_STRANGER = 0.2  # how often a person is not of the core
_UNREAL = 0.4
_LIKE = 0.35  # how often one of the core does what a stranger did
_SAME = 0.5  # how often something that a question is about
_TRIES = 60


class NearMisses:
    """Invents events in the order of the book; ``note`` what else happens in between."""

    def __init__(self, draw: Draw, threads: Sequence[Thread]) -> None:
        self._draw, self._threads, self._rng = draw, threads, draw.rng
        planned = [event for thread in threads for event in thread.events]
        self._asked = {
            kind: [event for event in planned if event.kind == kind]
            for kind in {event.kind for event in planned}
        }
        # Who gave, or told, whom: once each, so that “what A had given B” is one thing.
        self._pairs = {(one.kind, one.who, one.whom) for one in planned if one.real}
        self._held: dict[tuple[str, int], list[Event]] = {}  # of a thing or secret: its last moves
        # What strangers bought, and where they went: once each, so that “what A had bought” is known.
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
        if not event.real:
            return
        self._pairs.add((event.kind, event.who, event.whom))
        if event.kind in ("gave", "told"):
            self._held.setdefault((event.kind, event.key), []).append(event)
        if event.kind in ("stayed", "signed"):
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
        """The same, or compared with what a stranger did; of strangers, what they do is real once."""
        models = self._models[event.kind]
        if event.who >= CORE:
            return replace(event, real=event.real and event.who not in models)
        one = pick(self._rng, list(models.values())) if models and self._rng.random() < _LIKE else None
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
        moves = self._held.get(("gave", thing), [])
        who = moves[-1].whom if moves else self._who("gave")
        return self._passed("gave", thing, who, moves[-1].who if moves else NONE)

    def told(self) -> Event | None:
        """Whoever knows a secret tells it to one who does not."""
        secret = int(self._rng.random() * self._draw.language.sizes["secrets"])
        moves = self._held.get(("told", secret), [])
        if not moves:
            return self._passed("told", secret, self._who("told"), NONE)
        move = pick(self._rng, moves)
        event = self._passed("told", secret, move.whom, move.who)
        knows = {person for one in moves for person in one.people}
        return event if event and event.whom not in knows else None

    def _passed(self, kind: str, key: int, who: int, source: int) -> Event | None:
        whom = self._person(who, source)
        if self._rng.random() < _SAME / 2:
            source = NONE
        real = self._real()
        free = (kind, who, whom) not in self._pairs
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


def near_misses(
    draw: Draw, threads: Sequence[Thread], wanted: dict[str, int], rng: Random
) -> Iterator[tuple[float, Event]]:
    """As many of each kind as wanted, with their places in the book, in order."""
    places = sorted(
        (rng.random(), kind) for kind, count in sorted(wanted.items()) for _ in range(count)
    )
    inventor = NearMisses(replace(draw, rng=rng), threads)
    for place, kind in places:
        if event := inventor.make(kind):
            yield place, event
