"""A small grammar: symbols that stand for one of several phrases, in which other symbols stand.

A table maps each symbol to its alternatives, one a line or between ``|``. In an alternative stand
``[symbol]``, ``[word]`` (a word that the speaker hands in, which goes before a symbol of that name)
and ``{one|another}`` for a choice on the spot.
"""

import re
from collections.abc import Mapping
from random import Random

_CHOICE = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"\[([\w#]+)\]")

_Parts = tuple[str, ...]  # text, name of a slot, text, name of a slot, …, text


class Phrases:
    """Raises ``ValueError`` for a symbol without a phrase, when it is made."""

    def __init__(self, *tables: Mapping[str, str], words: frozenset[str] = frozenset()) -> None:
        self._rules: dict[str, tuple[_Parts, ...]] = {}
        for table in tables:
            for symbol, text in table.items():
                self._add(symbol, text)
        slots = {name for rules in self._rules.values() for parts in rules for name in parts[1::2]}
        if missing := sorted(slots - self._rules.keys() - words):
            raise ValueError(f"no phrase for {', '.join(missing)}")

    def _add(self, symbol: str, text: str) -> None:
        while choice := _CHOICE.search(text):
            name = f"{symbol}#{len(self._rules)}"
            self._rules[name] = _alternatives(choice[1])
            text = f"{text[: choice.start()]}[{name}]{text[choice.end() :]}"
        self._rules[symbol] = _alternatives(text.strip())

    def say(self, symbol: str, rng: Random, words: Mapping[str, str]) -> str:
        """One phrase for the symbol, drawn from the stream."""
        told: list[str] = []
        self._tell(symbol, rng, words, told, {})
        return "".join(told)

    def _tell(
        self,
        symbol: str,
        rng: Random,
        words: Mapping[str, str],
        told: list[str],
        before: dict[str, int],
    ) -> None:
        """``before`` holds the last choice for each symbol, so that none comes twice in a row."""
        rules = self._rules[symbol]
        choice = int(rng.random() * len(rules))
        if before.get(symbol) == choice:
            choice = (choice + 1) % len(rules)
        before[symbol] = choice
        parts = rules[choice]
        told.append(parts[0])
        for i in range(1, len(parts), 2):
            word = words.get(parts[i])
            if word is None:
                self._tell(parts[i], rng, words, told, before)
            else:
                told.append(word)
            told.append(parts[i + 1])


def _alternatives(text: str) -> tuple[_Parts, ...]:
    return tuple(
        tuple(_SLOT.split(alternative))
        for line in text.split("\n")
        for alternative in line.strip().split("|")
    )
