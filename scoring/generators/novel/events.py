"""What can happen in a world. People are keys of ``World.people``, all else keys of ``things``."""

from dataclasses import dataclass

from scoring.generators.novel.world import Outfit

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Paid:
    who: int
    seller: int
    goods: str
    quality: str
    crowns: int
    place: str


@dataclass(frozen=True, slots=True)
class Went:
    who: int
    place: str


@dataclass(frozen=True, slots=True)
class Met:
    who: int
    whom: int
    wearing: Outfit  # of the first
    place: str


@dataclass(frozen=True, slots=True)
class Gave:
    who: int
    whom: int
    thing: str
    had_from: int = NOBODY  # then it is described by its last owner, not by name


@dataclass(frozen=True, slots=True)
class Told:
    who: int
    whom: int
    secret: str


@dataclass(frozen=True, slots=True)
class Stayed:
    """Narrated in the pluperfect, so that it may come anywhere after that night."""

    who: int
    place: str
    night: str


@dataclass(frozen=True, slots=True)
class Happened:
    calamity: str
    night: str


@dataclass(frozen=True, slots=True)
class Signed:
    who: int
    petition: str


Fact = Paid | Went | Met | Gave | Told | Stayed | Happened | Signed


@dataclass(frozen=True, slots=True)
class Meant:
    """It was planned, but did not happen."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Denied:
    """It was rumoured to have happened, but had not."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Detail:
    """What a step of the main plot is about: keys of ``plot_things``, some of two words."""

    work: str  # the same throughout a book
    thing: str
    spot: str
    helper: str
    cause: str
    day: str
    coins: int
    coin: str  # the same throughout a book


@dataclass(frozen=True, slots=True)
class Beat:
    """A step of the main plot: its name, the people in the roles of that step, what it is about."""

    name: str
    roles: tuple[int, ...]
    detail: Detail


@dataclass(frozen=True, slots=True)
class Scene:
    """Any other scene of a novel; no question is about it."""

    kind: str  # of ``things.SCENES``
    people: tuple[int, ...]  # two of them
    place: str


Event = Fact | Meant | Denied | Beat | Scene


def people_of(event: Event) -> tuple[int, ...]:
    """Who takes part, so that no one appears together with a person they must not meet."""
    match event:
        case Meant(fact) | Denied(fact):
            return people_of(fact)
        case Paid(who, whom) | Met(who, whom) | Gave(who, whom) | Told(who, whom):
            return (who, whom)
        case Went(who) | Stayed(who) | Signed(who):
            return (who,)
        case Beat(_, people) | Scene(_, people):
            return people
    return ()
