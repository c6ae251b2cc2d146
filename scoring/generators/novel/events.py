"""What can happen in a world. People are places in ``World.people``, all else in tables."""

from dataclasses import dataclass

NONE = -1


@dataclass(frozen=True, slots=True)
class Event:
    """``kind`` says what the rest means.

    - paid: ``who`` bought ``key`` (goods) of ``whom`` at ``place``, for ``price``, not ``asked``
    - went: ``who`` went to ``key`` (a place)
    - met: ``who``, dressed in ``colour`` and ``garment``, met ``whom`` at ``place``
    - gave: ``who`` gave ``key`` (a thing) to ``whom``
    - told: ``who`` told ``whom`` of ``key`` (a secret)
    - happened: ``woe`` befell the town in the night ``key``
    - stayed: ``who`` spent the night ``key`` at ``place``
    - signed: ``who`` signed ``key`` (a petition)
    """

    kind: str
    key: int
    who: int = NONE
    whom: int = NONE
    place: int = NONE
    price: int = 0
    asked: int = 0
    quality: int = NONE
    colour: int = NONE
    garment: int = NONE
    woe: int = NONE
    source: int = NONE  # then ``key``, or where one stayed, is called what this person had, or did
    real: bool = True  # or it was only meant, or said

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(person for person in (self.who, self.whom) if person != NONE)


@dataclass(frozen=True, slots=True)
class Beat:
    """A step of the main plot: stage and way, the people in its roles, the words of its details."""

    stage: str
    way: int
    roles: tuple[int, ...]
    details: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """Any other scene of a novel; no question is about it, or about its people."""

    kind: str
    people: tuple[int, int]
    place: int
