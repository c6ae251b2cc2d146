"""Read a context of plays to find the masked speaker.

It knows what the generator can say of people, but not who they are.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scoring.generators.dialogue.phrases import TRAITS

MASK = "$$MASK$$"
VALUES = sorted((value for trait in TRAITS.values() for value in trait.values), key=len)
VALUE = re.compile(rf"\b(?:{'|'.join(map(re.escape, reversed(VALUES)))})\b")
SPEECH = re.compile(r"([A-Z]+|\$\$MASK\$\$)(?: \([^)]*\))?: (.+)")


class Stated(NamedTuple):
    """Values stated together about one person, with the name if the statement gives one."""

    name: str | None
    values: frozenset[str]


def scenes(context: str, title: str) -> list[list[str]]:
    found = (scene.splitlines() for scene in context.split("\n\n"))
    return [scene for scene in found if scene and scene[0].startswith(f"{title}, Act ")]


def title_of(question: str) -> str:
    return str(re.findall("of the play “(.+)”, wherever", question)[0])


def cast_of(play: list[list[str]]) -> list[str]:
    (persons,) = (line for scene in play for line in scene if line.startswith("Persons of"))
    return persons.removesuffix(".").split(": ")[1].split(", ")


def facts_in(scene: list[str], cast: list[str]) -> Iterator[Stated]:
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
        yield Stated(name, frozenset(value[0] for value in values))


def names_found(context: str, question: str) -> set[str]:
    """Every name that can be reached from the masked speaker through the facts of the play."""
    play = scenes(context, title_of(question))
    cast = cast_of(play)
    facts = [fact for scene in play for fact in facts_in(scene, cast)]
    known = {value for fact in facts if fact.name == MASK for value in fact.values}
    return names_of(known, [fact for fact in facts if fact.name != MASK])


def names_of(known: set[str], facts: list[Stated]) -> set[str]:
    while more := {v for fact in facts if fact.values & known for v in fact.values} - known:
        known = known | more
    return {fact.name for fact in facts if fact.name and fact.values & known}
