"""En.QA and En.MC from novels: what we simulate is told of the people of a real book.

After ∞Bench (Zhang et al., ACL 2024, section 3.1): the names of its people are replaced throughout.
Where generated books have scenes, these have the paragraphs of the novel in their order, without
those that could answer a question or contradict an answer; and then those of other texts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import NamedTuple

from scoring.generators.draws import pick, seeded, shuffled
from scoring.generators.example import STREAMS
from scoring.generators.haystack import prose
from scoring.generators.haystack.names import WORD, Character, characters
from scoring.generators.haystack.prose import Paragraph
from scoring.generators.haystack.texts import HaystackError, no_more, read_texts
from scoring.generators.novel.book import Writer, tell
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.narrator import Narrator
from scoring.generators.novel.story import EACH, Story, make_story
from scoring.generators.novel.tasks import QUESTION, Novel
from scoring.generators.novel.world import CORE, PLACES, Person, World, make_world

SHORTEST = 8_000  # tokens
_FEWEST = 6  # people of a novel that can be asked about
_OVER = 0.03  # of prose: by so much its tokens are estimated too high
_PLURAL = re.compile(r"(?:s|x|z|ch|sh)$")
_PAIRS = frozenset({"gave", "told", "met"})  # events that are one thing only between two people


class Texts(NamedTuple):
    novels: tuple[str, ...]  # paths
    distractors: tuple[str, ...]


@dataclass(frozen=True)
class _Source:
    """A novel, as far as it can stand in a book of ours."""

    paragraphs: tuple[Paragraph, ...]
    people: tuple[Character, ...]  # at most ``CORE``
    words: frozenset[str]  # those with a capital letter
    places: tuple[int, ...]  # how often it speaks of a place, for those of all worlds


@lru_cache(maxsize=1)
def novel_from(
    of: tuple[str, str], seed: int, number: int, tokens: int, near_misses: float, *, texts: Texts
) -> Novel:
    """The book of that number, as ``scoring.generators.novel.tasks.novel`` makes them.

    Raises ``HaystackError`` where there is not enough text.
    """
    novels, others = _sources(texts)
    of_all = (STREAMS, seed, "novel", *of)
    own = shuffled(seeded(*of_all, "novels"), novels)[number % len(novels)]
    world = _world(seeded(*of_all, number, "world"), own)
    numbers = range(number * EACH, (number + 1) * EACH)
    rng = seeded(*of_all, number, "story")
    story = make_story(world, ENGLISH, numbers, rng, seed=of_all, has_plot=False)
    narrator = Narrator(world, ENGLISH)
    padding = [*(one.paragraphs for one in novels if one is not own), *others]
    text = _paragraphs(seeded(*of_all, number, "text"), own, padding, story)
    rng = seeded(*of_all, number, "prose")
    writer = _ProseWriter(narrator, tokens - QUESTION, rng, iter(()), prose=text)
    return Novel(story, narrator, tell(story, writer, near_misses, *of_all, number))


@lru_cache(maxsize=1)
def _sources(texts: Texts) -> tuple[list[_Source], list[tuple[Paragraph, ...]]]:
    """The novels that can be asked about, and what else there is."""
    novels, others = [], []
    for text in read_texts(texts.novels, ".txt"):
        found = tuple(prose.paragraphs(text))
        people = characters([one.text for one in found], CORE)
        kept = tuple(one for one in found if not prose.may_be_a_fact(one.text))
        if len(people) < _FEWEST:
            others.append(kept)
            continue
        words = frozenset(word for one in kept for word in WORD.findall(one.text))
        lower = text.text.lower()
        places = tuple(lower.count(place) for place in ENGLISH.words["places"])
        novels.append(_Source(kept, tuple(people), words, places))
    if not novels:
        raise HaystackError(
            f"No novel can be asked about: it must be in English, with {_FEWEST} people at least "
            "who are often named."
        )
    for text in read_texts(texts.distractors, ".txt") if texts.distractors else ():
        found = tuple(prose.paragraphs(text))
        others.append(tuple(one for one in found if not prose.may_be_a_fact(one.text)))
    return novels, others


def _world(rng: Random, own: _Source) -> World:
    """A world whose first people are those of the novel, under other names, which it does not have.

    Who has one family's name there has one here. Its places are those that the novel hardly names.
    """
    world = make_world(rng, ENGLISH.sizes)
    unused = {
        table: iter(sorted(shuffled(rng, range(len(names))), key=lambda at: names[at] in own.words))
        for table, names in ENGLISH.names.items()
    }
    families: dict[str, int] = {}
    people: list[Person] = []
    for person in world.people:
        one = own.people[person.key] if person.key < len(own.people) else None
        female = one.female if one else person.female
        given = next(unused["women" if female else "men"])
        family = families.get(one.family) if one else None
        family = next(unused["families"]) if family is None else family
        if one and one.family:
            families[one.family] = family
        people.append(replace(person, female=female, given=given, family=family))
    rarest = sorted(shuffled(rng, range(len(own.places))), key=lambda at: own.places[at])
    return replace(world, people=tuple(people), places=tuple(rarest[:PLACES]))


def renaming(people: Sequence[Character], world: World) -> dict[str, str]:
    """What stands for each name of a novel, in capitals and in the plural too."""
    names: dict[str, str] = {}
    for one, person in zip(people, world.people, strict=False):
        given = ENGLISH.names["women" if person.female else "men"][person.given]
        family = ENGLISH.names["families"][person.family]
        names |= {word: given for word in one.words if word != one.family}
        if one.family:
            plural = f"{family}es" if _PLURAL.search(family) else f"{family}s"
            names |= {f"{one.family}s": plural, f"{one.family}es": plural, one.family: family}
    return {word.upper(): name.upper() for word, name in names.items()} | names


def _paragraphs(
    rng: Random, own: _Source, padding: Sequence[tuple[Paragraph, ...]], story: Story
) -> Iterator[Paragraph]:
    """The novel from a chapter on, and what is before that chapter; then the other texts."""
    world = story.draw.world
    names = renaming(own.people, world)
    tables: Mapping[str, Sequence[str]] = ENGLISH.names
    invented = {tables["women" if one.female else "men"][one.given] for one in world.people}
    invented |= {tables["families"][one.family] for one in world.people}
    words = [ENGLISH.words["trades"][one.trade] for one in world.people[:CORE]]
    words += [ENGLISH.words["places"][place] for place in world.places]
    phrases = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})s?\b")
    others, pairs = frozenset(invented - names.keys()), [*_pairs(own.people, story)]
    starts = [at for at, one in enumerate(own.paragraphs) if one.opens] or [0]
    start = pick(rng, starts)
    for one in (*own.paragraphs[start:], *own.paragraphs[:start]):
        if prose.may_stand(one.text, others, phrases, pairs):
            yield Paragraph(WORD.sub(lambda word: names.get(word[0], word[0]), one.text), one.opens)
    others = frozenset(invented | names.keys())
    for other in shuffled(rng, padding):
        yield from (one for one in other if prose.may_stand(one.text, others, phrases))
    yield from no_more()


def _pairs(
    people: Sequence[Character], story: Story
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The names of any two between whom something happens that a question depends on."""
    pairs = {
        (min(one.who, one.whom), max(one.who, one.whom))
        for thread in story.threads
        for one in thread.events
        if one.kind in _PAIRS
    }
    for who, whom in sorted(pairs):
        if who >= 0 and whom < len(people):
            yield people[who].called, people[whom].called


@dataclass(slots=True)
class _ProseWriter(Writer):
    """Puts paragraphs of real prose between the facts."""

    prose: Iterator[Paragraph] = field(default_factory=lambda: iter(()))
    _next: Paragraph | None = None

    def fill(self, due: float, *, exact: bool) -> None:
        """Paragraphs, to the nearest one; where it has to be exact, the last is cut."""
        while (room := due - self.written) > 0:
            one = self._next or next(self.prose)
            self._next, text = one, one.text
            cost = self.narrator.language.tokens(text)
            if cost > (room if exact else 2 * room):
                text = prose.first_sentences(text, room) if exact else ""
            if not text:
                return
            self._add(f"{self._begin_chapter() if one.opens else self._gap()}{text}")
            self.written -= _OVER * self.narrator.language.tokens(text)
            self._next = None

    def _gap(self, *, full: bool = True) -> str:
        return "\n\n" if self.book.pieces or self._chapter else self._begin_chapter()

    def _date(self) -> str:
        return ""

    def _begin_chapter(self) -> str:
        Writer._begin_chapter(self)
        return f"Chapter {len(self.book.pieces) + 1}\n\n"
