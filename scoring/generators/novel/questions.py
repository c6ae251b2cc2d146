"""Questions about a list of events. Every answer is computed from the whole list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from scoring.generators.novel.events import (
    NOBODY,
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
)
from scoring.generators.novel.world import Outfit

Events = Sequence[Event]


@dataclass(frozen=True, slots=True)
class Crowns:
    amount: int


@dataclass(frozen=True, slots=True)
class Times:
    times: int


@dataclass(frozen=True, slots=True)
class Name:
    person: int


@dataclass(frozen=True, slots=True)
class Place:
    place: str


@dataclass(frozen=True, slots=True)
class Colour:
    colour: str


@dataclass(frozen=True, slots=True)
class Garment:
    garment: str


Value = Crowns | Times | Name | Place | Colour | Garment


@dataclass(frozen=True, slots=True)
class Question:
    kind: str  # of ``KINDS``
    who: int = NOBODY
    whom: int = NOBODY
    key: str = (
        ""  # of goods, a place, a thing, a secret, a calamity or a petition; “colour” or “garment”
    )
    nth: int = 0
    times: int = 0  # that there are in all, of which the nth is asked for


class Kind(NamedTuple):
    evidence: Callable[[Question, Events], list[int]]  # places in the list, as a reader needs them
    value: Callable[[Question, Events], Value]
    rivals: Callable[[Question, Events], list[Value]]  # plausible and wrong, the hardest first


def evidence(question: Question, events: Events) -> list[int]:
    """The places in the list of exactly the events that give the answer."""
    return KINDS[question.kind].evidence(question, events)


def answer(question: Question, events: Events) -> Value:
    """What is asked for, from the whole list. Raises ``LookupError`` where it never happened."""
    return KINDS[question.kind].value(question, events)


def rivals(question: Question, events: Events) -> list[Value]:
    """Different wrong answers, at least three: other people's, other times', parts of the sum."""
    right = answer(question, events)
    return [value for value in dict.fromkeys(KINDS[question.kind].rivals(question, events))
            if value != right]  # fmt: skip


# How much in total; who sold the dearest


def _payments(question: Question, events: Events) -> list[int]:
    return [
        place
        for place, event in enumerate(events)
        if isinstance(event, Paid) and (event.who, event.goods) == (question.who, question.key)
    ]


def _paid(question: Question, events: Events) -> list[Paid]:
    return [
        event for place in _payments(question, events) if isinstance(event := events[place], Paid)
    ]


def _total(question: Question, events: Events) -> Value:
    return Crowns(sum(paid.crowns for paid in _paid(question, events)))


def _other_totals(question: Question, events: Events) -> list[Value]:
    """The sum with what was meant only or bought by others, or without one of the payments."""
    total = sum(paid.crowns for paid in _paid(question, events))
    more = [
        paid.crowns
        for event in events
        if isinstance(paid := _fact(event), Paid)
        and paid.goods == question.key
        and (isinstance(event, Meant | Denied) or paid.who != question.who)
    ]
    less = [paid.crowns for paid in _paid(question, events)]
    either = zip_longest(more, less, fillvalue=0)
    return [Crowns(amount) for up, down in either for amount in (total + up, total - down)]


def _dearest(question: Question, events: Events) -> Value:
    return Name(max(_paid(question, events), key=lambda paid: paid.crowns).seller)


def _other_sellers(question: Question, events: Events) -> list[Value]:
    own: list[Value] = [Name(paid.seller) for paid in _paid(question, events)]
    others: list[Value] = [
        Name(paid.seller)
        for event in events
        if isinstance(paid := _fact(event), Paid) and paid.goods == question.key
    ]
    return own + others


def _fact(event: Event) -> Event:
    """What happened, or was meant or said to."""
    return event.fact if isinstance(event, Meant | Denied) else event


# How many times


def _visits(question: Question, events: Events) -> list[int]:
    return [i for i, event in enumerate(events) if event == Went(question.who, question.key)]


def _count(question: Question, events: Events) -> Value:
    return Times(len(_visits(question, events)))


def _other_counts(question: Question, events: Events) -> list[Value]:
    count = len(_visits(question, events))
    return [Times(other) for other in range(1, count + 4) if other != count]


# The nth meeting


def _meetings(question: Question, events: Events) -> list[int]:
    return [
        place
        for place, event in enumerate(events)
        if isinstance(event, Met) and (event.who, event.whom) == (question.who, question.whom)
    ][: question.nth]


def _outfit(question: Question, events: Events) -> Value:
    meeting = events[_meetings(question, events)[question.nth - 1]]
    if not isinstance(meeting, Met):
        raise LookupError
    return _worn(question, meeting.wearing)


def _other_outfits(question: Question, events: Events) -> list[Value]:
    """What they wore at other meetings of the two; then of the first with others."""
    met = [event for event in events if isinstance(event, Met)]
    pair: list[Value] = [
        _worn(question, event.wearing)
        for event in met
        if (event.who, event.whom) == (question.who, question.whom)
    ]
    return pair + [_worn(question, event.wearing) for event in met if event.who == question.who]


def _worn(question: Question, outfit: Outfit) -> Value:
    return Colour(outfit.colour) if question.key == "colour" else Garment(outfit.garment)


# Who had it at the end


def _handovers(question: Question, events: Events) -> list[int]:
    return [i for i, event in enumerate(events)
            if isinstance(event, Gave) and event.thing == question.key]  # fmt: skip


def _given(question: Question, events: Events) -> list[Gave]:
    return [event for i in _handovers(question, events) if isinstance(event := events[i], Gave)]


def _owner(question: Question, events: Events) -> Value:
    return Name(_given(question, events)[-1].whom)


def _other_owners(question: Question, events: Events) -> list[Value]:
    """Who had this one before, and who else a thing that is not called by its name; then others."""
    gifts = [gave for event in reversed(events) if isinstance(gave := _fact(event), Gave)]
    before = [gave.who for gave in gifts if gave.thing == question.key]
    others = [gave.whom for gave in gifts if gave.had_from != NOBODY]
    mixed = [one for pair in zip_longest(others, before) for one in pair if one is not None]
    rest = [person for gave in gifts for person in (gave.whom, gave.who)]
    return [Name(person) for person in (*mixed, *rest)]


# Who was the source of the source


def _source(hearer: int, secret: str, events: Events) -> int:
    for place, event in enumerate(events):
        if isinstance(event, Told) and (event.whom, event.secret) == (hearer, secret):
            return place
    raise LookupError


def _chain(question: Question, events: Events) -> list[int]:
    """The two last steps by which the asked person heard of it, backwards."""
    last = _source(question.who, question.key, events)
    event = events[last]
    if not isinstance(event, Told):
        raise LookupError
    return [last, _source(event.who, question.key, events)]


def _teller(question: Question, events: Events) -> Value:
    event = events[_chain(question, events)[-1]]
    if not isinstance(event, Told):
        raise LookupError
    return Name(event.who)


def _other_tellers(question: Question, events: Events) -> list[Value]:
    facts = [fact for event in events
            if isinstance(fact := _fact(event), Told) and fact.secret == question.key]  # fmt: skip
    names = [person for fact in facts for person in (fact.who, fact.whom)]
    return [Name(person) for person in names if person != question.who]


# Where a person was when something happened


def _night(question: Question, events: Events) -> int:
    for place, event in enumerate(events):
        if isinstance(event, Happened) and event.calamity == question.key:
            return place
    raise LookupError


def _alibi(question: Question, events: Events) -> list[int]:
    first = _night(question, events)
    happened = events[first]
    for place, event in enumerate(events):
        at_night = isinstance(event, Stayed) and event.who == question.who and event.night
        if isinstance(happened, Happened) and at_night == happened.night:
            return [first, place]
    raise LookupError


def _whereabouts(question: Question, events: Events) -> Value:
    stayed = events[_alibi(question, events)[1]]
    if not isinstance(stayed, Stayed):
        raise LookupError
    return Place(stayed.place)


def _other_whereabouts(question: Question, events: Events) -> list[Value]:
    """Where they were on other nights, or were said to be, and others on that night."""
    stays = [stay for event in events if isinstance(stay := _fact(event), Stayed)]
    own: list[Value] = [Place(event.place) for event in stays if event.who == question.who]
    return own + [Place(event.place) for event in stays]


# Who was the nth


def _signatures(question: Question, events: Events) -> list[int]:
    signed = [i for i, event in enumerate(events)
              if isinstance(event, Signed) and event.petition == question.key]  # fmt: skip
    return signed[: question.nth]


def _signer(question: Question, events: Events) -> Value:
    signed = events[_signatures(question, events)[question.nth - 1]]
    if not isinstance(signed, Signed):
        raise LookupError
    return Name(signed.who)


def _other_signers(question: Question, events: Events) -> list[Value]:
    facts = [_fact(event) for event in events]
    return [Name(fact.who) for fact in facts
            if isinstance(fact, Signed) and fact.petition == question.key]  # fmt: skip


KINDS: dict[str, Kind] = {
    "total spent": Kind(_payments, _total, _other_totals),
    "meeting": Kind(_meetings, _outfit, _other_outfits),
    "count of visits": Kind(_visits, _count, _other_counts),
    "last owner": Kind(_handovers, _owner, _other_owners),
    "whereabouts": Kind(_alibi, _whereabouts, _other_whereabouts),
    "dearest purchase": Kind(_payments, _dearest, _other_sellers),
    "who told": Kind(_chain, _teller, _other_tellers),
    "order of signing": Kind(_signatures, _signer, _other_signers),
}
