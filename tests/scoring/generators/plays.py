"""Read a context of plays as somebody would who looks for the masked speaker.

Of the generator it knows the things that can be said of people, and nothing of who they are.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scoring.generators.dialogue.traits import TRAITS

MASK = "$$MASK$$"
VALUES = sorted((value for trait in TRAITS.values() for value in trait.values), key=len)
VALUE = re.compile(rf"\b(?:{'|'.join(map(re.escape, reversed(VALUES)))})\b")
SPEECH = re.compile(r"([A-Z]+|\$\$MASK\$\$)(?: \([^)]*\))?: (.+)")


class Told(NamedTuple):
    """One thing said of one person: of somebody with a name, or of whoever another is said of."""

    name: str | None
    values: frozenset[str]


def scenes(context: str, title: str) -> list[list[str]]:
    found = (scene.splitlines() for scene in context.split("\n\n"))
    return [scene for scene in found if scene and scene[0].startswith(f"{title}, Act ")]


def title_of(question: str) -> str:
    return str(re.findall("of the play “(.+)” the name", question)[0])


def cast_of(play: list[list[str]]) -> list[str]:
    (persons,) = (line for scene in play for line in scene if line.startswith("Persons of"))
    return persons.removesuffix(".").split(": ")[1].split(", ")


def told_in(scene: list[str], cast: list[str]) -> Iterator[Told]:
    names = "|".join([*cast, *(name.capitalize() for name in cast), re.escape(MASK)])
    said_of = re.compile(rf"(?<!\w)(I|{names})(?:,? who)?(?: [a-z]+){{1,6}} \Z")
    for line in scene:
        values = list(VALUE.finditer(line))
        if not values:
            continue
        spoken = SPEECH.fullmatch(line)
        subject = said_of.search(line[: values[0].start()])
        name = subject[1].upper() if subject else None
        if spoken and name == "I":
            name = spoken[1]
        yield Told(name, frozenset(value[0] for value in values))


def names_found(context: str, question: str) -> set[str]:
    """Every name that any way through the facts of the play leads to from the masked speaker."""
    play = scenes(context, title_of(question))
    cast = cast_of(play)
    facts = [told for scene in play for told in told_in(scene, cast)]
    known = {value for told in facts if told.name == MASK for value in told.values}
    return names_of(known, [told for told in facts if told.name != MASK])


def names_of(known: set[str], facts: list[Told]) -> set[str]:
    while more := {v for told in facts if told.values & known for v in told.values} - known:
        known = known | more
    return {told.name for told in facts if told.name and told.values & known}
