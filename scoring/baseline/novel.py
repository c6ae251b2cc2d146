"""En.QA, En.MC and Zh.QA: collect what is said about the subject of the question, and compute.

Sentences are read by the grammar that the novels are written with; nothing but its text is known
about a book.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from scoring.baseline.truncation import VisiblePrompt
from scoring.generators.novel.chinese import CHINESE
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.language import Language
from scoring.generators.novel.telling import Statement, pattern_of

_ENDS = re.compile(r"[.!?][\"”’]?\s+|[。！？][”’」』]?|\n")
_STOPS = '.!?。！？"”’ \n'
_FORM = re.compile(r"(?:the|那位) ?")  # before a trade
_NAMES = {
    "english": re.compile(r"[A-Z][\w'-]{1,30} [A-Z][\w'-]{1,30}"),
    "chinese": re.compile(r"(?<=，)[\u4e00-\u9fff]{3,4}(?=的)"),
}
_RECENT = 20_000  # characters


@dataclass(frozen=True)
class Book:
    """A book, and the words of a question about it."""

    text: str
    language: Language
    asked: Mapping[str, str]

    @cached_property
    def sentences(self) -> list[str]:
        return [sentence.strip().rstrip(_STOPS) for sentence in _ENDS.split(self.text)]

    @cached_property
    def _names(self) -> dict[str, str]:
        """The full names of people by their other names."""
        names: dict[str, str] = {}
        for entry in self.language.facts.entries(self.sentences):
            full = entry["A"]
            given = full.partition(" ")[0] if self.language.gap else full[-2:]
            names |= {given: full, entry["trade"]: full}
        return names

    def name(self, called: str) -> str:
        plain = _FORM.sub("", called, count=1) if called[:1] in "tT那" else called
        return self._names.get(called) or self._names.get(plain.lower()) or called

    def facts(self, kind: str, *, real: bool = True) -> list["Fact"]:
        found = self.language.facts.statements(kind, self.sentences)
        return [Fact(self, one) for one in found if one.real == real]

    @property
    def nth(self) -> int:
        ordinals = {self.language.ordinal(number): number for number in range(1, 20)}
        return ordinals.get(self.asked["nth"], 1)


@dataclass(frozen=True)
class Fact:
    book: Book
    statement: Statement

    def __getitem__(self, slot: str) -> str:
        word = self.statement.words.get(slot) or ""
        return self.book.name(word[:1].lower() + word[1:] if word[:4] == "The " else word)


def answer_in_english(prompt: VisiblePrompt) -> str:
    return _answer(prompt, ENGLISH) or ENGLISH.questions["unknown"]


def answer_in_chinese(prompt: VisiblePrompt) -> str:
    return _answer(prompt, CHINESE) or CHINESE.questions["unknown"]


def chosen_option(prompt: VisiblePrompt) -> str:
    """The option that agrees with the book, or the one that it mentions most."""
    options = prompt.options
    if not options:
        return ENGLISH.questions["unknown"]
    answer = _answer(prompt, ENGLISH)
    fitting = [option for option in options if option[1] == answer]
    if not fitting:
        fitting = [max(options, key=lambda option: prompt.text.count(option[1]))]
    letter, text = fitting[0]
    return f"{letter}. {text}"


def _answer(prompt: VisiblePrompt, language: Language) -> str | None:
    for kind, answer in _ANSWERS.items():
        asked = re.split("[?？]", language.questions[kind])[0]  # what follows says how to answer
        if found := re.search(f"{pattern_of(asked).whole.pattern}[?？]", prompt.question):
            book = Book(prompt.text, language, found.groupdict())
            return answer(book) or _last_named(book)
    return None


def _payments(book: Book) -> list[tuple[int, str]]:
    """The price and the seller of each purchase of such goods."""
    goods, who = book.asked["goods"], book.asked["who"]
    if book.language.gap:
        goods = f"{goods[:-3]}fe" if goods.endswith("ves") else goods.removesuffix("s")
    bought = book.facts("paid")
    wares = {paid["A"]: paid["ware"] for paid in bought if paid["ware"]}
    return [
        (book.language.value(paid["price"]), paid["B"])
        for paid in bought
        if paid["A"] == who and (paid["ware"] or wares.get(paid["C"], "")).endswith(goods)
    ]


def _total(book: Book) -> str:
    return str(sum(price for price, _ in _payments(book)))


def _dearest(book: Book) -> str | None:
    payments = _payments(book)
    return max(payments)[1] if payments else None


def _visits(book: Book) -> str:
    wanted = (book.asked["who"], book.asked["place"])
    visits = book.facts("went")
    places = {went["A"]: went["P"] for went in visits if went["P"]}
    return str(sum((went["A"], went["P"] or places.get(went["C"])) == wanted for went in visits))


def _outfit(book: Book) -> str | None:
    """What was worn at that meeting, or at the last one in view."""
    wanted = (book.asked["who"], book.asked["whom"])
    part = "colour" if book.asked["part"] == book.language.questions["colour"] else "garment"
    worn = [met[part] for met in book.facts("met") if (met["A"], met["B"]) == wanted]
    return worn[: book.nth][-1] if worn else None


def _owner(book: Book) -> str | None:
    giver = owner = None
    for gave in book.facts("gave"):
        if gave["thing"] == book.asked["thing"] or (
            owner and (gave["C"], gave["A"]) == (giver, owner)
        ):
            giver, owner = gave["A"], gave["B"]
    return owner


def _teller(book: Book) -> str | None:
    """The source's source."""
    source: dict[str, str] = {}
    for told in book.facts("told"):
        teller = told["A"]
        if told["secret"] == book.asked["secret"] or (
            told["C"] and source.get(teller) == told["C"]
        ):
            source.setdefault(told["B"], teller)
    return source.get(source.get(book.asked["who"], ""))


def _whereabouts(book: Book) -> str | None:
    nights = [one["night"] for one in book.facts("happened") if one["woe"] == book.asked["woe"]]
    stays = [stay for stay in book.facts("stayed") if stay["night"] in nights]
    places = {stay["A"]: stay["P"] for stay in stays if stay["P"]}
    own = [stay["P"] or places.get(stay["C"]) for stay in stays if stay["A"] == book.asked["who"]]
    return own[0] if own else None


def _signer(book: Book) -> str | None:
    signers: list[str] = []
    for signed in book.facts("signed"):
        if signed["petition"] == book.asked["petition"] or signed["C"] in signers[-1:]:
            signers.append(signed["A"])
    return signers[: book.nth][-1] if signers else None


def _last_named(book: Book) -> str | None:
    """A guess: the last person named in the visible text."""
    names = _NAMES[book.language.file].findall(book.text, max(0, len(book.text) - _RECENT))
    return names[-1] if names else None


_ANSWERS: Mapping[str, Callable[[Book], str | None]] = {
    "total spent": _total,
    "dearest purchase": _dearest,
    "count of visits": _visits,
    "meeting": _outfit,
    "last owner": _owner,
    "who told": _teller,
    "whereabouts": _whereabouts,
    "order of signing": _signer,
}
