"""The English narrator."""

import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from scoring.generators.grammar import Grammar, Memory, capital
from scoring.generators.novel.english.answers import answers, ask
from scoring.generators.novel.english.calendar import when
from scoring.generators.novel.english.facts import FACTS, UNREAL
from scoring.generators.novel.english.names import FAMILIES, MEN, TOWN_NAMES, WOMEN
from scoring.generators.novel.english.plot import BEATS
from scoring.generators.novel.english.prose import OUTSIDE, PEOPLE, SEASONS
from scoring.generators.novel.english.scenes import (
    AFTER,
    AFTER_ALL,
    BEFORE,
    BEFORE_ALL,
    BEFORE_BEAT,
    BRIEF,
    FIGURES,
    TITLES,
    Shape,
)
from scoring.generators.novel.english.talk import TALK
from scoring.generators.novel.english.tokens import tokens_of
from scoring.generators.novel.english.values import number, outfit, ware
from scoring.generators.novel.english.words import FOOD, MANNERS, NOUNS
from scoring.generators.novel.events import (  # fmt: skip
    NOBODY,
    Beat,
    Denied,
    Event,
    Fact,
    Gave,
    Happened,
    Meant,
    Met,
    Paid,
    Scene,
    Signed,
    Stayed,
    Told,
    Went,
    people_of,
)
from scoring.generators.novel.narrator import Passage
from scoring.generators.novel.questions import Question, Value
from scoring.generators.novel.world import Moment, Person, World, pick

Words = dict[str, str]

_SLOTS = (
    "A a B b C s he him his self P town trade_a it motif beast topic "
    "ware price outfit treasure secret night calamity petition"
)
_WORDS = frozenset(_SLOTS.split())
_SAYS = Grammar(NOUNS, FOOD, MANNERS, FACTS, UNREAL, words=_WORDS)
_PROSE = tuple(  # of each season
    Grammar(NOUNS, FOOD, MANNERS, OUTSIDE, PEOPLE, TALK, TITLES, season, words=_WORDS)
    for season in SEASONS
)
_KEPT = {"motif": "object", "beast": "pet", "topic": "abstract"}  # the same all over a passage
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou]|hour|honest|heir)(?!one\b|once\b|us[eu]|uni|eu)")
_CAPITAL = re.compile(r"\^(\w)")
_WHEN = (("when",),)
_LEADS = ("weather", "weather", "act_s", "crowd_s")  # what follows a date
_LEADS_ALL = ("weather", "crowd_s")
_SOME = {"the ": "a ", "The ": "A "}  # where a thing is spoken of first
_ENDS = '.:?!"'
_OF_ONE = frozenset({"act_s", "think_s", "memory_s"})  # one may go on with “she”


class English:
    """Tells what happens in one world."""

    gap: ClassVar[str] = " "

    def __init__(self, world: World) -> None:
        self._town = {"town": TOWN_NAMES[world.town]}
        self._people = [_forms(person) for person in world.people]

    def opening(self, rng: Random) -> str:
        return _polished(f"{_PROSE[0].say('title', rng, self._town)}\n\n")

    def heading(self, chapter: int, rng: Random) -> str:
        title = _PROSE[0].say("chapter", rng, self._town)
        return _polished(f"Chapter {chapter}. ^{title}\n\n")

    def narrate(self, event: Event, moment: Moment, rng: Random, *, full: bool) -> Passage:
        if isinstance(event, Scene):
            scene = (FIGURES if full else BRIEF)[event.kind]
            return Passage(self._paragraphs(scene, self._cast(event), moment, rng), 0, 0)
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

    def summary(self, beats: Sequence[Beat]) -> str:
        """The main plot as a paragraph, with each person's full name at the first mention."""
        summary = " ".join(self._beat(beat, part=1) for beat in beats)
        for person in dict.fromkeys(person for beat in beats for person in beat.roles):
            full, given = (self._people[person][form] for form in ("A", "a"))
            before, name, after = summary.partition(full)
            summary = f"{before}{name}{after.replace(full, given)}"
        return summary

    def _fact(self, event: Fact | Meant | Denied | Beat, rng: Random) -> str:
        """The sentence that says what happened."""
        if isinstance(event, Beat):
            return self._beat(event)
        real = event.fact if isinstance(event, Meant | Denied) else event
        unreal = type(event).__name__ if real is not event else ""
        words = {**self._cast(event), **_details(real)}
        symbol = type(real).__name__
        if isinstance(real, Gave) and real.had_from != NOBODY:
            symbol = "Passed"
            words["C"] = self.name(real.had_from)
        clause = _SAYS.say(f"{unreal}{symbol}", rng, words)
        return _polished(f"^{clause}{_stop(clause)}")

    def _beat(self, beat: Beat, part: int = 0) -> str:
        """A beat in the narration, or (part 1) in the summary."""
        detail = beat.detail
        words = {
            **self._town,
            **dict(zip("ABC", map(self.name, beat.roles), strict=False)),
            "work": detail.work,
            "thing": detail.thing,
            "spot": detail.spot,
            "helper": detail.helper,
            "cause": detail.cause,
            "day": detail.day,
            "sum": f"{number(detail.coins)} {detail.coin}",
        }
        text = BEATS[beat.name][part]
        for slot, word in words.items():
            text = text.replace(f"[{slot}]", word)
        return _polished(f"^{text}")

    def _around(self, event: Event, moment: Moment, rng: Random, *, full: bool) -> tuple[str, str]:
        """What stands before the fact and after it; both know nothing of it but its people."""
        if not full:
            dated = moment.since and not isinstance(event, Beat)
            return (f"{self._paragraphs(_WHEN, self._town, moment, rng)} " if dated else ""), ""
        words = self._cast(event)
        first, last = _shapes(event)
        before = self._paragraphs(pick(rng, first), words, moment, rng)
        after = self._paragraphs(pick(rng, last), words, moment, rng)
        return _open(before), _open(after[::-1])[::-1]

    def _cast(self, event: Event) -> Words:
        """The words for the people of an event, and for where it is."""
        words = dict(self._town)
        for person, second in zip(people_of(event), (False, True), strict=False):
            forms = self._people[person]
            words |= {"B": forms["A"], "b": forms["a"]} if second else forms
        if isinstance(event, Scene):
            words["P"] = f"the {event.place}"
        return words

    def _paragraphs(self, scene: Shape, words: Words, moment: Moment, rng: Random) -> str:
        narration = _Narration(words, moment, rng)
        return _named(_polished(narration.paragraphs(scene)), words)


