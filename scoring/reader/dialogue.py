"""En.Dia: follow what is said of people from what the masked one says to a name.

A play tells things of its people in a few ways (“carries the …”, “works as a …”). Two of them in
one speech belong to one person; one of them with a name, or said by “I”, is that person's.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.reader.cut import Page

MASK = "$$MASK$$"

_TITLE = re.compile(r"play [“\"](.+?)[”\"]")
_HAS = re.compile(  # what is said of somebody, or by themselves
    r"(?P<me>\bI )?\b(?:carr(?:ies|y) the|always travels? with the|lodges?|ha(?:s|ve) a room|"
    r"earns? a living as a|works? as a|(?:came back|returned last spring) from|"
    r"ha(?:s|ve) lost touch with a|ha(?:s|ve) a|once|years ago|(?:still )?owes?|"
    r"(?:is|am) (?:afraid|frightened) of) "
)
_STOP = re.compile(r"[.,;:?!)]| also\b|$")
_SPEAKER = re.compile(r"([A-Z][A-Z' -]+|\$\$MASK\$\$)(?: \([^)]*\))?: ")
_CAST = re.compile(r"Persons of the play: (.+)\.")
_ON_STAGE = re.compile(r"On stage: (.+)\.\)")
_LABEL = re.compile(r"^\(?([A-Z][A-Z' -]{2,})\b", re.MULTILINE)


class Said(NamedTuple):
    things: tuple[str, ...]  # that one line says of somebody without a name
    whose: tuple[tuple[str, str], ...]  # that it says of somebody with one, and the name


def masked_speaker(page: Page) -> str:
    """The name behind the mask, or that of somebody who is not on the stage with it."""
    scenes = _scenes(page)
    people = _people(scenes)
    said = [fact for scene in scenes for fact in _facts(scene, people)]
    known = {thing for scene in scenes for thing in _of_the_mask(scene)}
    for _ in range(len(said)):
        linked = {thing for fact in said for thing in fact.things if known & set(fact.things)}
        if linked <= known:
            break
        known |= linked
    names = [name for fact in said for thing, name in fact.whose if thing in known]
    return names[0].title() if names else _guess(scenes, people)


def _scenes(page: Page) -> list[str]:
    """The scenes of the play that is asked for, or all where the question names none."""
    title = _TITLE.search(page.question)
    scenes = page.text.split("\n\n")
    if not title:
        return scenes
    opening = (f"{title[1]}, ", f"{title[1]}. ")
    return [scene for scene in scenes if scene.startswith(opening) or MASK in scene]


def _people(scenes: Sequence[str]) -> list[str]:
    """Everybody in the play, in capital letters."""
    listed = [
        name for scene in scenes for cast in _CAST.findall(scene) for name in cast.split(", ")
    ]
    seen = [name for scene in scenes for name in _LABEL.findall(scene)]
    return list(dict.fromkeys([*listed, *seen]))


def _facts(scene: str, people: Sequence[str]) -> Iterator[Said]:
    """The lines that say two things of one person, or one thing with a name."""
    for line in scene.split("\n"):
        if line.startswith(MASK):
            continue
        said = [(thing, _who(line, match, people)) for thing, match in _things(line)]
        things = tuple(thing for thing, name in said if not name)
        whose = tuple((thing, name) for thing, name in said if name)
        if len(things) > 1 or whose:
            yield Said(things, whose)


def _of_the_mask(scene: str) -> Iterator[str]:
    for line in scene.split("\n"):
        if line.startswith(MASK):
            yield from (thing for thing, match in _things(line) if match["me"])


def _things(line: str) -> Iterator[tuple[str, re.Match[str]]]:
    """What a line says of somebody, each with the words that lead up to it."""
    found = list(_HAS.finditer(line))
    for match, following in zip(found, [*found[1:], None], strict=False):
        stop = _STOP.search(line, match.end())
        end = min(
            stop.start() if stop else len(line), following.start() if following else len(line)
        )
        yield line[match.end() : end].strip(), match


def _who(line: str, match: re.Match[str], people: Sequence[str]) -> str | None:
    """The speaker who says “I”, or the name that stands before what is said."""
    speaker = _SPEAKER.match(line)
    if match["me"]:
        return speaker[1] if speaker and speaker[1] != MASK else None
    before = line[speaker.end() if speaker else 0 : match.start()]
    for name in people:
        if re.search(rf"\b{re.escape(name)}(?:, who| who)? ?$", before, re.IGNORECASE):
            return name
    return None


def _guess(scenes: Sequence[str], people: Sequence[str]) -> str:
    for scene in scenes:
        stage = _ON_STAGE.search(scene)
        if stage and MASK in scene:
            away = [name for name in people if name not in stage[1].split(", ")]
            return (away or people or ["nobody"])[0].title()
    return people[0].title() if people else "I cannot tell who it is."
