"""En.Dia: follow the facts about people, from those that the masked speaker states to a name.

A play states facts about its people by the predicates that it is written with (“carries the …”,
“works as a …”). Two of them in one speech are about one person; one with a name before it, or said
of “I”, is about that person.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from scoring.baseline.truncation import VisiblePrompt
from scoring.generators.dialogue.phrases import TRAITS

MASK = "$$MASK$$"

_PREDICATES = sorted(
    {form for trait in TRAITS.values() for forms in trait.forms for form in forms}, key=len
)
_FACT = rf"(?:{'|'.join(reversed(_PREDICATES))}) "
_NAME = r"[A-Z][a-z]{2,}|[A-Z]{3,}"
# A fact, optionally after the person it is about; it ends at the next one, or at a full stop.
_STATED = re.compile(
    rf"(?:\b(?P<who>I|{_NAME})(?:,? who)? )?\b{_FACT}(?P<thing>.*?)(?= {_FACT}|[.,;:?!)]|$)"
)
_TITLE = re.compile(r"play [“\"](.+?)[”\"]")
_SPEAKER = re.compile(rf"({_NAME}|\$\$MASK\$\$)(?: \([^)]*\))?: ")
_CAST = re.compile(r"^Persons of the play: (.+)\.", re.MULTILINE)
_LABEL = re.compile(r"^\(?([A-Z]{3,})\b", re.MULTILINE)


class Said(NamedTuple):
    """The facts in a line that are about one person."""

    who: str  # in capital letters; empty: the person is not named
    things: frozenset[str]


def masked_speaker(prompt: VisiblePrompt) -> str:
    """The name behind the mask, or that of a person who is not on stage with it."""
    scenes = _scenes(prompt)
    said = [one for scene in scenes for line in scene.split("\n") for one in _facts(line)]
    known = {thing for one in said if one.who == MASK for thing in one.things}
    others = [one for one in said if one.who != MASK]
    names = [one.who for one in others if one.who and one.things & _linked(known, others)]
    return names[0].title() if names else _guess(scenes)


def _linked(known: Collection[str], said: Sequence[Said]) -> set[str]:
    """These facts and all others about the same person, directly or via other facts."""
    linked: set[str] = set()
    more = set(known)
    while more:
        linked |= more
        more = {thing for one in said if one.things & linked for thing in one.things} - linked
    return linked


def _scenes(prompt: VisiblePrompt) -> list[str]:
    """The scenes of the play in the question, or all scenes if it names none."""
    title = _TITLE.search(prompt.question)
    scenes = prompt.text.split("\n\n")
    opening = (f"{title[1]}, ", f"{title[1]}. ") if title else ("",)
    if not any(scene.startswith(opening) for scene in scenes):
        return scenes  # only the decisive lines, without titles
    return [scene for scene in scenes if scene.startswith(opening) or MASK in scene]


def _facts(line: str) -> Iterator[Said]:
    """For each person that a line speaks about, with or without a name."""
    speaker = _SPEAKER.match(line)
    facts: dict[str, set[str]] = {}
    for found in _STATED.finditer(line):
        who = (found["who"] or "").upper()
        if who == "I":
            who = speaker[1] if speaker else ""
        facts.setdefault(who, set()).add(found["thing"].strip())
    for who, things in facts.items():
        yield Said(who, frozenset(things))


def _guess(scenes: Sequence[str]) -> str:
    """One of the people of the play, otherwise of all who speak, but nobody on stage."""
    listed = [
        name for scene in scenes for cast in _CAST.findall(scene) for name in cast.split(", ")
    ]
    people: list[str] = listed or [name for scene in scenes for name in _LABEL.findall(scene)]
    staged = (scene.partition("On stage: ")[2] for scene in scenes if MASK in scene)
    here = {name for stage in staged for name in stage.partition(".")[0].split(", ")}
    away = [name for name in people if name not in here]
    return (away or people or ["I cannot tell who it is."])[0].capitalize()