def _shapes(event: Event) -> tuple[Sequence[Shape], Sequence[Shape]]:
    """What may stand before a fact, and after it."""
    if isinstance(event, Beat):
        return BEFORE_BEAT, AFTER_ALL
    return (BEFORE, AFTER) if people_of(event) else (BEFORE_ALL, AFTER_ALL)


class _Narration:
    """Puts the sentences of a passage together."""

    def __init__(self, words: Words, moment: Moment, rng: Random) -> None:
        self._moment = moment
        self._rng = rng
        self._prose = _PROSE[moment.season]
        self._before: Memory = {}
        kept = {word: self._prose.say(symbol, rng) for word, symbol in _KEPT.items()}
        self._kept = (kept["motif"], kept["beast"])
        self._words = {**words, **kept, "it": f"the {kept['motif']}"}

    def paragraphs(self, scene: Shape) -> str:
        text = "\n".join(map(self._paragraph, scene))
        for thing in self._kept:
            before, name, after = text.partition(thing)
            if before[-4:] in _SOME:
                text = f"{before[:-4]}{_SOME[before[-4:]]}{name}{after}"
        return text

    def _paragraph(self, symbols: Sequence[str]) -> str:
        sentences: list[str] = []
        last = ""
        for symbol in symbols:
            if symbol[-1] == "?" and self._rng.random() < 0.5:
                continue
            again = last in _OF_ONE and self._rng.random() < 0.6
            if "a" in self._words:
                self._words["s"] = self._words["he" if again else "a"]
            last = symbol.rstrip("?")
            sentences.append(self._sentence(last))
        return " ".join(sentences)

    def _sentence(self, symbol: str) -> str:
        start = ""
        if symbol == "when":
            start = f"{when(self._moment, self._rng)}, "
            symbol = pick(self._rng, _LEADS if "a" in self._words else _LEADS_ALL)
        return _ended(start + self._prose.say(symbol, self._rng, self._words, self._before))


def _ended(text: str) -> str:
    return f"{capital(text)}{_stop(text)}"


def _stop(text: str) -> str:
    """What ends a sentence, where it has no end yet."""
    return "" if text[-1] in _ENDS else "."


def _forms(person: Person) -> Words:
    """The words with which a narrator refers to a person."""
    given = (WOMEN if person.female else MEN)[person.given]
    he, him, his = ("she", "her", "her") if person.female else ("he", "him", "his")
    full = f"{given} {FAMILIES[person.family]}"
    names = {"A": full, "a": given, "s": given, "trade_a": person.trade}
    return {**names, "he": he, "him": him, "his": his, "self": f"{him}self"}


def _details(fact: Fact) -> Words:
    """The words for everything but people that a fact is about."""
    words = {"P": f"the {fact.place}"} if isinstance(fact, Paid | Went | Met | Stayed) else {}
    match fact:
        case Paid():
            words["ware"] = ware(fact.goods, fact.quality)
            words["price"] = f"{number(fact.crowns)} crowns"
        case Met():
            words["outfit"] = outfit(fact.wearing)
        case Gave():
            words["treasure"] = fact.thing
        case Told():
            words["secret"] = fact.secret
        case Stayed() | Happened():
            words["night"] = fact.night
        case Signed():
            words["petition"] = fact.petition
    if isinstance(fact, Happened):
        words["calamity"] = fact.calamity
    return words


def _open(text: str) -> str:
    """The text, with a space after its last sentence where its paragraph continues."""
    return text if text.endswith("\n") else f"{text} "


def _named(text: str, words: Words) -> str:
    """The text in which each of the two has the full name where the given one comes first."""
    for given, full in (("a", "A"), ("b", "B")):
        if given in words:
            text = re.sub(rf"\b{words[given]}\b", words[full], text, count=1)
    return text


def _polished(text: str) -> str:
    """With “an” for “a” before a vowel, and capitals where they are marked."""
    return _CAPITAL.sub(lambda match: match[1].upper(), _ARTICLE.sub(r"\1n ", text))
