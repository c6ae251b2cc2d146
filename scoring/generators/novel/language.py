"""What the two languages of novels have in common: tables of words, and grammars made of them."""

import re
from abc import ABC, abstractmethod
from functools import cached_property
from random import Random
from typing import Any, ClassVar, NamedTuple

from scoring.generators.grammar import Grammar, read_tables
from scoring.generators.novel.telling import Telling
from scoring.generators.novel.world import Moment, Person, World

Shape = tuple[tuple[str, ...], ...]  # the symbols of each paragraph; “?” is left out half the time
Words = dict[str, str]
# All that may stand in brackets without being a table of phrases.
_OF_PEOPLE = "A B C a b s he him his self trade trade_a"
_OF_FACTS = "P town ware ask price outfit thing secret night woe petition"
_OF_SCENES = "t k f g w it motif beast topic"
_SLOTS = frozenset(f"{_OF_PEOPLE} {_OF_FACTS} {_OF_SCENES}".split())
_NAMES = ("women", "men", "families", "towns")
_PRONOUNS = ("he", "him", "his", "self")


class Goods(NamedTuple):
    name: str
    form: str  # several of them in English, the measure of one in Chinese
    low: int  # money
    high: int
    qualities: list[str]


class Language(ABC):
    """The words of a language, and the rules by which they are put together."""

    file: ClassVar[str]

    def __init__(self) -> None:
        self._data = read_tables(__file__, self.file)
        self._style: dict[str, Any] = self._data["style"]
        self.gap: str = self._style["gap"]
        self.stop: str = self._style["stop"]
        self.ends: str = self._style["ends"]
        self.of_one = frozenset(self._style["of_one"])
        self.kept: Words = self._data["kept"]
        self.words: dict[str, list[str]] = self._data["things"]
        self.names = {name: self._data["names"][name].split() for name in _NAMES}
        self.goods = [Goods(*row) for row in self._data["things"]["goods"]]
        self.sizes = {table: len(words) for table, words in {**self.names, **self.words}.items()}
        self.calendar = self._data["calendar"]
        self.questions: Words = self._data["questions"]

    @cached_property
    def facts(self) -> Telling:
        """The sentences that say what happens, for the narrator and for a reader."""
        phrases = {**self._data["phrases"], **self._data["phrases_of_facts"]}
        slots = {
            slot: pattern
            for several, pattern in self._data["slots"].items()
            for slot in several.split()
        }
        return Telling(self._data["facts"], phrases, slots, _SLOTS)

    @cached_property
    def prose(self) -> tuple[Grammar, ...]:
        """All other sentences, for each season."""
        tables = (self._data["phrases"], self._data["titles"])
        return tuple(
            Grammar(*tables, self._data["seasons"][str(season)], words=_SLOTS)
            for season in range(4)
        )

    @cached_property
    def shapes(self) -> dict[str, dict[str, Shape]]:
        """Of scenes, by their kinds: in full and in brief."""
        return {
            name: {
                kind: tuple(tuple(paragraph.split()) for paragraph in text.split("/"))
                for kind, text in shapes.items()
            }
            for name, shapes in self._data["shapes"].items()
        }

    def person(self, person: Person) -> Words:
        """The words for a person: A in full, a by the given name, the pronouns, the trade."""
        given = self.names["women" if person.female else "men"][person.given]
        full = self._style["full"].format(given=given, family=self.names["families"][person.family])
        pronouns = zip(_PRONOUNS, self._style["pronouns"][person.female], strict=True)
        job = self.words["jobs"][person.trade % self.sizes["jobs"]]
        return {"A": full, "a": given, "s": given, **dict(pronouns), "trade_a": job}

    def trade(self, person: Person) -> str:
        """What one of the core is also called."""
        return str(self._style["trade"].format(self.words["trades"][person.trade]))

    def town(self, world: World) -> Words:
        return {"town": self.names["towns"][world.town]}

    def word(self, table: str, place: int) -> str:
        """A word as it stands in a question, an answer and a sentence."""
        word = self.words[table][place]
        return str(self._style["place"].format(word)) if table == "places" else word

    def ware(self, goods: int, quality: int) -> str:
        """One of the goods, as it stands in a sentence."""
        ware = self.goods[goods]
        words = {"quality": ware.qualities[quality], "name": ware.name, "form": ware.form}
        return str(self._style["ware"].format_map(words))

    def outfit(self, colour: int, garment: int) -> str:
        words = {
            "colour": self.words["colours"][colour],
            "garment": self.words["garments"][garment],
        }
        words["measure"] = self.words["measures"][garment] if "measures" in self.words else ""
        return str(self._style["outfit"].format_map(words))

    def heading(self, chapter: int, title: str) -> str:
        words = {"chapter": chapter, "ordinal": self.ordinal(chapter), "title": title}
        return self.polish(self._style["heading"].format_map(words))

    def title(self, title: str) -> str:
        return self.polish(self._style["title"].format(title))

    @abstractmethod
    def number(self, value: int) -> str:
        """A number in words."""

    @abstractmethod
    def value(self, words: str) -> int:
        """What a number in words or digits means; other words count nothing."""

    @abstractmethod
    def ordinal(self, value: int) -> str:
        """The same number as a rank."""

    @abstractmethod
    def when(self, moment: Moment, rng: Random) -> str:
        """When it is, as the start of a sentence."""

    @abstractmethod
    def symbol(self, symbol: str, moment: Moment, rng: Random, *, alone: bool) -> str:
        """The table for a symbol of a shape at that moment; what follows “when” is drawn."""

    @abstractmethod
    def tokens(self, text: str) -> float:
        """An estimate of the tokens of a part of a book: fast, and the same on every machine."""

    def polish(self, text: str) -> str:
        """The text with what grammar demands of neighbouring words."""
        return text

    @abstractmethod
    def tidy(self, text: str, words: Words) -> str:
        """A passage in which the kept words are introduced where they come first."""


def sentence(text: str, language: Language) -> str:
    """With a capital letter first, and what ends it, in Chinese inside of quotation marks."""
    text = text[:1].upper() + text[1:]
    if text[-1] == "”" and text[-2] not in language.ends:
        return f"{text[:-1]}{language.stop}”"
    return text if text[-1] in language.ends else f"{text}{language.stop}"


def named(text: str, words: Words) -> str:
    """The text in which each of the two has the full name where the given one comes first."""
    for given, full in (("a", "A"), ("b", "B")):
        if given in words:
            pattern = rf"\b{words[given]}\b" if words[given].isascii() else words[given]
            text = re.sub(pattern, words[full], text, count=1)
    return text
