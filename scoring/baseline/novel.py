"""En.QA, En.MC and Zh.QA: collect the sentences about the subject of the question, and compute."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from scoring.baseline.chinese import CHINESE
from scoring.baseline.english import ENGLISH
from scoring.baseline.language_rules import LanguageRules
from scoring.baseline.sentences import found
from scoring.baseline.truncation import VisiblePrompt

_RECENT = 20_000  # characters
_MAX_OWNERS = 50  # of one thing
_MAX_NIGHTS = 8  # on which one thing is said to have happened


@dataclass(frozen=True, slots=True)
class Asked:
    """A book, and the names in a question about it."""

    text: str
    rules: LanguageRules
    names: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def nth(self) -> int:
        return self.rules.number(self.names["nth"])

    def facts(self, fact: str, near: str, **literal: str) -> Iterator[re.Match[str]]:
        """The statements of such a fact, in sentences that contain ``near``."""
        rules = self.rules
        return found(self.text, near, rules.facts[fact], rules.untrue, literal)


def answer_in_english(prompt: VisiblePrompt) -> str:
    return _answer(prompt, ENGLISH) or ENGLISH.unknown


def answer_in_chinese(prompt: VisiblePrompt) -> str:
    return _answer(prompt, CHINESE) or CHINESE.unknown


def chosen_option(prompt: VisiblePrompt) -> str:
    """The option that agrees with the book, or the one that it mentions most."""
    options = prompt.options
    if not options:
        return ENGLISH.unknown
    answer = _answer(prompt, ENGLISH)
    fitting = [option for option in options if answer and answer == option[1]]
    if not fitting:
        fitting = [max(options, key=lambda option: prompt.text.count(option[1]))]
    letter, text = fitting[0]
    return f"{letter}. {text}"


def _answer(prompt: VisiblePrompt, rules: LanguageRules) -> str | None:
    for kind, question in rules.questions.items():
        if names := question.search(prompt.question):
            asked = Asked(prompt.text, rules, names.groupdict())
            return _ANSWERS[kind](asked)
    return None


def _payments(asked: Asked) -> list[tuple[int, str]]:
    """The price and the seller of each purchase of such goods."""
    goods = asked.rules.singular(asked["key"])
    stated = asked.facts("paid", asked["who"], who=asked["who"], key=goods)
    return [(asked.rules.number(one["price"]), one["name"]) for one in stated]


def _total(asked: Asked) -> str:
    return str(sum(price for price, _ in _payments(asked)))


def _dearest(asked: Asked) -> str | None:
    payments = _payments(asked)
    return max(payments)[1] if payments else _last_named(asked)


def _visits(asked: Asked) -> str:
    return str(sum(1 for _ in asked.facts("went", asked["who"], **asked.names)))


def _outfit(asked: Asked) -> str | None:
    """What was worn at that meeting, or at the last one in view."""
    stated = asked.facts("met", asked["who"], who=asked["who"], whom=asked["whom"])
    part = asked.rules.parts.get(asked["part"], "garment")
    worn = [one[part] for one in islice(stated, asked.nth)]
    return worn[-1] if worn else None


def _owner(asked: Asked) -> str | None:
    """The last owner, followed by the name of the thing and by who gave it."""
    gifts = [
        (one["giver"], one["name"]) for one in asked.facts("gave", asked["key"], **asked.names)
    ]
    if not gifts:
        return _last_named(asked)
    giver, owner = gifts[-1]
    for _ in range(_MAX_OWNERS):
        stated = asked.facts("passed", giver, who=owner, giver=giver)
        if (passed := next(stated, None)) is None:
            break
        giver, owner = owner, passed["name"]
    return owner


def _teller(asked: Asked) -> str | None:
    source = _source(asked, asked["who"])
    return (source and _source(asked, source)) or _last_named(asked)


def _source(asked: Asked, hearer: str) -> str | None:
    """From whom ``hearer`` first heard it."""
    stated = asked.facts("told", asked["key"], who=hearer, key=asked["key"])
    return next((one["name"] for one in stated), None)


def _whereabouts(asked: Asked) -> str | None:
    happened = asked.facts("happened", asked["key"], key=asked["key"])
    nights = dict.fromkeys(one["night"] for one in happened)
    for night in islice(nights, _MAX_NIGHTS):
        for stay in asked.facts("stayed", night, who=asked["who"], night=night):
            return str(stay["place"])
    return None


def _signer(asked: Asked) -> str | None:
    stated = asked.facts("signed", asked["key"], key=asked["key"])
    names = [one["name"] for one in islice(stated, asked.nth)]
    return names[-1] if names else _last_named(asked)


def _last_named(asked: Asked) -> str | None:
    """A guess: the last person named in the visible text."""
    names = asked.rules.name.findall(asked.text, max(0, len(asked.text) - _RECENT))
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
