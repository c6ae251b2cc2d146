"""Which other events may be narrated without changing the answer to any question."""

from dataclasses import dataclass, field

from scoring.generators.novel.events import (  # fmt: skip
    Beat,
    Denied,
    Event,
    Gave,
    Happened,
    Meant,
    Met,
    Paid,
    Scene,
    Signed,
    Stayed,
    Told,
    Went,
    people_of,
)


@dataclass(frozen=True, slots=True)
class Reserve:
    """What is asked about, and so happens as planned and never besides."""

    pairs: set[frozenset[int]] = field(default_factory=set)  # they meet only as planned
    visits: set[tuple[int, str]] = field(default_factory=set)  # a person, and a place
    wares: set[tuple[int, str]] = field(default_factory=set)  # a buyer, and goods
    gifts: set[tuple[int, int]] = field(default_factory=set)  # a giver, and who gets it
    sales: set[tuple[int, int]] = field(default_factory=set)  # a seller and a buyer
    keys: set[str] = field(default_factory=set)  # things, secrets, petitions, nights, calamities

    def allows(self, event: Event) -> bool:
        """Whether the event can be narrated anywhere without changing an answer."""
        if isinstance(event, Meant | Denied):  # it did not happen; but keeps its people apart
            return not self.parts(*people_of(event)) and not self._keeps(event.fact)
        return (
            not self.parts(*people_of(event))
            and not self._closes(event)
            and not self._keeps(event)
            and not (
                isinstance(event, Paid)
                and (
                    (event.who, event.goods) in self.wares
                    or (event.seller, event.who) in self.gifts
                )
            )
        )

    def parts(self, *people: int) -> bool:
        """Whether two of them must not be seen together."""
        return len(people) > 1 and any(pair <= set(people) for pair in self.pairs)

    def closed(self, place: str, *people: int) -> bool:
        """Whether one of them must not be seen there."""
        return any((person, place) in self.visits for person in people)

    def _closes(self, event: Event) -> bool:
        match event:
            case Paid() | Went() | Met() | Stayed() | Scene():
                return self.closed(event.place, *people_of(event))
        return False

    def _keeps(self, event: Event) -> bool:
        match event:
            case Gave():
                return event.thing in self.keys or (event.who, event.whom) in self.gifts
            case Told():
                return event.secret in self.keys
            case Signed():
                return event.petition in self.keys
            case Stayed() | Happened():
                return event.night in self.keys
            case Beat():
                return True
        return False
