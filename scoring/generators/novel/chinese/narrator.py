"""The Chinese narrator."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from scoring.generators.grammar import Grammar, Memory
from scoring.generators.novel.chinese import things as zh
from scoring.generators.novel.chinese.answers import answers, ask
from scoring.generators.novel.chinese.facts import FACTS, symbol_of, words_of
from scoring.generators.novel.chinese.names import FAMILIES, MEN, TOWNS, WOMEN
from scoring.generators.novel.chinese.numbers import numeral, when
from scoring.generators.novel.chinese.people import PEOPLE
from scoring.generators.novel.chinese.plot import PLOT
from scoring.generators.novel.chinese.prose import OUTSIDE
from scoring.generators.novel.chinese.scenes import (  # fmt: skip
    AFTER,
    BEFORE,
    BRIEF,
    CALAMITY,
    FULL,
    Shape,
)
from scoring.generators.novel.chinese.talk import TALK, TITLES
from scoring.generators.novel.chinese.tokens import tokens_of
from scoring.generators.novel.chinese.words import PLANTS, WORDS
from scoring.generators.novel.events import (  # fmt: skip
    NOBODY,
    Beat,
    Denied,
    Event,
    Fact,
    Gave,
    Happened,
    Meant,
    Scene,
    people_of,
)
from scoring.generators.novel.narrator import Passage
from scoring.generators.novel.questions import Question, Value
from scoring.generators.novel.world import Moment, Person, World, pick

Words = dict[str, str]

_SLOTS = frozenset({*"abstkfgwTP", "he", "ta"})
_PROSE = tuple(  # of each season
    Grammar(WORDS, {"plant": plants}, OUTSIDE, PEOPLE, TALK, TITLES, words=_SLOTS)
    for plants in PLANTS
)
_PLOT = Grammar(PLOT, words=frozenset("ABCT"))
# The same throughout a passage, so that the talk stays on one topic.
_KEPT = {"t": "topic", "k": "relative", "f": "far", "g": "small", "w": "worker"}
_AGAIN = "这件事"  # what the talk is about, once it has been named
_ENDS = "。？！”"
_OF_ONE = frozenset({"act", "look", "think", "memory", "work"})  # one of them may continue with 他
_NIGHT = 4  # part of a day; scenes of a season happen in daylight
_WHEN = ("open", "glimpse")  # they say when it is
_STRANGERS = (0, 1)  # placeholders where an event has no people: the words are not used


class Chinese:
    """Tells what happens in one world."""

    gap: ClassVar[str] = ""

    def __init__(self, world: World) -> None:
        self._town = TOWNS[world.town]
        self._people = [_forms(person) for person in world.people]

    def opening(self, rng: Random) -> str:
        return f"《{_PROSE[0].say('book', rng, {'T': self._town})}》\n\n"

    def heading(self, chapter: int, rng: Random) -> str:
        return f"第{numeral(chapter)}回 {_PROSE[0].say('chapter', rng, {})}\n\n"

    def narrate(self, event: Event, moment: Moment, rng: Random, *, full: bool) -> Passage:
        if isinstance(event, Scene):
            shape = (FULL if full else BRIEF)[event.kind]
            return Passage(self._paragraphs(shape, event, moment, rng), 0, 0)
        fact = self._fact(event, rng)
        before, after = self._around(event, moment, rng, full=full)
        return Passage(f"{before}{fact}{after}", len(before), len(before) + len(fact))

    def ask(self, question: Question) -> str:
        return ask(question, self.name)

    def answers(self, value: Value) -> list[str]:
        return answers(value, self.name)

    def tokens(self, text: str) -> float:
        return tokens_of(text)

    def name(self, person: int) -> str:
        return self._people[person]["A"]

    def _fact(self, event: Fact | Meant | Denied | Beat, rng: Random) -> str:
        """The sentence that says what happened."""
        people = zip("ABC", map(self.name, people_of(event)), strict=False)
        words = {"T": self._town, **dict(people), **words_of(event)}
        real = event.fact if isinstance(event, Meant | Denied) else event
        if isinstance(real, Gave) and real.had_from != NOBODY:
            words["C"] = self.name(real.had_from)
        if isinstance(event, Beat):
            return _PLOT.say(event.name.replace(".", "_"), rng, words)
        return FACTS.say(symbol_of(event), rng, words)

    def _around(self, event: Event, moment: Moment, rng: Random, *, full: bool) -> tuple[str, str]:
        """What stands before the fact and after it; both know nothing of it but its people."""
        if not full:
            brief: Shape = (("glimpse",),) if moment.since else ()
            return self._paragraphs(brief, event, moment, rng), ""
        shapes = CALAMITY if isinstance(event, Happened) else (pick(rng, BEFORE), pick(rng, AFTER))
        before, after = (self._paragraphs(shape, event, moment, rng) for shape in shapes)
        return before, f"\n{after}"

    def _paragraphs(self, shape: Shape, event: Event, moment: Moment, rng: Random) -> str:
        words = self._cast(event)
        prose = _PROSE[moment.season]
        words |= {word: prose.say(symbol, rng, words) for word, symbol in _KEPT.items()}
        return _named(
            _Paragraphs(words, moment, isinstance(event, Beat), rng).paragraphs(shape), words
        )

    def _cast(self, event: Event) -> Words:
        """The words for the people of an event, and for where it is."""
        first, second = (*people_of(event), *_STRANGERS)[:2]
        forms, other = self._people[first], self._people[second]
        place = zh.PLACES[event.place] if isinstance(event, Scene) else ""
        return {**forms, "B": other["A"], "b": other["a"], "T": self._town, "P": place}


@dataclass(slots=True)
class _Paragraphs:
    """Puts sentences together, of which none is made twice in a row."""

    words: Words
    moment: Moment
    dated: bool  # steps of the main plot have their date
    rng: Random
    _before: Memory = field(default_factory=dict)

    def paragraphs(self, shape: Shape) -> str:
        text = "\n".join(map(self._paragraph, shape))
        before, topic, after = text.partition(self.words["t"])
        return f"{before}{topic}{after.replace(topic, _AGAIN) if topic else after}"

    def _paragraph(self, symbols: Sequence[str]) -> str:
        sentences: list[str] = []
        before = ""
        for symbol in symbols:
            if symbol[-1] == "?" and self.rng.random() < 0.5:
                continue
            again = before in _OF_ONE and self.rng.random() < 0.6
            self.words["s"] = self.words["he"] if again else self.words["a"]
            before = symbol.rstrip("?")
            sentences.append(_ended(self._sentence(before)))
        return "".join(sentences)

    def _sentence(self, symbol: str) -> str:
        start = f"{when(self.moment, self.rng, dated=self.dated)}，" if symbol in _WHEN else ""
        symbol = self._sky(symbol)
        text = _PROSE[self.moment.season].say(symbol, self.rng, self.words, self._before)
        return start + text.replace("/", "\n")

    def _sky(self, symbol: str) -> str:
        """The symbol, or that of the table for the season and the light."""
        light = f"light{self.moment.part}"
        if symbol == "open" and self.rng.random() < 0.5:
            return light
        if symbol not in ("open", "season"):
            return symbol
        return light if self.moment.part == _NIGHT else f"sky{self.moment.season}"


def _ended(text: str) -> str:
    """With its full stop, which stands inside a quotation."""
    if text[-1] == "”" and text[-2] not in _ENDS:
        return f"{text[:-1]}。”"
    return text if text[-1] in _ENDS else f"{text}。"


def _forms(person: Person) -> Words:
    """The words with which a narrator refers to a person."""
    given = (WOMEN if person.female else MEN)[person.given]
    he = "她" if person.female else "他"
    return {
        "A": FAMILIES[person.family] + given,
        "a": given,
        "he": he,
        "ta": zh.TRADES[person.trade],
    }


def _named(text: str, words: Words) -> str:
    """The text in which each of the two has the full name where the given one comes first."""
    for given, full in {words["a"]: words["A"], words["b"]: words["B"]}.items():
        text = text.replace(given, full, 1)
    return text
