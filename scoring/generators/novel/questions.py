"""Questions about a list of events. Every answer is computed from the whole list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.generators.novel.events import NONE, Event

Events = Sequence[Event]


@dataclass(frozen=True, slots=True)
class Value:
    """An answer: a number, or the place of a word or person in a table."""

    table: str  # "number", "people", "places", "colours" or "garments"
    value: int


@dataclass(frozen=True, slots=True)
class Question:
    kind: str  # of ``KINDS``
    key: int
    who: int = NONE
    whom: int = NONE
    nth: int = 0
    part: str = ""  # of the clothes
    rank: int = 0  # of the right count among four in a row


class Kind(NamedTuple):
    about: str  # the kind of event
    evidence: Callable[[Question, Events], list[int]]  # places in the list, as a reader needs them
    value: Callable[[Question, list[Event]], Value]  # from the evidence
    rivals: Callable[[Question, Events], list[Value]]  # plausible and wrong


def evidence(question: Question, events: Events) -> list[int]:
    """The places in the list of exactly the events that give the answer."""
    return KINDS[question.kind].evidence(question, events)


def answer(question: Question, events: Events) -> Value:
    """What is asked for, from the whole list. Raises ``LookupError`` where it never happened."""
    kind = KINDS[question.kind]
    return kind.value(question, [events[place] for place in kind.evidence(question, events)])


def rivals(question: Question, events: Events) -> list[Value]:
    """Different wrong answers: other people's, other times'."""
    right = answer(question, events)
    found = dict.fromkeys(KINDS[question.kind].rivals(question, events))
    return [value for value in found if value != right]


def _real(events: Events, kind: str, **fields: int) -> list[int]:
    return [
        place
        for place, event in enumerate(events)
        if event.kind == kind
        and event.real
        and all(getattr(event, name) == value for name, value in fields.items())
    ]


def _all_of(question: Question, events: Events) -> list[int]:
    """What the asked person did, and what others did with which it is compared."""
    kind = KINDS[question.kind].about
    own = _real(events, kind, who=question.who, key=question.key)
    sources = [events[place].source for place in own]
    return own + [place for one in sources if one != NONE for place in _real(events, kind, who=one)]


def _own(question: Question, found: list[Event]) -> list[Event]:
    return [event for event in found if event.who == question.who]


def _meetings(question: Question, events: Events) -> list[int]:
    met = _real(events, "met", who=question.who, whom=question.whom)
    return met[: question.nth]


def _handovers(question: Question, events: Events) -> list[int]:
    return _real(events, "gave", key=question.key)


def _tellings(question: Question, events: Events) -> list[int]:
    """The way of the secret to the asked person, from whoever is said to know it."""
    told = {events[place].whom: place for place in _real(events, "told", key=question.key)}
    way: list[int] = []
    hearer = question.who
    while hearer in told:
        way.insert(0, told[hearer])
        hearer = events[told[hearer]].who
    return way


def _night(question: Question, events: Events) -> list[int]:
    (happened,) = _real(events, "happened", woe=question.key)
    night = events[happened].key
    (stayed,) = _real(events, "stayed", who=question.who, key=night)
    source = events[stayed].source
    return [
        happened,
        stayed,
        *(_real(events, "stayed", who=source, key=night) if source != NONE else ()),
    ]


def _signatures(question: Question, events: Events) -> list[int]:
    return _real(events, "signed", key=question.key)[: question.nth]


def _worn(question: Question, event: Event) -> Value:
    return Value(f"{question.part}s", int(getattr(event, question.part)))


def _people(field: str, *more: str) -> Callable[[Question, Events], list[Value]]:
    """Whoever was in this role of an event about the same subject, real or not; then of others."""

    def rivals(question: Question, events: Events) -> list[Value]:
        kind = KINDS[question.kind].about
        near = [one for one in events if one.kind == kind and one.key == question.key]
        found = [getattr(one, name) for name in (field, *more) for one in near]
        found += [getattr(one, field) for one in events if one.kind == kind]
        return [Value("people", person) for person in found if person not in (question.who, NONE)]

    return rivals


def _tellers(question: Question, events: Events) -> list[Value]:
    """Who passed it on; then whoever heard it."""
    passed = [events[place].who for place in _tellings(question, events)]
    heard = [one.whom for one in events if one.kind == "told" and one.key == question.key]
    return [Value("people", person) for person in [*passed, *heard] if person != question.who]


def _outfits(question: Question, events: Events) -> list[Value]:
    met = [one for one in events if one.kind == "met"]
    own = [one for one in met if (one.who, one.whom) == (question.who, question.whom)]
    return [_worn(question, one) for one in [*own, *met]]


def _beds(question: Question, events: Events) -> list[Value]:
    stays = [one for one in events if one.kind == "stayed"]
    own = [one for one in stays if one.who == question.who]
    return [Value("places", one.place) for one in [*own, *stays]]


KINDS: dict[str, Kind] = {
    "total spent": Kind(
        "paid",
        _all_of,
        lambda asked, paid: Value("number", sum(one.price for one in _own(asked, paid))),
        lambda _, __: [],  # wrong numbers are made from the right one
    ),
    "meeting": Kind(
        "met", _meetings, lambda asked, met: _worn(asked, met[asked.nth - 1]), _outfits
    ),
    "count of visits": Kind(
        "went",
        _all_of,
        lambda asked, went: Value("number", len(_own(asked, went))),
        lambda _, __: [],
    ),
    "last owner": Kind(
        "gave", _handovers, lambda _, gave: Value("people", gave[-1].whom), _people("whom", "who")
    ),
    "whereabouts": Kind("stayed", _night, lambda _, both: Value("places", both[1].place), _beds),
    "dearest purchase": Kind(
        "paid",
        _all_of,
        lambda asked, paid: Value("people", max(_own(asked, paid), key=lambda one: one.price).whom),
        _people("whom"),
    ),
    "who told": Kind("told", _tellings, lambda _, told: Value("people", told[-2].who), _tellers),
    "order of signing": Kind(
        "signed",
        _signatures,
        lambda asked, signed: Value("people", signed[asked.nth - 1].who),
        _people("who"),
    ),
}
AGGREGATE = frozenset({"total spent", "dearest purchase", "count of visits"})  # all over the book
