"""En.Dia: follow the facts about people from those the masked speaker states to a name.

A play states facts about its people in a few ways (“carries the …”, “works as a …”). Two of them in
one speech are about one person; one with a name, or said by “I”, is about that person.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from scoring.baseline.truncation import VisiblePrompt

MASK = "$$MASK$$"

_TITLE = re.compile(r"play [“\"](.+?)[”\"]")
_FACT = (
    r"(?:carr(?:ies|y) the|always travels? with the|lodges?|ha(?:s|ve) a room|"
    r"earns? a living as a|works? as a|(?:came back|returned last spring) from|"
    r"ha(?:s|ve) lost touch with a|ha(?:s|ve) a|once|long ago|(?:still )?owes?|"
    r"(?:is|am) (?:afraid|frightened) of) "
)
_HAS = re.compile(rf"(?P<me>\bI )?\b{_FACT}")  # a fact about a person, also by themselves
_OWNER = re.compile(rf"(?<!from )\b([A-Z][a-z]{{2,}}|[A-Z]{{3,}})(?:,? who)? (?={_FACT})")
_STOP = re.compile(r"[.,;:?!)]| also\b")
_WHO = re.compile(r"(?:,? who)? ?\Z", re.IGNORECASE)
_LEADS = 80  # characters before a fact in which its name is
_SPEAKER = re.compile(r"([A-Z][A-Z' -]+|\$\$MASK\$\$)(?: \([^)]*\))?: ")
_CAST = re.compile(r"^Persons of the play: (.+)\.", re.MULTILINE)
_WORD = re.compile(r"\b\w")
_LABEL = re.compile(r"^\(?([A-Z][A-Z' -]{2,})\b", re.MULTILINE)


class Said(NamedTuple):
    things: tuple[str, ...]  # facts of one line without a name
    whose: tuple[tuple[str, str], ...]  # facts of that line with a name, and the name


def masked_speaker(prompt: VisiblePrompt) -> str:
    """The name behind the mask, or that of a person who is not on stage with it."""
    scenes = _scenes(prompt)
    people = _people(scenes)
    said = [fact for scene in scenes for fact in _facts(scene, people)]
    known = {thing for scene in scenes for thing in _of_the_mask(scene)}
    linked = _linked(known, said)
    names = [name for fact in said for thing, name in fact.whose if thing in linked]
    return names[0].title() if names else _guess(scenes, people)


def _linked(known: Collection[str], said: Sequence[Said]) -> set[str]:
    """These facts and all others about the same person, directly or through other facts."""
    related: defaultdict[str, set[str]] = defaultdict(set)
    for fact in said:
        for one, other in pairwise(fact.things):
            related[one].add(other)
            related[other].add(one)
    linked, waiting = set(known), list(known)
    while waiting:
        fresh = related[waiting.pop()] - linked
        linked |= fresh
        waiting += fresh
    return linked


def _scenes(prompt: VisiblePrompt) -> list[str]:
    """The scenes of the play in the question, or all where it names none."""
    title = _TITLE.search(prompt.question)
    scenes = prompt.text.split("\n\n")
    if not title:
        return scenes
    opening = (f"{title[1]}, ", f"{title[1]}. ")
    of_play = [scene for scene in scenes if scene.startswith(opening)]
    if not of_play:  # nothing but the lines that decide: there are no titles
        return scenes
    return [scene for scene in scenes if scene.startswith(opening) or MASK in scene]


def _people(scenes: Sequence[str]) -> list[str]:
    """All people of the play, in capital letters."""
    listed = [
        name for scene in scenes for cast in _CAST.findall(scene) for name in cast.split(", ")
    ]
    seen = [name for scene in scenes for name in _LABEL.findall(scene)]
    # Without a list of them, whoever a fact is stated of is one.
    of_facts = [] if listed else [one.upper() for scene in scenes for one in _OWNER.findall(scene)]
    return list(dict.fromkeys([*listed, *seen, *of_facts]))


def _facts(scene: str, people: Sequence[str]) -> Iterator[Said]:
    """The lines with two facts about one person, or one fact with a name."""
    names = {name.upper(): name for name in people}
    for line in scene.split("\n"):
        if line.startswith(MASK):
            continue
        speaker = _SPEAKER.match(line)
        said = [(thing, _who(speaker, match, names)) for thing, match in _things(line)]
        things = tuple(thing for thing, name in said if not name)
        whose = tuple((thing, name) for thing, name in said if name)
        if len(things) > 1 or whose:
            yield Said(things, whose)


def _of_the_mask(scene: str) -> Iterator[str]:
    for line in scene.split("\n"):
        if line.startswith(MASK):
            yield from (thing for thing, match in _things(line) if match["me"])


def _things(line: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The facts of a line, each with the match of the words that introduce it."""
    found = list(_HAS.finditer(line))
    for match, following in zip(found, [*found[1:], None], strict=False):
        end = following.start() if following else len(line)
        stop = _STOP.search(line, match.end(), end)
        yield line[match.end() : stop.start() if stop else end].strip(), match


def _who(
    speaker: re.Match[str] | None, match: re.Match[str], names: Mapping[str, str]
) -> str | None:
    """The speaker who says “I”, or the name before the fact."""
    if match["me"]:
        return speaker[1] if speaker and speaker[1] != MASK else None
    begin = max(speaker.end() if speaker else 0, match.start() - _LEADS)
    before = _WHO.sub("", match.string[begin : match.start()], count=1).upper()
    ends = (before[word.start() :] for word in _WORD.finditer(before))
    return next((names[end] for end in ends if end in names), None)


def _guess(scenes: Sequence[str], people: Sequence[str]) -> str:
    for scene in scenes:
        _, found, stage = scene.partition("On stage: ")
        if found and MASK in scene:
            here = set(stage.partition(".)")[0].split(", "))
            away = [name for name in people if name not in here]
            return (away or people or ["nobody"])[0].title()
    return people[0].title() if people else "I cannot tell who it is."
