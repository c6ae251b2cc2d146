"""What happens around each question: the evidence, and what is nearly the same but does not count.

A thread is events with their places in the book (0..1). The evidence of a question that filters
stands together at one depth; that of an aggregation is scattered over the rest of the book.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from scoring.synthetic.draws import between, shuffled
from scoring.synthetic.novel import things
from scoring.synthetic.novel.casting import Casting
from scoring.synthetic.novel.events import (
    Denied,
    Event,
    Gave,
    Happened,
    Meant,
    Met,
    Paid,
    Signed,
    Stayed,
    Told,
    Went,
)  # fmt: skip
from scoring.synthetic.novel.questions import Question
from scoring.synthetic.novel.world import Outfit, outfit, pick

Places = Iterator[tuple[float | None, Event]]  # without a place: wherever there is room

_CLUSTER = 0.12  # of the book: how far the evidence reaches that stands at one depth
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
    """A few for the asked person; others buy the same, and the same person something else."""
    rng, who, goods = casting.rng, question.who, question.key
    count = between(rng, 3, 5)
    prices = _prices(rng, goods, count + 3)
    dearest = max(range(len(prices)), key=lambda i: prices[i])
    prices.append(prices.pop(dearest))  # the dearest of all is somebody else's
    sellers = casting.others(count + 3, who)
    own = [
        _paid(casting, who, seller, goods, price)
        for seller, price in zip(sellers[:count], prices, strict=False)
    ]
    yield from _scattered(depth, own)
    buyers = [one for one in casting.others(9, sellers[count + 1]) if one != who]
    others = [
        _paid(casting, buyer, sellers[count + 1], goods, price)
        for buyer, price in zip(buyers, prices[-2:], strict=False)
    ]
    yield from _anywhere(others)
    yield None, Meant(_paid(casting, who, sellers[count], goods, prices[count]))


def _visits(casting: Casting, question: Question, depth: float) -> Places:
    rng, who, place = casting.rng, question.who, question.key
    yield from _scattered(depth, [Went(who, place)] * between(rng, 3, 6))
    guests = [one for one in casting.others(9, who) if not casting.reserve.closed(place, one)]
    yield from _anywhere([Went(guest, place) for guest in guests[:2]])
    yield None, Meant(Went(who, place))
    yield None, Denied(Went(who, place))


def _meetings(casting: Casting, question: Question, depth: float) -> Places:
    """One more meeting of the two than is asked for, and meetings of each with others."""
    rng, who, whom = casting.rng, question.who, question.whom
    outfits = _outfits(rng, question.nth + 3)
    meetings = [
        Met(who, whom, outfits.pop(), casting.place(who, whom)) for _ in range(question.nth + 1)
    ]
    yield from _together(depth, meetings)
    others = [
        Met(who, one, outfits.pop(), casting.place(who, one)) for one in casting.others(2, who)
    ]
    yield from _anywhere(others)
    (third,) = casting.others(1, whom)
    yield None, Met(third, whom, outfit(rng), casting.place(third, whom))


def _outfits(rng: Random, count: int) -> list[Outfit]:
    """Outfits that share neither colour nor garment."""
    colours, garments = shuffled(rng, things.COLOURS), shuffled(rng, things.GARMENTS)
    return [Outfit(*pair) for pair in zip(colours[:count], garments[:count], strict=True)]


def _handovers(casting: Casting, question: Question, depth: float) -> Places:
    chain = casting.chain(question.who, between(casting.rng, 4, 5))
    thing = question.key
    gave = [Gave(who, whom, thing) for who, whom in pairwise(chain)]
    last = casting.others(1, *chain)[0]
    yield from _together(depth, [*gave, Meant(Gave(chain[-1], last, thing))])


def _rumours(casting: Casting, question: Question, depth: float) -> Places:
    chain = casting.chain(question.who, 5)[::-1]
    told = [Told(who, whom, question.key) for who, whom in pairwise(chain)]
    yield from _together(depth, told)
    liar = casting.others(1, *chain)[0]
    yield depth + (1 - depth) * casting.rng.random(), Denied(Told(liar, question.who, question.key))


def _alibis(casting: Casting, question: Question, depth: float) -> Places:
    rng, who = casting.rng, question.who
    night, other = casting.key(things.NIGHTS), casting.key(things.NIGHTS)
    casting.reserve.keys.update((night, other))
    second = casting.key(things.CALAMITIES)
    where = [place for place in shuffled(rng, casting.world.places)
             if not casting.reserve.closed(place, who)]  # fmt: skip
    stay = Stayed(who, where[0], night)
    yield from _together(depth, [Happened(question.key, night), stay])
    elsewhere: list[Event] = [Stayed(who, where[1], other), Denied(Stayed(who, where[2], night))]
    witnesses = casting.others(9, who)
    others: list[Event] = [
        Stayed(one, place, night)
        for one, place in zip(witnesses, where[3:], strict=False)
        if not casting.reserve.closed(place, one)
    ]
    yield depth * rng.random(), Happened(second, other)
    for event in (*elsewhere, *others[:2]):
        yield depth + (1 - depth) * rng.random(), event


def _signatures(casting: Casting, question: Question, depth: float) -> Places:
    signers = casting.others(5)
    signed = [Signed(who, question.key) for who in signers[1:]]
    yield from _together(depth, [Meant(Signed(signers[0], question.key)), *signed])


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
