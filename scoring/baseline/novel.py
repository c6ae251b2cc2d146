"""En.QA, En.MC and Zh.QA: gather the sentences that tell what is asked about, and reckon."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from scoring.baseline.chinese import CHINESE
from scoring.baseline.english import ENGLISH
from scoring.baseline.language_rules import LanguageRules
from scoring.baseline.sentences import found
from scoring.baseline.truncation import VisiblePrompt

_LATELY = 20_000  # characters
_HANDS = 50  # through which one thing goes
_NIGHTS = 8  # on which one thing may be told to have happened


@dataclass(frozen=True, slots=True)
class Asked:
    """A book, and what a question about it names."""

    text: str
    rules: LanguageRules
    names: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def nth(self) -> int:
        return self.rules.number(self.names["nth"])

    def told(self, fact: str, near: str, **literal: str) -> Iterator[re.Match[str]]:
        """Where the book tells such a fact, in sentences with these words."""
        rules = self.rules
        return found(self.text, near, rules.facts[fact], rules.untrue, literal)


def answer_in_english(prompt: VisiblePrompt) -> str:
    return _answer(prompt, ENGLISH) or ENGLISH.unknown


def answer_in_chinese(prompt: VisiblePrompt) -> str:
    return _answer(prompt, CHINESE) or CHINESE.unknown


def chosen_option(prompt: VisiblePrompt) -> str:
    """The option that says what the book does, or the one that it speaks of most."""
    options = prompt.options
    if not options:
        return ENGLISH.unknown
    answer = _answer(prompt, ENGLISH)
    fitting = [option for option in options if answer and _same(option[1], answer)]
    if not fitting:
        fitting = [max(options, key=lambda option: prompt.text.count(option[1]))]
    letter, text = fitting[0]
    return f"{letter}. {text}"


def _same(option: str, answer: str) -> bool:
    """“41 crowns” is 41."""
    return option == answer or option.partition(" ")[0] == answer


def _answer(prompt: VisiblePrompt, rules: LanguageRules) -> str | None:
    for kind, question in rules.questions.items():
        if names := question.search(prompt.question):
            asked = Asked(prompt.text, rules, names.groupdict())
            return _ANSWERS[kind](asked)
    return None


def _payments(asked: Asked) -> list[tuple[int, str]]:
    """What was paid for such goods, each time, and to whom."""
    goods = asked.rules.singular(asked["key"])
    told = asked.told("paid", asked["who"], who=asked["who"], key=goods)
    return [(asked.rules.number(one["price"]), one["name"]) for one in told]


def _total(asked: Asked) -> str:
    return str(sum(price for price, _ in _payments(asked)))


def _dearest(asked: Asked) -> str | None:
    payments = _payments(asked)
    return max(payments)[1] if payments else _somebody(asked)


def _visits(asked: Asked) -> str:
    return str(sum(1 for _ in asked.told("went", asked["who"], **asked.names)))


def _outfit(asked: Asked) -> str | None:
    """What was worn at that meeting, or at the last one that is told of."""
    told = asked.told("met", asked["who"], who=asked["who"], whom=asked["whom"])
    outfits = [one["outfit"] for one in islice(told, asked.nth)]
    return outfits[-1] if outfits else None


def _owner(asked: Asked) -> str | None:
    """Who has it after all that is told of it, by its name or by whom it came from."""
    gifts = [(one["giver"], one["name"]) for one in asked.told("gave", asked["key"], **asked.names)]
    if not gifts:
        return _somebody(asked)
    giver, owner = gifts[-1]
    for _ in range(_HANDS):
        told = asked.told("passed", giver, who=owner, giver=giver)
        if (passed := next(told, None)) is None:
            break
        giver, owner = owner, passed["name"]
    return owner


def _teller(asked: Asked) -> str | None:
    source = _source(asked, asked["who"])
    return (source and _source(asked, source)) or _somebody(asked)


def _source(asked: Asked, hearer: str) -> str | None:
    """From whom somebody first heard it."""
    told = asked.told("told", asked["key"], who=hearer, key=asked["key"])
    return next((one["name"] for one in told), None)


def _whereabouts(asked: Asked) -> str | None:
    happened = asked.told("happened", asked["key"], key=asked["key"])
    nights = dict.fromkeys(one["night"] for one in happened)
    for night in islice(nights, _NIGHTS):
        for stay in asked.told("stayed", night, who=asked["who"], night=night):
            return str(stay["place"])
    return None


def _signer(asked: Asked) -> str | None:
    told = asked.told("signed", asked["key"], key=asked["key"])
    names = [one["name"] for one in islice(told, asked.nth)]
    return names[-1] if names else _somebody(asked)


def _somebody(asked: Asked) -> str | None:
    """A guess: who is spoken of last in what is to be seen."""
    names = asked.rules.name.findall(asked.text, max(0, len(asked.text) - _LATELY))
    return names[-1] if names else None


_ANSWERS: Mapping[str, Callable[[Asked], str | None]] = {
    "total": _total,
    "dearest": _dearest,
    "visits": _visits,
    "outfit": _outfit,
    "owner": _owner,
    "teller": _teller,
    "whereabouts": _whereabouts,
    "signer": _signer,
}
