"""Chinese: numbers, dates, and what makes prose of phrases."""

from random import Random

from scoring.generators.draws import pick
from scoring.generators.novel.language import Language, Words
from scoring.generators.novel.world import YEAR, Moment
from scoring.text.tokens import FREQUENT

_DIGITS = "零一二三四五六七八九"
_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_VALUES = {sign: value for value, sign in enumerate(_DIGITS)} | {"两": 2}
_TENS = {name: unit for unit, name in _UNITS}
_LONGEST = 18  # digits
_NIGHT = 4  # part of a day; scenes of a season happen in daylight
_AGAIN = "这件事"  # what the talk is about, once it has been named


class Chinese(Language):
    file = "chinese"

    def __init__(self) -> None:
        super().__init__()
        signs = self._data["tokens"]
        self._not_one = dict.fromkeys(map(ord, FREQUENT + signs["signs"] + "\n "))
        self._not_three = dict.fromkeys(map(ord, signs["three"].replace("\n", "")))
        self._together: list[str] = signs["together"]

    def number(self, value: int) -> str:
        text, gap = "", False
        for unit, name in _UNITS:
            digit, value = divmod(value, unit)
            if digit:
                text += ("零" if gap and text else "") + _DIGITS[digit] + name
            gap = not digit
        if value or not text:
            text += ("零" if gap and text else "") + _DIGITS[value]
        text = text.removeprefix("一") if text.startswith("一十") else text
        return "两" if text == "二" else text

    def value(self, words: str) -> int:
        if words.isdecimal():
            return int(words[:_LONGEST])
        value, digit = 0, 0
        for sign in words[:200]:
            if sign in _TENS:
                value += (digit or 1) * _TENS[sign]
                digit = 0
            else:
                digit = _VALUES.get(sign, 0)
        return value + digit

    def ordinal(self, value: int) -> str:
        return "二" if value == 2 else self.number(value)

    def when(self, moment: Moment, rng: Random) -> str:
        part = pick(rng, self.calendar["parts"][moment.part])
        if moment.since == 0:
            return f"{pick(rng, self.calendar['same'])}{part}，"
        if rng.random() < 0.4:
            month, day = divmod(moment.day % YEAR, 30)
            first = "初" if day < 10 else ""
            return f"{self.calendar['months'][month]}{first}{self.ordinal(day + 1)}{part}，"
        if moment.since == 1:
            return f"{pick(rng, self.calendar['next'])}{part}，"
        later = pick(rng, self.calendar["later"]).format(self.number(moment.since))
        return f"{later}{part}，"

    def symbol(self, symbol: str, moment: Moment, rng: Random, *, alone: bool) -> str:
        if symbol not in ("when", "season"):
            return symbol
        light = moment.part == _NIGHT or (symbol == "when" and rng.random() < 0.5)
        return f"light{moment.part}" if light else "season"

    def tidy(self, text: str, words: Words) -> str:
        text = text.replace("/", "\n")
        before, topic, after = text.partition(words["t"])
        return f"{before}{topic}{after.replace(topic, _AGAIN) if topic else after}"

    def tokens(self, text: str) -> float:
        dear = len(text.translate(self._not_one)) + len(text)
        dear -= len(text.translate(self._not_three))
        return len(text) + dear - sum(map(text.count, self._together))


CHINESE = Chinese()
