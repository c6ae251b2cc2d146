"""A play: people with traits, and scenes in which the facts about them are stated.

Each person is at the end of a chain: a scene shows their first trait, other characters say that the
one with the first trait also has the second, and so on, and who has the last one. Every value in a
play belongs to one person, so every chain leads to one name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from scoring.generators.dialogue.phrases import CHATTER, FACTS, NAMES, TITLES, TRAITS
from scoring.generators.draws import between, pick, shuffled
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


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    person: int | None = None  # whom it states a fact about
    step: int = 0  # 0: the first thing is shown; from 1 on: the facts of the chain


Scene = list[Line]


def make_play(rng: Random, *, hops: int, people: int, besides: Play | None = None) -> Play:
    """A play, without any name or value of another one, and with another title."""
    taken = besides.cast if besides else ()
    cast = shuffled(rng, [name for name in NAMES if name not in taken])[:people]
    values = {value for chain in besides.shown for value in chain} if besides else ()
    traits = shuffled(rng, list(TRAITS))[:hops]
    columns = [TRAITS[trait].drawn(rng, people, values) for trait in traits]
    title = TITLES.say("title", rng)
    while besides and title == besides.title:
        title = TITLES.say("title", rng)
    return Play(title, cast, [list(chain) for chain in zip(*columns, strict=True)], traits)


def scenes_of(
    rng: Random, play: Play, *, masked: int | None, scenes: int, showing: int | None = None
) -> Iterator[Scene]:
    """``scenes`` scenes that state the facts, and one among them that shows one person.

    That person is the masked one, who has no name in this scene, or any of the cast; ``showing``
    is how many scenes come before that one. All scenes are drawn alike wherever it stands.
    """
    everyone = range(len(play.cast))
    person = pick(rng, everyone) if masked is None else masked
    facts = shuffled(rng, [(who, step) for who in everyone for step in range(1, play.hops + 1)])
    drawn = between(rng, 1, scenes)
    showing = drawn if showing is None else showing
    order = shuffled(rng, everyone)
    for number in range(scenes + 1):
        part = number - (number > showing)
        if number == showing:
            others = shuffled(rng, [who for who in everyone if who != person])
            present = shuffled(rng, [person, *others[: between(rng, 2, 3)]])
            other = next(who for who in present if who != person)
            stage = _Stage(rng, play, present, masked)
            stated = [(person, 0), (other, 0)]
        else:  # in turn, so that all people come on stage equally often
            places = range(3 * part, 3 * part + between(rng, 3, 4))
            stage = _Stage(rng, play, [order[place % len(order)] for place in places], None)
            stated = facts[part::scenes]
        # Never before a scene with a mask, which would name who is behind it.
        opening = stage.opening(number, with_cast=number != showing and part == 0)
        yield [*opening, *stage.talk(stated)]


class _Stage:
    """Who is on it, who spoke last, and who is masked."""

    def __init__(self, rng: Random, play: Play, present: list[int], masked: int | None) -> None:
        self._rng = rng
        self._play = play
        self._present = present
        self._masked = masked
        self._last = -1
        self._talk_of = {
            "affair": CHATTER.say("event", rng), "neighbour": CHATTER.say("someone", rng),
        }  # fmt: skip

    def opening(self, number: int, *, with_cast: bool) -> Iterator[Line]:
        act, scene = divmod(number, _SCENES_OF_AN_ACT)
        yield Line(f"{self._play.title}, Act {_NUMBERS[act]}, Scene {_NUMBERS[scene]}.")
        if with_cast:
            yield Line(f"Persons of the play: {', '.join(self._play.cast)}.")
        names = ", ".join(map(self._name, self._present))
        setting = CHATTER.say("setting", self._rng, self._talk_of)
        yield Line(f"({capital(setting)}. On stage: {names}.)")

    def talk(self, facts: Sequence[tuple[int, int]]) -> Iterator[Line]:
        """The facts, with other talk between them."""
        rng = self._rng
        turns: list[tuple[int, int] | Callable[[], Line]] = [*facts, self._event]
        turns += [self._chat] * between(rng, 4, 7)
        for turn in shuffled(rng, turns):
            yield turn() if callable(turn) else Line(self._fact(*turn), *turn)

    def _chat(self) -> Line:
        rng, who = self._rng, self._speaker()
        words = self._words(who)
        manner = f" ({CHATTER.say('manner', rng, words)})" if between(rng, 0, 3) == 0 else ""
        speech = capital(CHATTER.say("speech", rng, words))
        return Line(f"{self._name(who)}{manner}: {speech}")

    def _event(self) -> Line:
        rng = self._rng
        if between(rng, 0, 1):
            return Line(f"({CHATTER.say('noise', rng, self._talk_of)})")
        who = self._speaker()
        return Line(f"({self._name(who)} {CHATTER.say('business', rng, self._words(who))}.)")

    def _fact(self, person: int, step: int) -> str:
        """What is said, or seen, of a person: the first thing by themselves, the last with the
        name, what is between with the one before."""
        rng, play = self._rng, self._play
        first = min(step, play.hops - 1)
        other, self_ = TRAITS[play.traits[first]].predicate(rng, play.shown[person][first])
        if step == 0:
            return self._says(person, "self", me=self_)
        if step < play.hops:
            before = TRAITS[play.traits[step - 1]].predicate(rng, play.shown[person][step - 1])
            return self._says(self._speaker(person), "link", a=before[0], b=other)
        way = between(rng, 0, 2) if person in self._present else 2
        if way == 0:
            return self._says(person, "self", me=self_)
        name = play.cast[person]
        if way == 1:
            business = CHATTER.say("business", rng, self._words(person))
            return FACTS.say("enters", rng, {"who": name, "b": other, "business": business})
        who, speaker = name.capitalize(), self._speaker(person)
        return self._says(speaker, "named", about=person, who=who, b=other)

    def _says(self, speaker: int, way: str, about: int = -1, **words: str) -> str:
        rng, around = self._rng, self._words(speaker, about)
        self._last = speaker
        more = {name: CHATTER.say(name, rng, around) for name in ("someone", "time", *_TALK)}
        fact = capital(FACTS.say(way, rng, {**around, **more, **words}))
        return f"{self._name(speaker)}: {FACTS.say('speech', rng, {'fact': fact, **more})}"

    def _speaker(self, besides: int = -1) -> int:
        """A person on stage, preferably not the last speaker."""
        self._last = pick(
            self._rng, [who for who in self._present if who not in (besides, self._last)]
        )
        return self._last

    def _words(self, speaker: int, about: int = -1) -> dict[str, str]:
        """The person addressed (never the one talked about), and the person talked about.

        In a scene with a masked person no absent one is talked about: otherwise the masked one
        would be the only person who is never mentioned.
        """
        here = [who for who in self._present if who not in (speaker, about)]
        friend = pick(self._rng, here)
        known = range(len(self._play.cast)) if self._masked is None else here
        other = pick(self._rng, [who for who in known if who not in (speaker, friend)])
        called = {"friend": self._name(friend), "other": self._name(other)}
        aloud = {slot: one if one == MASK else one.capitalize() for slot, one in called.items()}
        return {**self._talk_of, **aloud}

    def _name(self, person: int) -> str:
        return MASK if person == self._masked else self._play.cast[person]
