"""What the two languages of novels have in common: tables of words, and grammars made of them."""

import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from random import Random
from typing import Any, ClassVar, NamedTuple

from scoring.generators.grammar import Grammar
from scoring.generators.novel.telling import Telling
from scoring.generators.novel.world import Moment, Person, World

Shape = tuple[tuple[str, ...], ...]  # the symbols of each paragraph; “?” is left out half the time
Words = dict[str, str]
# All that may stand in brackets without being a table of phrases.
_SLOTS = frozenset(
    [
        "A",
        "B",
        "C",
        "a",
        "b",
        "s",
        "he",
        "him",
        "his",
        "self",
        "P",
        "T",
        "town",
        "trade",
        "trade_a",
        "ta",
        "t",
        "k",
        "f",
        "g",
        "w",
        "it",
        "motif",
        "beast",
        "topic",
        "ware",
        "ask",
        "price",
        "outfit",
        "thing",
        "secret",
        "night",
        "woe",
        "petition",
    ]
)
_TABLES = (
    "places", "colours", "garments", "things", "secrets", "petitions", "nights", "calamities",
    "trades", "jobs", "goods",
)  # fmt: skip
_NAMES = ("women", "men", "families", "towns")


class Goods(NamedTuple):
    name: str
    form: str  # several of them in English, the measure of one in Chinese
    low: int  # money
    high: int
    qualities: list[str]


class Language:
    """The words of a language, and the rules by which they are put together."""

    file: ClassVar[str]
    gap: ClassVar[str]  # between two sentences
    stop: ClassVar[str]
    ends: ClassVar[str]  # what a finished sentence ends with
    of_one: ClassVar[frozenset[str]]  # after these sentences, the person may be “she”
    kept: ClassVar[Mapping[str, str]]  # words that are the same all over a passage, by their tables
    slots: ClassVar[Mapping[str, str]]  # patterns of the words in a fact

    def __init__(self) -> None:
        data = files("scoring.generators.novel").joinpath(f"{self.file}.toml")
        self._data: dict[str, Any] = tomllib.loads(data.read_text(encoding="utf-8"))
        self.words: dict[str, list[str]] = self._data["things"]
        self.names = {name: self._data["names"][name].split() for name in _NAMES}
        self.goods = [Goods(*row) for row in self._data["things"]["goods"]]
        self.sizes = {name: len(words) for name, words in self.names.items()}
        self.sizes |= {table: len(self.words[table]) for table in _TABLES}
        self.calendar = self._data["calendar"]
        self.questions: dict[str, str] = self._data["questions"]

    @cached_property
    def facts(self) -> Telling:
        """The sentences that say what happens, for the narrator and for a reader."""
        phrases = {**self._data["phrases"], **self._data["phrases_of_facts"]}
        return Telling(self._data["facts"], phrases, self.slots, _SLOTS)

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
        """The words for a person: A in full, a by the given name, and what the language needs."""
        raise NotImplementedError

    def trade(self, person: Person) -> str:
        """What one of the core is also called."""
        raise NotImplementedError

    def town(self, world: World) -> Words:
        raise NotImplementedError

    def word(self, table: str, place: int) -> str:
        """A word as it stands in a question, an answer and a sentence."""
        return self.words[table][place]

    def ware(self, goods: int, quality: int) -> str:
        """One of the goods, as it stands in a sentence."""
        raise NotImplementedError

    def number(self, value: int) -> str:
        """A number in words."""
        raise NotImplementedError

    def value(self, words: str) -> int:
        """What a number in words or digits means; other words count nothing."""
        raise NotImplementedError

    def ordinal(self, value: int) -> str:
        raise NotImplementedError

    def outfit(self, colour: int, garment: int) -> str:
        raise NotImplementedError

    def when(self, moment: Moment, rng: Random) -> str:
        """When it is, as the start of a sentence."""
        raise NotImplementedError

    def symbol(self, symbol: str, moment: Moment, rng: Random, *, alone: bool) -> str:
        """The table for a symbol of a shape at that moment; what follows “when” is drawn."""
        raise NotImplementedError

    def heading(self, chapter: int, title: str) -> str:
        raise NotImplementedError

    def title(self, title: str) -> str:
        raise NotImplementedError

    def polish(self, text: str) -> str:
        """The text with what grammar demands of neighbouring words."""
        return text

    def tidy(self, text: str, words: Words) -> str:
        """A passage in which the kept words are introduced where they come first."""
        return text

    def tokens(self, text: str) -> float:
        """An estimate of the tokens of a part of a book: fast, and the same on every machine."""
        raise NotImplementedError


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
