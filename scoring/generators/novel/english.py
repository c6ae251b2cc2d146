"""English: numbers, dates, articles, and what makes prose of phrases."""

import re
from functools import cached_property
from random import Random
from typing import ClassVar

from scoring.generators.novel.language import Language, Words
from scoring.generators.novel.world import YEAR, Moment, Person, World, pick
from scoring.text.tokens import estimate_tokens

_UNITS = [
    "nought",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ("", "", *["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_VALUES = {word: value for value, word in enumerate(_UNITS)}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS) if word}
_LONGEST = 18  # digits
_TOKENS = 1.0205  # for each that is estimated, without names; measured with cl100k_base
_NAME = re.compile(r"\b[A-Z][a-z]{2,}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou]|hour|honest|heir)(?!one\b|once\b|us[eu]|uni|eu)")
_CAPITAL = re.compile(r"\^(\w)")
_SOME = {"the ": "a ", "The ": "A "}  # where a thing is spoken of first
_LEADS = ("weather", "weather", "act_s", "crowd_s")  # what follows a date
_LEADS_ALL = ("weather", "crowd_s")
_NAMED = r"[A-Z][\w'-]{1,30}"
_PERSON = rf"(?:{_NAMED}(?: {_NAMED})?|[Tt]he [a-z]+(?: [a-z]+)?)"
_COLOUR = r"(?P<colour>(?:dark |pale )?[a-z-]+)"


class English(Language):
    file = "english"
    gap = " "
    stop = "."
    ends = '.:?!"'
    of_one = frozenset({"act_s", "think_s", "memory_s"})
    kept: ClassVar = {"motif": "object", "beast": "pet", "topic": "abstract"}
    slots: ClassVar = {
        "A": _PERSON, "B": _PERSON, "C": _PERSON, "P": r"the [a-z]+(?: [a-z]+)?",
        "ware": r"[Aa]n? [\w' -]{2,40}?", "ask": r"[\w -]{2,40}?", "price": r"[\w -]{2,40}?",
        "outfit": rf"{_COLOUR} (?P<garment>[a-z]+(?: [a-z]+)?)", "thing": r"[a-z]+ [a-z]+",
        "secret": r".{5,60}?", "night": r"[a-z]+(?: [a-z]+)?", "woe": r"[a-z ]{5,60}?",
        "petition": r"[a-z]+(?: [a-z]+){0,3}?", "trade": r"[a-z]+(?: [a-z]+)?",
    }  # fmt: skip

    @cached_property
    def _missing(self) -> dict[str, int]:
        """The tokens of each name beyond the estimate."""
        return {
            name: int(tokens) - estimate_tokens(f" {name}")
            for table, digits in self._data["name_tokens"].items()
            for name, tokens in zip(self.names[table], digits, strict=True)
        }

    def person(self, person: Person) -> Words:
        given = self.names["women" if person.female else "men"][person.given]
        he, him, his = ("she", "her", "her") if person.female else ("he", "him", "his")
        words = {"A": f"{given} {self.names['families'][person.family]}", "a": given, "s": given}
        words |= {"he": he, "him": him, "his": his, "self": f"{him}self"}
        return {**words, "trade_a": self.words["jobs"][person.trade % self.sizes["jobs"]]}

    def trade(self, person: Person) -> str:
        return f"the {self.words['trades'][person.trade]}"

    def town(self, world: World) -> Words:
        return {"town": self.names["towns"][world.town]}

    def word(self, table: str, place: int) -> str:
        word = super().word(table, place)
        return f"the {word}" if table == "places" else word

    def ware(self, goods: int, quality: int) -> str:
        return f"a {self.goods[goods].qualities[quality]} {self.goods[goods].name}"

    def number(self, value: int) -> str:
        if value >= 100:
            hundreds, rest = divmod(value, 100)
            tail = f" and {self.number(rest)}" if rest else ""
            return f"{_UNITS[hundreds]} hundred{tail}"
        if value < len(_UNITS):
            return _UNITS[value]
        tens, ones = divmod(value, 10)
        return f"{_TENS[tens]}-{_UNITS[ones]}" if ones else _TENS[tens]

    def value(self, words: str) -> int:
        if words.isdecimal():
            return int(words[:_LONGEST])
        value = 0
        for word in re.findall(r"[a-z]+", words[:200].lower()):
            value = value * 100 if word == "hundred" else value + _VALUES.get(word, 0)
        return value

    def ordinal(self, value: int) -> str:
        head, dash, last = self.number(value).rpartition("-")
        plain = f"{last[:-1]}ie" if last.endswith("y") else last
        return f"{head}{dash}{_ORDINALS.get(last, f'{plain}th')}"

    def outfit(self, colour: int, garment: int) -> str:
        return f"{self.words['colours'][colour]} {self.words['garments'][garment]}"

    def when(self, moment: Moment, rng: Random) -> str:
        if not moment.since:
            return f"{pick(rng, self.calendar['later'][moment.part])}, "
        part = pick(rng, self.calendar["parts"][moment.part])
        if moment.since == 1 and rng.random() < 0.6:
            return f"the next day, {part}, "
        month, day = divmod(moment.day % YEAR, 30)
        return f"on the {self.ordinal(day + 1)} of {self.calendar['months'][month]}, {part}, "

    def symbol(self, symbol: str, moment: Moment, rng: Random, *, alone: bool) -> str:
        return pick(rng, _LEADS_ALL if alone else _LEADS) if symbol == "when" else symbol

    def heading(self, chapter: int, title: str) -> str:
        return self.polish(f"Chapter {chapter}. ^{title}\n\n")

    def title(self, title: str) -> str:
        return self.polish(f"{title}\n\n")

    def polish(self, text: str) -> str:
        text = _ARTICLE.sub(r"\1n ", text)
        return _CAPITAL.sub(lambda match: match[1].upper(), text)

    def tidy(self, text: str, words: Words) -> str:
        for thing in (words["motif"], words["beast"]):
            before, name, after = text.partition(thing)
            if before[-4:] in _SOME:
                text = f"{before[:-4]}{_SOME[before[-4:]]}{name}{after}"
        return self.polish(text)

    def tokens(self, text: str) -> float:
        names = sum(self._missing.get(name, 0) for name in _NAME.findall(text))
        return estimate_tokens(text) * _TOKENS + names


ENGLISH = English()
