"""The events around each question: its evidence, and distractors that are nearly the same.

A thread is a list of events with their positions in the book (0..1). The evidence of a question
that filters is at one depth, that of an aggregation is scattered over the rest of the book.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from scoring.generators.draws import between, shuffled
from scoring.generators.novel import things
from scoring.generators.novel.casting import Casting
from scoring.generators.novel.events import (  # fmt: skip
    Denied,
    Event,
    Fact,
    Gave,
    Happened,
    Meant,
    Met,
    Paid,
    Signed,
    Stayed,
    Told,
    Went,
)
from scoring.generators.novel.questions import Question
from scoring.generators.novel.world import Outfit, outfit, pick

Places = Iterator[tuple[float | None, Event]]  # without a place: anywhere with room

_CLUSTER = 0.12  # of the book: how far the evidence reaches that stands at one depth
_DEARER = 3  # purchases that are dearer than all of the asked person
_REFUSED = 0.3  # how often an owner's offer of a thing is refused
_WRONG = ((1, 2), (2, 1), (2, 2))  # false places of that night, and true ones of other nights
_EARLY = 0.3  # of the book: where a scattered thread begins at the latest


def _together(depth: float, events: Sequence[Event]) -> Places:
    """The first at that depth, the others soon after it, in their order."""
    step = min(_CLUSTER, 1 - depth) / len(events)
    return ((depth + i * step, event) for i, event in enumerate(events))


def _scattered(depth: float, events: Sequence[Event]) -> Places:
    """From somewhere near the start, the sooner the smaller the depth, to the end."""
    first = depth * _EARLY
    step = (0.97 - first) / max(1, len(events) - 1)
    return ((first + i * step, event) for i, event in enumerate(events))


def _anywhere(events: Sequence[Event]) -> Places:
    return ((None, event) for event in events)


def _prices(rng: Random, goods: str, count: int) -> list[int]:
    """Different prices for the same goods."""
    ware = things.GOODS[goods]
    return shuffled(rng, range(ware.low, ware.high + 1))[:count]


def _paid(casting: Casting, who: int, seller: int, goods: str, crowns: int) -> Paid:
    quality = pick(casting.rng, things.GOODS[goods].qualities)
    return Paid(who, seller, goods, quality, crowns, casting.place(who, seller))


def _purchases(casting: Casting, question: Question, depth: float) -> Places:
    """Purchases of the asked person, purchases by others, and some only planned or rumoured.

    The highest price may be anyone's.
    """
    rng, who, goods = casting.rng, question.who, question.key
    count, buys, unreal = between(rng, 3, 5), between(rng, 1, 3), between(rng, 1, 3)
    prices = sorted(_prices(rng, goods, count + buys + unreal), reverse=True)
    dearer = between(rng, 0, min(_DEARER, buys + unreal))
    rest = shuffled(rng, prices[dearer:])
    own, others = rest[:count], shuffled(rng, [*prices[:dearer], *rest[count:]])
    gifts = casting.reserve.gifts
    sellers = [one for one in casting.others(20, who) if (one, who) not in gifts]
    sellers = sellers[: count + unreal + buys]
    casting.reserve.sales.update((seller, who) for seller in sellers)
    yield from _scattered(
        depth, [_paid(casting, who, *sale) for sale in _sales(sellers, goods, own)]
    )
    not_bought = _sales(sellers[count:], goods, others[:unreal])
    yield from _anywhere([_unreal(rng, _paid(casting, who, *sale)) for sale in not_bought])
    for seller, price in zip(sellers[count + unreal :], others[unreal:], strict=True):
        buyer = next(
            one for one in casting.others(9, seller) if one != who and (seller, one) not in gifts
        )
        casting.reserve.sales.add((seller, buyer))
        yield None, _paid(casting, buyer, seller, goods, price)


def _sales(
    sellers: Sequence[int], goods: str, prices: Sequence[int]
) -> Iterator[tuple[int, str, int]]:
    return ((seller, goods, price) for seller, price in zip(sellers, prices, strict=False))


def _unreal(rng: Random, fact: Fact) -> Meant | Denied:
    """It did not happen, for one reason or another."""
    return Meant(fact) if between(rng, 0, 1) else Denied(fact)


def _visits(casting: Casting, question: Question, depth: float) -> Places:
    """Visits, and denied visits; other people go there too."""
    rng, visit = casting.rng, Went(question.who, question.key)
    yield from _scattered(depth, [visit] * question.times)
    yield from _anywhere([_unreal(rng, visit) for _ in range(between(rng, 0, 4))])
    guests = [
        one
        for one in casting.others(9, question.who)
        if not casting.reserve.closed(question.key, one)
    ]
    yield from _anywhere([Went(guest, question.key) for guest in guests[: between(rng, 0, 3)]])


def _meetings(casting: Casting, question: Question, depth: float) -> Places:
    """All meetings of the two, and meetings of each with others."""
    rng, who, whom = casting.rng, question.who, question.whom
    others = casting.others(between(rng, 1, 3), who)
    outfits = _outfits(rng, question.times + len(others))
    meetings = [
        Met(who, whom, outfits.pop(), casting.place(who, whom)) for _ in range(question.times)
    ]
    yield from _together(depth, meetings)
    yield from _anywhere([Met(who, one, outfits.pop(), casting.place(who, one))
                          for one in others])  # fmt: skip
    for third in casting.others(between(rng, 0, 2), whom):
        yield None, Met(third, whom, outfit(rng), casting.place(third, whom))


def _outfits(rng: Random, count: int) -> list[Outfit]:
    """Outfits that share neither colour nor garment."""
    colours, garments = shuffled(rng, things.COLOURS), shuffled(rng, things.GARMENTS)
    return [Outfit(*pair) for pair in zip(colours[:count], garments[:count], strict=True)]


def _handovers(casting: Casting, question: Question, depth: float) -> Places:
    """The thing is passed on, as are others, and some offers are refused."""
    rng = casting.rng
    own = casting.gifts(question.who, question.key, between(rng, 2, 4))
    events: list[Event] = _with_refusals(casting, own)
    for _ in range(between(rng, 1, 2)):
        other = casting.key(things.THINGS)
        casting.reserve.keys.add(other)
        (first,) = casting.others(1, *(gift.who for gift in own))
        events = _mixed(rng, events, casting.gifts(first, other, between(rng, 2, 3)))
    yield from _together(depth, events)


def _with_refusals(casting: Casting, gave: Sequence[Gave]) -> list[Event]:
    """The handovers; after some of them the owner makes an offer that is refused."""
    events: list[Event] = []
    for gift in gave:
        events.append(gift)
        if casting.rng.random() < _REFUSED:
            owners = {gift.who, *(later.whom for later in gave)}  # none ever has what was refused
            other = next(one for one in casting.others(9, gift.whom) if one not in owners)
            events.append(Meant(Gave(gift.whom, other, gift.thing, gift.who)))
    return events


def _mixed(rng: Random, one: Sequence[Event], other: Sequence[Event]) -> list[Event]:
    """Both, each in its own order."""
    turns = shuffled(rng, [True] * len(one) + [False] * len(other))
    parts = {True: iter(one), False: iter(other)}
    return [next(parts[turn]) for turn in turns]


def _rumours(casting: Casting, question: Question, depth: float) -> Places:
    """A chain of people who heard it from one another; some also pass it to others, or deny it."""
    rng, key = casting.rng, question.key
    chain = casting.chain(question.who, between(rng, 3, 6))[::-1]
    events: list[Event] = [Told(who, whom, key) for who, whom in pairwise(chain)]
    first, *others = casting.others(between(rng, 2, 4), *chain)
    if between(rng, 0, 1):  # did the asked person's source hear it just before, or long ago?
        events.insert(-1, Told(pick(rng, chain[:-1]), first, key))
    else:
        others.append(first)
    for other in others:
        heard = between(rng, 0, len(chain) - 1)
        place = events.index(Told(chain[heard - 1], chain[heard], key)) + 1 if heard else 0
        events.insert(between(rng, place, len(events)), Told(chain[heard], other, key))
    for liar in casting.others(between(rng, 0, 2), *chain):
        events.insert(between(rng, 0, len(events)), Denied(Told(liar, pick(rng, chain[1:]), key)))
    yield from _together(depth, events)


def _alibis(casting: Casting, question: Question, depth: float) -> Places:
    """Where the person was on that night; were on others, and others on that; and were said to be.

    What happened comes first: a night is spoken of afterwards only.
    """
    rng, who = casting.rng, question.who
    nights = [casting.key(things.NIGHTS) for _ in range(3)]
    casting.reserve.keys.update(nights)
    night, *others = nights
    where = [place for place in shuffled(rng, casting.world.places)
             if not casting.reserve.closed(place, who)]  # fmt: skip
    events: list[Event] = [Stayed(who, where.pop(), night)]
    said, elsewhere = pick(rng, _WRONG)
    events += [Denied(Stayed(who, where.pop(), night)) for _ in range(said)]
    witnesses = casting.others(9, who)
    events += [
        Stayed(one, place, night)
        for one, place in zip(witnesses, shuffled(rng, where)[: between(rng, 0, 2)], strict=False)
        if not casting.reserve.closed(place, one)
    ]
    yield from _together(depth, [Happened(question.key, night), *shuffled(rng, events)])
    for other in others[:elsewhere]:
        happened = rng.random()
        yield happened, Happened(casting.key(things.CALAMITIES), other)
        yield happened + (1 - happened) * rng.random(), Stayed(who, where.pop(), other)


def _signatures(casting: Casting, question: Question, depth: float) -> Places:
    """The signatures in order, and some people who do not sign after all."""
    rng, count = casting.rng, question.times
    people = casting.others(count + between(rng, 0, 3))
    events: list[Event] = [Signed(who, question.key) for who in people[:count]]
    for other in people[count:]:
        events.insert(between(rng, 0, len(events)), Meant(Signed(other, question.key)))
    yield from _together(depth, events)


THREADS: dict[str, Callable[[Casting, Question, float], Places]] = {
    "total spent": _purchases,
    "dearest purchase": _purchases,
    "count of visits": _visits,
    "meeting": _meetings,
    "last owner": _handovers,
    "who told": _rumours,
    "whereabouts": _alibis,
    "order of signing": _signatures,
}
