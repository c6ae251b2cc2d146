"""A play: people with traits, and scenes in which the facts about them are stated.

Each person is at the end of a chain: a scene shows their first trait, other characters say that the
one with the first trait also has the second, and so on, and who has the last one. Every value in a
play belongs to one person, so every chain leads to one name.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from scoring.generators.dialogue.phrases import CHATTER, FACTS, NAMES, TITLES, TRAITS
from scoring.generators.draws import between, shuffled
from scoring.generators.grammar import capital

MASK = "$$MASK$$"
_NUMBERS = ("One", "Two", "Three", "Four", "Five", "Six")
_SCENES_OF_AN_ACT = 3
_TALK = ("sentence", "exclamation", "closing")  # of the chatter, before and after a fact


@dataclass(frozen=True, slots=True)
class Play:
    title: str
    cast: list[str]  # in capital letters
    shown: list[list[str]]  # the values of each person, in the order of the chain
    traits: list[str]  # of which trait they are

    @property
    def hops(self) -> int:
        """The facts that lead from what is shown of a person to the name."""
        return len(self.traits)

    @property
    def values(self) -> set[str]:
        return {value for chain in self.shown for value in chain}


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    person: int | None = None  # whom it states a fact about
    step: int = 0  # 0: the first thing is shown; from 1 on: the facts of the chain


Scene = list[Line]


def make_play(
    rng: Random,
    *,
    hops: int,
    people: int,
    names: Collection[str] = (),
    values: Collection[str] = (),
    title: str = "",
) -> Play:
    """A play without the names, values and title that are taken."""
    free = [name for name in NAMES if name not in names]
    cast = [free.pop(between(rng, 0, len(free) - 1)) for _ in range(people)]
    traits = shuffled(rng, list(TRAITS))[:hops]
    columns = [TRAITS[trait].drawn(rng, people, values) for trait in traits]
    called = TITLES.say("title", rng)
    while called == title:
        called = TITLES.say("title", rng)
    return Play(called, cast, [list(chain) for chain in zip(*columns, strict=True)], traits)


def scenes_of(
    rng: Random, play: Play, *, masked: int | None, scenes: int, showing: int | None = None
) -> Iterator[Scene]:
    """``scenes`` scenes that state the facts, and one among them that shows one person.

    That person is the masked one, who has no name in this scene, or any of the cast; ``showing``
    is how many scenes come before that one. All scenes are drawn alike wherever it stands.
    """
    person = between(rng, 0, len(play.cast) - 1) if masked is None else masked
    facts = [(who, step) for who in range(len(play.cast)) for step in range(1, play.hops + 1)]
    facts = shuffled(rng, facts)
    drawn = between(rng, 1, scenes)
    showing = drawn if showing is None else showing
    order = shuffled(rng, range(len(play.cast)))
    for number in range(scenes + 1):
        if number == showing:
            stage = _Stage(rng, play, _with_others(rng, play, person), masked)
            yield [*stage.opening(number), *stage.showing(person)]
        else:
            part = number - (number > showing)
            stage = _Stage(rng, play, _in_turn(rng, order, part), None)
            yield [*stage.opening(number, cast=part == 0), *stage.reveal(facts[part::scenes])]


def _with_others(rng: Random, play: Play, person: int) -> list[int]:
    """The person and two or three others."""
    others = [who for who in range(len(play.cast)) if who != person]
    return shuffled(rng, [person, *shuffled(rng, others)[: between(rng, 2, 3)]])


def _in_turn(rng: Random, order: list[int], scene: int) -> list[int]:
    """Three or four of the cast, so that all people come on stage equally often."""
    first = 3 * scene
    return [order[place % len(order)] for place in range(first, first + between(rng, 3, 4))]


class _Stage:
    """Who is on it, who spoke last, and who is masked."""

    def __init__(self, rng: Random, play: Play, present: list[int], masked: int | None) -> None:
        self._rng = rng
        self._play = play
        self._present = present
        self._masked = masked
        self._last: int | None = None
        self._talk_of = {
            "affair": CHATTER.say("event", rng), "neighbour": CHATTER.say("someone", rng),
        }  # fmt: skip

    def opening(self, number: int, *, cast: bool = False) -> Iterator[Line]:
        act, scene = divmod(number, _SCENES_OF_AN_ACT)
        yield Line(f"{self._play.title}, Act {_NUMBERS[act]}, Scene {_NUMBERS[scene]}.")
        if cast:  # never before a scene with a mask, which would name who is behind it
            yield Line(f"Persons of the play: {', '.join(self._play.cast)}.")
        names = ", ".join(map(self._label, self._present))
        setting = CHATTER.say("setting", self._rng, self._talk_of)
        yield Line(f"({capital(setting)}. On stage: {names}.)")

    def reveal(self, facts: list[tuple[int, int]]) -> Iterator[Line]:
        """The facts, with other talk between them."""
        rng = self._rng
        places = shuffled(rng, [*facts, *[None] * between(rng, 3, 5)])
        for place in places:
            if place is None:
                yield self._talk()
            else:
                yield self._fact(*place)
        yield self._event()

    def showing(self, person: int) -> Iterator[Line]:
        """The person states the first fact about themselves, and another person does the same."""
        rng = self._rng
        other = self._speaker(person)
        yield self._talk(other)
        yield self._talk(person)
        lines = [self._first_thing(person), self._first_thing(other), self._event()]
        yield from shuffled(rng, [*lines, *(self._talk() for _ in range(between(rng, 3, 5)))])
        yield self._talk(person)

    def _first_thing(self, person: int) -> Line:
        trait, value = self._play.traits[0], self._play.shown[person][0]
        predicate, first_person = TRAITS[trait].predicate(self._rng, value)
        return Line(self._says(person, "self", {"b": predicate, "me": first_person}), person, 0)

    def _fact(self, person: int, step: int) -> Line:
        rng, play = self._rng, self._play
        if step == play.hops:
            return Line(self._named(person), person, step)
        before, after = play.shown[person][step - 1 : step + 1]
        words = {
            "a": TRAITS[play.traits[step - 1]].predicate(rng, before)[0],
            "b": TRAITS[play.traits[step]].predicate(rng, after)[0],
        }
        return Line(self._says(self._speaker(person), "link", words), person, step)

    def _named(self, person: int) -> str:
        """The last thing of a person, with the name: said by them, of them, or seen."""
        rng, play = self._rng, self._play
        predicate, first_person = TRAITS[play.traits[-1]].predicate(rng, play.shown[person][-1])
        name = play.cast[person]
        way = between(rng, 0, 2) if person in self._present else 2
        if way == 0:
            return self._says(person, "self", {"me": first_person})
        if way == 1:
            words = self._words(person)
            business = CHATTER.say("business", rng, words)
            return FACTS.say("enters", rng, {"who": name, "b": predicate, "business": business})
        words = {"who": name.capitalize(), "b": predicate}
        return self._says(self._speaker(person), "named", words, about=person)

    def _says(
        self, speaker: int, way: str, words: Mapping[str, str], about: int | None = None
    ) -> str:
        rng, around = self._rng, self._words(speaker, about)
        self._last = speaker
        more = {name: CHATTER.say(name, rng, around) for name in ("someone", "time")}
        fact = capital(FACTS.say(way, rng, {**around, **more, **words}))
        talk = {name: CHATTER.say(name, rng, around) for name in _TALK}
        return f"{self._label(speaker)}: {FACTS.say('speech', rng, {'fact': fact, **talk})}"

    def _talk(self, speaker: int | None = None) -> Line:
        rng = self._rng
        who = self._speaker() if speaker is None else speaker
        self._last = who
        words = self._words(who)
        manner = f" ({CHATTER.say('manner', rng, words)})" if between(rng, 0, 3) == 0 else ""
        return Line(f"{self._label(who)}{manner}: {capital(CHATTER.say('speech', rng, words))}")

    def _event(self) -> Line:
        rng = self._rng
        if between(rng, 0, 1):
            return Line(f"({CHATTER.say('noise', rng, self._talk_of)})")
        who = self._speaker()
        return Line(f"({self._label(who)} {CHATTER.say('business', rng, self._words(who))}.)")

    def _speaker(self, besides: int | None = None) -> int:
        """A person on stage, preferably not the last speaker."""
        free = [who for who in self._present if who not in (besides, self._last)]
        self._last = free[between(self._rng, 0, len(free) - 1)]
        return self._last

    def _words(self, speaker: int, about: int | None = None) -> Mapping[str, str]:
        """The person addressed (never the one talked about), and the person talked about.

        In a scene with a masked person no absent one is talked about: otherwise the masked one
        would be the only person who is never mentioned.
        """
        rng, play = self._rng, self._play
        here = [who for who in self._present if who not in (speaker, about)]
        friend = here[between(rng, 0, len(here) - 1)]
        known = range(len(play.cast)) if self._masked is None else here
        rest = [who for who in known if who not in (speaker, friend)]
        other = rest[between(rng, 0, len(rest) - 1)]
        return {**self._talk_of, "friend": self._name(friend), "other": self._name(other)}

    def _label(self, person: int) -> str:
        return MASK if person == self._masked else self._play.cast[person]

    def _name(self, person: int) -> str:
        return MASK if person == self._masked else self._play.cast[person].capitalize()
