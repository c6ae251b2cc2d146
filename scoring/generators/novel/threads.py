"""The events around each question: its evidence, and near-misses that belong to it.

Every thread is drawn by itself; the story draws it again where it would change another's answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import NamedTuple

from scoring.generators.draws import between, pick, shuffled
from scoring.generators.novel.events import NONE, Event
from scoring.generators.novel.language import Language
from scoring.generators.novel.plot import ABSENT, CAST
from scoring.generators.novel.questions import AGGREGATE, KINDS, Question
from scoring.generators.novel.world import CORE, PEOPLE, World

RANKS = 4
TURNS = 5 * RANKS
_CLUSTER = 0.12  # of the book: how far the evidence reaches that stands at one depth
_EDGE = 0.03  # of the book: before and after evidence that is scattered
_CHAINED = 0.5  # how often a purchase or visit is only compared with another's
_OTHERS = 3  # whom one meets in clothes that are asked about
_BESIDE = 0.6  # how often a person is only said to have slept where another did
_MOST = CORE - 4  # people that a thing goes to, or who sign: some more are needed who do not
_HASTE = 3  # crowns at least that the first price is above the last


@dataclass(slots=True)
class Draw:
    """Draws for one story; ``taken`` are the words that have been asked about, by table."""

    world: World
    language: Language
    rng: Random
    turn: int = 0  # < TURNS; each as often over the questions of a kind
    taken: dict[str, set[int]] = field(default_factory=dict)

    def key(self, table: str) -> int:
        """A word that no other question is about."""
        taken = self.taken.setdefault(table, set())
        every = self.world.places if table == "places" else range(self.language.sizes[table])
        key = pick(self.rng, [word for word in every if word not in taken])
        taken.add(key)
        return key

    def people(self, count: int, *besides: int) -> list[int]:
        """Different people of the core."""
        core = [person for person in shuffled(self.rng, range(CORE)) if person not in besides]
        return core[:count]

    def stranger(self) -> int:
        """One who is not of the core, and does nothing else of the kind."""
        taken = self.taken.setdefault("strangers", set())
        free = [one for one in range(CORE, PEOPLE - ABSENT) if one not in taken]
        taken.add(one := pick(self.rng, free))
        return one

    def chained(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The same, half of them only compared with what a stranger did before."""
        chained: list[Event] = []
        for event in events:
            if self.rng.random() < _CHAINED:
                one = self.stranger()
                before = self.paid(one, self.person(event.who), event.key, event.price + 1) if (
                    event.kind == "paid") else Event(event.kind, event.key, one)  # fmt: skip
                chained.insert(between(self.rng, 0, len(chained)), before)
                chained.append(replace(event, source=one))
            else:
                chained.append(event)
        return tuple(chained)

    def person(self, *besides: int) -> int:
        return self.people(1, *besides)[0]

    def place(self) -> int:
        return pick(self.rng, self.world.places)

    def paid(self, who: int, seller: int, goods: int, price: int, *, real: bool = True) -> Event:
        asked = price + between(self.rng, _HASTE, _HASTE + price // 2)
        quality = between(self.rng, 0, len(self.language.goods[goods].qualities) - 1)
        return Event("paid", goods, who, seller, self.place(), price, asked, quality, real=real)

    def met(self, who: int, whom: int, colour: int, garment: int, *, real: bool = True) -> Event:
        clothes = {"colour": colour, "garment": garment}
        return Event("met", NONE, who, whom, self.place(), **clothes, real=real)


@dataclass(frozen=True, slots=True)
class Thread:
    question: Question
    events: tuple[Event, ...]  # in their order

    def placed(self, depth: float, rng: Random) -> Iterator[tuple[float, Event]]:
        """The events with their places in the book, which is 0..1: from that depth on, or all over
        the book where the question is about the whole of it."""
        count = len(self.events)
        if self.question.kind in AGGREGATE:
            step = (1 - 2 * _EDGE) / count
            places = [_EDGE + (place + rng.random()) * step for place in range(count)]
        else:
            step = min(_CLUSTER, 1 - depth) / count
            places = [depth + place * step for place in range(count)]
        return zip(places, self.events, strict=True)


def changes(thread: Thread, event: Event) -> bool:
    """Whether an event of another thread, or of none, would change this answer, or blur it."""
    return THREADS[thread.question.kind].changes(thread, event)


def _another_of_all(thread: Thread, event: Event) -> bool:
    """One more of what is counted, or of what it is compared with."""
    asked = thread.question
    own = [one for one in thread.events if one.kind == event.kind]
    same = (event.who, event.key) == (asked.who, asked.key)
    return (
        bool(own) and event.real and (same or event.who in {one.who for one in own} - {asked.who})
    )


def _another_visit(thread: Thread, event: Event) -> bool:
    there = event.place == thread.question.key and thread.question.who in event.people
    return there or _another_of_all(thread, event)


def _another_meeting(thread: Thread, event: Event) -> bool:
    together = {thread.question.who, thread.question.whom} <= set(event.people)
    return together and (event.kind != "met" or event.real)


def _another_move(thread: Thread, event: Event) -> bool:
    """Of the same thing or secret; or between the same people, also by a sale."""
    about = KINDS[thread.question.kind].about
    pairs = {(one.who, one.whom) for one in thread.events}
    if event.kind == "paid" and about == "gave":
        return (event.whom, event.who) in pairs
    same = event.key == thread.question.key or (event.who, event.whom) in pairs
    return event.kind == about and same


def _another_night(thread: Thread, event: Event) -> bool:
    nights = {one.key for one in thread.events}
    if event.kind == "happened":
        return event.real and (event.woe == thread.question.key or event.key in nights)
    return event.kind == "stayed" and event.who == thread.question.who and event.key in nights


def _another_signature(thread: Thread, event: Event) -> bool:
    signers = {one.who for one in thread.events if one.real}
    return event.kind == "signed" and (event.key == thread.question.key or event.who in signers)


def _purchases(draw: Draw, kind: str) -> Thread:
    """Purchases of the asked person, and some that came to nothing. The highest price may be
    among these."""
    rng, goods = draw.rng, draw.key("goods")
    ware = draw.language.goods[goods]
    (who,) = draw.people(1)
    unreal = between(rng, 1, 2)
    count = min(between(rng, 3, 4), ware.high - ware.low - unreal)
    prices = shuffled(rng, range(ware.low, ware.high + 1))[: count + unreal]
    sellers = draw.people(len(prices), who)
    while len(sellers) < len(prices):
        sellers += draw.people(len(prices) - len(sellers), who)
    events = [
        draw.paid(who, seller, goods, price, real=place < count)
        for place, (seller, price) in enumerate(zip(sellers, prices, strict=False))
    ]
    return Thread(Question(kind, goods, who), draw.chained(shuffled(rng, events)))


def _visits(draw: Draw, kind: str) -> Thread:
    """Visits, and some that came to nothing."""
    rng, place, (who,) = draw.rng, draw.key("places"), draw.people(1)
    least, rank = divmod(draw.turn, RANKS)  # of four counts in a row, any of which may be right
    count = least + rank + 1
    events = [Event("went", place, who)] * count
    events += [Event("went", place, who, real=False)] * between(rng, 1, 2)
    return Thread(Question(kind, place, who, rank=rank), draw.chained(shuffled(rng, events)))


def _meetings(draw: Draw, kind: str) -> Thread:
    """All meetings of the two, and some that came to nothing."""
    rng = draw.rng
    who, whom = draw.people(2)
    if max(who, whom) < CAST:  # they meet in the main plot
        (whom,) = [one for one in draw.people(CORE) if one >= CAST][:1]
    count, unreal = between(rng, 3, 5), between(rng, 1, 2)
    colours = shuffled(rng, range(draw.language.sizes["colours"]))
    garments = shuffled(rng, range(draw.language.sizes["garments"]))
    events = [
        draw.met(who, whom, colour, garment, real=place < count)
        for place, colour, garment in zip(range(count + unreal), colours, garments, strict=False)
    ]
    # In the same clothes to others, so that these are not first spoken of in the order of meetings.
    others = draw.people(_OTHERS, who, whom)
    events += [
        draw.met(who, other, event.colour, event.garment)
        for other, event in zip(others, shuffled(rng, events), strict=False)
    ]
    part = pick(rng, ("colour", "garment"))
    asked = Question(kind, NONE, who, whom, between(rng, 1, count), part)
    return Thread(asked, tuple(shuffled(rng, events)))


def _handovers(draw: Draw, kind: str) -> Thread:
    """The thing goes from hand to hand, and is called by its name at first only; some offers are
    refused, and whoever refuses never has it."""
    rng, thing = draw.rng, draw.key("things")
    hands = draw.people(min(between(rng, 4, 5), _MOST))
    others = draw.people(CORE, *hands)
    events: list[Event] = []
    for source, (who, whom) in zip([NONE, *hands], pairwise(hands), strict=False):
        gift = Event("gave", thing, who, whom, source=source)
        if source != NONE and rng.random() < 0.4 and others:
            events.append(replace(gift, whom=others.pop(), real=False))
        events.append(gift)
    if rng.random() < 0.5 and others:
        events.append(
            replace(events[-1], who=hands[-1], whom=others.pop(), source=hands[-2], real=False)
        )
    return Thread(Question(kind, thing), tuple(events))


def _rumours(draw: Draw, kind: str) -> Thread:
    """A secret goes from ear to ear, beyond the asked person; on its way it is told to others too,
    or nearly. Whoever passed it on is named as often as the others who did."""
    rng, secret = draw.rng, draw.key("secrets")
    way = draw.people(min(between(rng, 5, 6), _MOST))
    others = draw.people(CORE, *way)
    events: list[Event] = []
    for source, (who, whom) in zip([NONE, *way], pairwise(way), strict=False):
        telling = Event("told", secret, who, whom, source=source)
        asides = [replace(telling, whom=others.pop(), real=real)
                  for real in (True, False) if rng.random() < 0.2 and len(others) > 1]  # fmt: skip
        if source == NONE:
            asides = [replace(telling, whom=others.pop(), real=False)]
        events += shuffled(rng, [telling, *asides]) if source != NONE else [telling, *asides]
    return Thread(Question(kind, secret, way[-2]), tuple(events))


def _nights(draw: Draw, kind: str) -> Thread:
    """Where the person was on that night; was said to be; and where others were."""
    rng, woe = draw.rng, draw.key("calamities")
    night, *others = (draw.key("nights") for _ in range(3))
    who, *witnesses = draw.people(4)
    where = shuffled(rng, draw.world.places)
    place, beside = where.pop(), rng.random() < _BESIDE
    stays = [Event("stayed", night, who, place=place, source=witnesses[1] if beside else NONE)]
    stays += [Event("stayed", night, witnesses[1], place=place)] if beside else []
    stays += [
        Event("stayed", night, who, place=where.pop(), real=False)
        for _ in range(between(rng, 1, 2))
    ]
    stays += [Event("stayed", night, one, place=where.pop()) for one in witnesses[:1]]
    stays += [Event("stayed", others[0], who, place=where.pop())]
    told = [Event("happened", night, woe=woe), Event("happened", others[0], woe=woe, real=False)]
    told += [Event("happened", others[0], woe=draw.key("calamities"))]
    first, *rest = shuffled(rng, told)
    return Thread(Question(kind, woe, who), (first, *shuffled(rng, [*rest, *stays])))


def _signatures(draw: Draw, kind: str) -> Thread:
    """The signatures in order, and some people who did not sign after all."""
    rng, petition = draw.rng, draw.key("petitions")
    count = min(between(rng, 4, 6), _MOST)
    signers, others = draw.people(count), draw.people(CORE)
    others = [one for one in others if one not in signers]
    events: list[Event] = []
    for source, who in zip([NONE, *signers], signers, strict=False):
        signed = Event("signed", petition, who, source=source if rng.random() < 0.75 else NONE)
        if rng.random() < 0.35 and others:
            events.append(replace(signed, who=others.pop(), real=False))
        events.append(signed)
    return Thread(Question(kind, petition, nth=between(rng, 2, len(signers))), tuple(events))


class Kind(NamedTuple):
    make: Callable[[Draw, str], Thread]
    changes: Callable[[Thread, Event], bool]
    decoys: str = ""  # the table of words for questions that are never asked


THREADS: dict[str, Kind] = {
    "total spent": Kind(_purchases, _another_of_all),
    "meeting": Kind(_meetings, _another_meeting),
    "count of visits": Kind(_visits, _another_visit),
    "dearest purchase": Kind(_purchases, _another_of_all),
    "last owner": Kind(_handovers, _another_move, "things"),
    "who told": Kind(_rumours, _another_move, "secrets"),
    "whereabouts": Kind(_nights, _another_night, "calamities"),
    "order of signing": Kind(_signatures, _another_signature, "petitions"),
}


def fits(thread: Thread, others: Sequence[Thread]) -> bool:
    """Whether neither changes an answer of the other."""
    return not any(
        any(changes(other, event) for event in thread.events)
        or any(changes(thread, event) for event in other.events)
        for other in others
    )
