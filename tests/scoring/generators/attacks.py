"""Attacks on questions about novels: answers without the book, from a few lines, or by rank.

They know the phrasing of such books, and have lists of words of negation. None resolves, from one
sentence to another, who is meant by what was given, told, bought or visited before.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

_ENDS = re.compile(r"(?<=[.!?])[\"”]?\s+|(?<=[。！？])[”]?|\n+")
_NAMES = {
    "en": re.compile(r"[A-Z][a-z'-]+ [A-Z][a-z'-]+"),
    "zh": re.compile(r"[\u4e00-\u9fff]{3,4}"),
}
_NO = {
    "en": re.compile(
        r"turned back|got no further|came to nothing|nothing came|instead|called back|gave it up"
        r"|never arrived|left without|went away as|neither would|interrupted|put it back|shut the lid"
        r"|shook a|stayed where|kept for another|no money|not enough|never came|for nobody|nobody came"
        r"|saw nobody|put off|mistaken|nobody admired|would not|could not part|refused|declined"
        r"|pushed back|heard nothing|learned nothing|not spoken|unsaid|spoke of|not so|was not then"
        r"|had seen nobody|contrary|false|drinking|laid the pen|gave back|without (?:him|her)|dry|broken"
    ),
    "zh": re.compile(
        "折了回来|只走到|改了主意|没有走成|作罢|打发|没有出门|没有到|空着手|没有要|谈不拢|搅散|摇了摇|收了起来"
        "|盖上|留在了原处|归了后来|没有付|不够|没有来|没有等到|往后推|改了期|记错|不肯|舍不得|推了回来|没有拿|什么也没"
        "|没有说出口|咽了|说的却是|讹传|编出来|不是在那时|认错|喝多|没有看见|反证|假的|搁下|没有添|传了下去|不肯再|不肯换"
    ),
}  # fmt: skip
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_UNITS = {"十": 10, "百": 100}
_SMALL = [
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
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_SMALL[1:10])})\b)?|(?:{'|'.join(_SMALL)})\b(?!-))"
)
_CHINESE_NUMBER = re.compile(r"[零一二两三四五六七八九十百]+(?=块)")


@dataclass(frozen=True)
class Asked:
    """A question, and the book or what remains of it."""

    kind: str
    text: str
    question: str
    right: str
    options: Sequence[str] = ()

    @property
    def language(self) -> str:
        return "en" if self.question.isascii() else "zh"

    @cached_property
    def sentences(self) -> list[str]:
        return [one for one in _ENDS.split(self.text) if one]

    @cached_property
    def subject(self) -> dict[str, str]:
        pattern = _SUBJECTS[self.language].get(self.kind)
        found = re.search(pattern, self.question) if pattern else None
        return {name: word for name, word in (found.groupdict() if found else {}).items() if word}

    def forms(self, name: str, *, given: bool) -> list[str]:
        """The full name and the given name."""
        short = name.partition(" ")[0] if self.language == "en" else name[-2:]
        return [name, short] if given else [name]

    def trade(self, name: str) -> str:
        found = re.search(rf"{name}(?:, the |，)(.+)", self.text[:3_000])
        return found[1] if found else name


_SUBJECTS = {
    "en": {
        "total spent": r"did (?P<who>.+?) pay for (?P<key>.+?) in",
        "dearest purchase": r"all the (?P<key>.+?) that (?P<who>.+?) bought",
        "count of visits": r"did (?P<who>.+?) really go to (?P<key>.+?)\?",
        "meeting": r"What (?P<part>\w+) was (?P<who>.+?) wearing when meeting (?P<whom>.+?) for the (?P<nth>\w+)",
        "last owner": r"The (?P<key>.+?) passed",
        "who told": r"end (?P<who>.+?) was told that (?P<key>.+?)\.",
        "whereabouts": r"did (?P<who>.+?) really .+? on which the (?P<key>.+?)\?",
        "order of signing": r"the (?P<nth>\w+) person .+? petition for the (?P<key>.+?)\?",
    },
    "zh": {
        "total spent": r"，(?P<who>.+?)买(?P<key>.+?)前后",
        "dearest purchase": r"(?P<who>.+?)买过好几.(?P<key>.+?)，",
        "count of visits": r"，(?P<who>.+?)真正去过(?P<key>.+?)几次",
        "meeting": r"(?P<who>.+?)第(?P<nth>.)次与(?P<whom>.+?)见面.+是什么(?P<part>..)",
        "last owner": r"(?P<key>.+?)在书中",
        "who told": r"“(?P<key>.+?)”.+告诉了(?P<who>.+?)；",
        "whereabouts": r"(?P<key>.+?)的那一夜，(?P<who>.+?)究竟",
        "order of signing": r"请求(?P<key>.+?)的请愿书上，第(?P<nth>.)个",
    },
}  # fmt: skip


def worth(words: str) -> int:
    if words.isascii():
        if "-" in words or words in _TENS:
            tens, _, ones = words.partition("-")
            return 10 * (_TENS.index(tens) + 2) + (_SMALL.index(ones) if ones else 0)
        return _SMALL.index(words)
    value, digit = 0, 0
    for sign in words:
        if sign in _UNITS:
            value, digit = value + (digit or 1) * _UNITS[sign], 0
        else:
            digit = _DIGITS[sign]
    return value + digit


# Grep: sentences with two strings, and any number of sentences after them


@dataclass(frozen=True)
class Grep:
    """``after``: how many sentences after a hit count too; ``given``: whether a given name counts
    as the person; ``trades``: whether a trade does."""

    after: int
    given: bool
    trades: bool = False

    def __str__(self) -> str:
        names = "full names" if not self.given else "given names" if not self.trades else "trades"
        return f"grep, {names}, {self.after} sentences after"

    def forms(self, asked: Asked, name: str) -> list[str]:
        trade = [asked.trade(name)] if self.trades else []
        return asked.forms(name, given=self.given) + trade

    def hits(self, asked: Asked, *strings: Sequence[str], denied: bool = False) -> Iterator[str]:
        """Sentences around these strings, without those that are negated."""
        for place, sentence in enumerate(asked.sentences):
            if all(any(form in sentence for form in forms) for forms in strings):
                found = "\n".join(asked.sentences[place : place + 1 + self.after])
                if denied or not _NO[asked.language].search(found):
                    yield found

    def answer(self, asked: Asked) -> str | None:
        if not asked.subject:
            return None
        key = asked.subject.get("key", "")
        if asked.language == "en" and asked.kind in ("total spent", "dearest purchase"):
            key = f"{key[:-3]}fe" if key.endswith("ves") else key.removesuffix("s")
        who = self.forms(asked, asked.subject["who"]) if "who" in asked.subject else []
        answer: Callable[[Asked, str, list[str]], str | None]
        answer = getattr(self, f"_{asked.kind.replace(' ', '_')}")
        return answer(asked, key, who)

    def _prices(self, asked: Asked, key: str, who: list[str]) -> list[tuple[int, str]]:
        number = _ENGLISH_NUMBER if asked.language == "en" else _CHINESE_NUMBER
        prices = [([worth(words) for words in number.findall(hit)], hit)
                  for hit in self.hits(asked, who, [key])]  # fmt: skip
        return [(min(found), hit) for found, hit in prices if found]

    def _total_spent(self, asked: Asked, key: str, who: list[str]) -> str | None:
        return str(sum(price for price, _ in self._prices(asked, key, who)))

    def _dearest_purchase(self, asked: Asked, key: str, who: list[str]) -> str | None:
        prices = self._prices(asked, key, who)
        return self._name(asked, max(prices)[1], who) if prices else None

    def _name(self, asked: Asked, text: str, who: Sequence[str], last: bool = False) -> str | None:
        """Another person in these sentences, among all who are named there in any form."""
        people = dict.fromkeys(self._people(asked))
        found = [
            (text.find(form), name)
            for name in people
            for form in self.forms(asked, name)
            if form in text and not set(self.forms(asked, name)) & set(who)
        ]
        return (max if last else min)(found)[1] if found else None

    @staticmethod
    def _people(asked: Asked) -> list[str]:
        lines = asked.text[:3_000].split("\n")
        listed = [re.match(r"(.+?)(?:, the |，)", line) for line in lines if len(line) < 60]
        return [found[1] for found in listed if found]

    def _count_of_visits(self, asked: Asked, key: str, who: list[str]) -> str | None:
        return str(sum(1 for _ in self.hits(asked, who, [key])))

    def _meeting(self, asked: Asked, key: str, who: list[str]) -> str | None:
        whom, nth = self.forms(asked, asked.subject["whom"]), asked.subject["nth"]
        place = _ORDINALS.index(nth) if asked.language == "en" else worth(nth) - 1
        hits = list(self.hits(asked, who, whom))
        if asked.language == "en":
            clothes = r"the ((?:dark |pale )?[a-z-]+) ((?:riding |travelling )?(?:cloak|coat|scarf|hat|cape|jacket|hood|waistcoat|sash|mantle|beret|overcoat|collar|tunic))"
        else:
            clothes = r"那.(.{1,3}?)色(.{2})"
        worn = [found for hit in hits if (found := re.search(clothes, hit))]
        if len(worn) <= place:
            return None
        part = 1 if asked.subject["part"] in ("colour", "颜色") else 2
        return worn[place][part]

    def _last_owner(self, asked: Asked, key: str, who: list[str]) -> str | None:
        hits = list(self.hits(asked, [key]))
        return self._name(asked, hits[-1], (), last=True) if hits else None

    def _who_told(self, asked: Asked, key: str, who: list[str]) -> str | None:
        """Whoever is named with the secret, else whoever confides in the asked person last."""
        confided = ["confided", "confidence"] if asked.language == "en" else ["告诉过", "听来"]
        hits = [*self.hits(asked, [key]), *self.hits(asked, who, confided)]
        return self._name(asked, hits[-1], who) if hits else None

    def _whereabouts(self, asked: Asked, key: str, who: list[str]) -> str | None:
        night = (
            r"the night of the ([a-z ]+?)(?: began| had begun| quietly|[.,\n]|$)"
            if asked.language == "en"
            else r"([\u4e00-\u9fff]{2,6}?)那一夜"
        )
        place = (
            r"at (the [a-z ]+?)(?:,|\.| until| said|$)"
            if asked.language == "en"
            else r"在([\u4e00-\u9fff]{2,6}?)(?:睡|过的|待)"
        )
        for index, sentence in enumerate(asked.sentences):
            around = "\n".join(asked.sentences[max(0, index - self.after) : index + 1])
            if key in sentence and not _NO[asked.language].search(sentence):
                for found in re.finditer(night, around):
                    for hit in self.hits(asked, who, [found[1].removeprefix("从")]):
                        if slept := re.search(place, hit):
                            return slept[1]
        return None

    def _order_of_signing(self, asked: Asked, key: str, who: list[str]) -> str | None:
        nth = asked.subject["nth"]
        place = _ORDINALS.index(nth) if asked.language == "en" else worth(nth) - 1
        hits = list(self.hits(asked, [key]))
        return self._name(asked, hits[place], ()) if len(hits) > place else None


GREPS = tuple(
    Grep(after, given, trades)
    for after in (0, 1, 2)
    for given, trades in ((False, False), (True, False), (True, True))
)


# BM25: what can be answered from the best sentences of a book


def best_sentences(asked: Asked, count: int) -> str:
    """The sentences that BM25 ranks best for the question, in the order of the book, together with
    the list of persons."""

    def cut(text: str) -> list[str]:
        if asked.language == "en":
            return re.findall(r"[a-z'-]+", text.lower())
        return [text[place : place + 2] for place in range(len(text) - 1)]

    cuts = [Counter(cut(sentence)) for sentence in asked.sentences]
    mean = sum(one.total() for one in cuts) / len(cuts)
    scores = [0.0] * len(cuts)
    for term in set(cut(asked.question)):
        having = sum(term in one for one in cuts)
        weight = log(1 + (len(cuts) - having + 0.5) / (having + 0.5))
        for place, one in enumerate(cuts):
            if times := one[term]:
                length = 0.25 + 0.75 * one.total() / mean
                scores[place] += weight * times * 2.2 / (times + 1.2 * length)
    best = sorted(range(len(cuts)), key=lambda place: -scores[place])[:count]
    listed = [
        place
        for place, one in enumerate(asked.sentences[:40])
        if re.match(r".{3,30}(?:, the |，).{2,15}$", one)
    ]
    return "\n".join(asked.sentences[place] for place in sorted({*best, *listed}))


# Options and ranks


def _mentions(asked: Asked) -> list[list[int]]:
    return [[found.start() for found in re.finditer(rf"\b{re.escape(one)}\b", asked.text)]
            for one in asked.options]  # fmt: skip


def _numbers(asked: Asked) -> list[int]:
    return [int(one) for one in asked.options] if all(map(str.isdecimal, asked.options)) else []


def _of_rank(rank: int) -> Callable[[Asked], str | None]:
    def guess(asked: Asked) -> str | None:
        firsts = [(places[0] if places else 1 << 60, option)
                  for places, option in zip(_mentions(asked), asked.options, strict=True)]  # fmt: skip
        return sorted(firsts)[rank][1]

    return guess


def _number_of_rank(rank: int) -> Callable[[Asked], str | None]:
    return lambda asked: str(sorted(numbers)[rank]) if (numbers := _numbers(asked)) else None


def _hub(asked: Asked) -> str | None:
    """The number that is closest to all others."""
    numbers = _numbers(asked)
    return (
        str(min(numbers, key=lambda one: sum(abs(one - other) for other in numbers)))
        if numbers
        else None
    )


def _nth_of_first_mentions(asked: Asked) -> str | None:
    nth = asked.subject.get("nth")
    if nth is None or nth not in _ORDINALS:
        return None
    return _of_rank(min(3, _ORDINALS.index(nth)))(asked)


def _by_count(asked: Asked, best: Callable[..., int]) -> str:
    counts = [len(places) for places in _mentions(asked)]
    return asked.options[counts.index(best(counts))]


def _most_with_subject(asked: Asked) -> str | None:
    """The option that occurs most often in sentences with the subject of the question."""
    words = [word for name, word in asked.subject.items() if name in ("who", "key")]
    near = "\n".join(one for one in asked.sentences if any(word in one for word in words))
    counts = [near.count(option) for option in asked.options]
    return asked.options[counts.index(max(counts))]


BY_OPTIONS: dict[str, Callable[[Asked], str | None]] = {
    **{f"mentioned first as number {rank + 1}": _of_rank(rank) for rank in range(4)},
    **{f"number {rank + 1} by size": _number_of_rank(rank) for rank in range(4)},
    "the hub of the numbers": _hub,
    "the ordinal of the first mentions": _nth_of_first_mentions,
    "mentioned most often": lambda asked: _by_count(asked, max),
    "mentioned least often": lambda asked: _by_count(asked, min),
    "most often with the subject": _most_with_subject,
    "the longest": lambda asked: max(asked.options, key=len),
    "the shortest": lambda asked: min(asked.options, key=len),
    "the letter A": lambda asked: asked.options[0],
    "the letter B": lambda asked: asked.options[1],
    "the letter C": lambda asked: asked.options[2],
    "the letter D": lambda asked: asked.options[3],
}
