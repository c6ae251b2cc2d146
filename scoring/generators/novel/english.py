"""English: numbers, dates, articles, and what makes prose of phrases."""

import re
from functools import cached_property
from random import Random

from scoring.generators.draws import pick
from scoring.generators.novel.language import Language, Words
from scoring.generators.novel.world import YEAR, Moment
from scoring.text.tokens import estimate_tokens

_LONGEST = 18  # digits
_TOKENS = 1.0205  # for each that is estimated, without names; measured with cl100k_base
_NAME = re.compile(r"\b[A-Z][a-z]{2,}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou]|hour|honest|heir)(?!one\b|once\b|us[eu]|uni|eu)")
_CAPITAL = re.compile(r"\^(\w)")
_SOME = {"the ": "a ", "The ": "A "}  # where a thing is spoken of first
_LEADS = ("weather", "weather", "act_s", "crowd_s")  # what follows a date
_LEADS_ALL = ("weather", "crowd_s")


class English(Language):
    file = "english"

    def __init__(self) -> None:
        super().__init__()
        numbers = self._data["numbers"]
        self._units, self._tens = numbers["units"].split(), numbers["tens"].split()
        self._ordinals: Words = numbers["ordinals"]
        self._values = {word: value for value, word in enumerate(self._units)}
        self._values |= {word: 10 * value for value, word in enumerate(self._tens, 2)}

    @cached_property
    def _missing(self) -> dict[str, int]:
        """The tokens of each name beyond the estimate."""
        return {
            name: int(tokens) - estimate_tokens(f" {name}")
            for table, digits in self._data["name_tokens"].items()
            for name, tokens in zip(self.names[table], digits, strict=True)
        }

    def number(self, value: int) -> str:
        if value >= 100:
            hundreds, rest = divmod(value, 100)
            tail = f" and {self.number(rest)}" if rest else ""
            return f"{self._units[hundreds]} hundred{tail}"
        if value < len(self._units):
            return str(self._units[value])
        tens, ones = divmod(value, 10)
        return f"{self._tens[tens - 2]}-{self._units[ones]}" if ones else str(self._tens[tens - 2])

    def value(self, words: str) -> int:
        if words.isdecimal():
            return int(words[:_LONGEST])
        value = 0
        for word in re.findall(r"[a-z]+", words[:200].lower()):
            value = value * 100 if word == "hundred" else value + self._values.get(word, 0)
        return value

    def ordinal(self, value: int) -> str:
        head, dash, last = self.number(value).rpartition("-")
        plain = f"{last[:-1]}ie" if last.endswith("y") else last
        return f"{head}{dash}{self._ordinals.get(last, f'{plain}th')}"

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
