"""Sentences from tables of phrases: a symbol expands to a phrase that may contain other symbols.

A few hundred short phrases combine to millions of sentences, so that a text of any length hardly
repeats itself. All novels, plays and packages are written with it.

A table maps each symbol to its alternatives: a sequence, or one text with an alternative on each
line or between ``|``. In an alternative stand ``[symbol]``, ``[Symbol]`` (the same with a capital
letter first), ``[word]`` (given by the caller, and preferred to a symbol of that name),
and ``{one|another}`` for a choice on the spot.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

_CHOICE = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"\[([\w#]+)\]")
_NO_WORDS: Mapping[str, str] = {}

Table = Mapping[str, str | Sequence[str]]
Memory = dict[str, int]  # the last choice for each symbol
_Parts = tuple[str, tuple[tuple[str, str], ...]]  # text, then each slot with the text after it


class Grammar:
    """Raises ``ValueError`` for a symbol without a phrase, when it is made."""

    def __init__(self, *tables: Table, words: frozenset[str] = frozenset()) -> None:
        self._rules: dict[str, tuple[_Parts, ...]] = {}
        for table in tables:
            for symbol, phrases in table.items():
                self._add(symbol, phrases)
        slots = {slot for rules in self._rules.values() for _, rest in rules for slot, _ in rest}
        known = self._rules.keys() | words
        if missing := sorted(slot for slot in slots if not known & {slot, _small(slot)}):
            raise ValueError(f"no phrase for {', '.join(missing)}")

    def _add(self, symbol: str, phrases: str | Sequence[str]) -> None:
        if isinstance(phrases, str):
            rules = _alternatives(self._without_choices(symbol, phrases.strip()))
        else:
            rules = tuple(_parts(self._without_choices(symbol, phrase)) for phrase in phrases)
        self._rules[symbol] = rules

    def _without_choices(self, symbol: str, text: str) -> str:
        """The text, in which each choice on the spot is a symbol of its own."""
        while choice := _CHOICE.search(text):
            name = f"{symbol}#{len(self._rules)}"
            self._rules[name] = _alternatives(choice[1])
            text = f"{text[: choice.start()]}[{name}]{text[choice.end() :]}"
        return text

    def say(
        self,
        symbol: str,
        rng: Random,
        words: Mapping[str, str] = _NO_WORDS,
        before: Memory | None = None,
    ) -> str:
        """One phrase for the symbol, drawn from the stream.

        No phrase comes twice in a row for the same symbol, here and in other calls with the same
        ``before``. Raises ``KeyError`` for an unknown symbol.
        """
        expanded: list[str] = []
        self._expand(symbol, rng.random, words, expanded, {} if before is None else before)
        return "".join(expanded)

    def _expand(
        self,
        symbol: str,
        draw: Callable[[], float],
        words: Mapping[str, str],
        expanded: list[str],
        before: Memory,
    ) -> None:
        phrases = self._rules[symbol]
        choice = int(draw() * len(phrases))
        if before.get(symbol) == choice:
            choice = (choice + 1) % len(phrases)
        before[symbol] = choice
        text, rest = phrases[choice]
        expanded.append(text)
        for slot, after in rest:
            start = len(expanded)
            name = slot if slot in words or slot in self._rules else _small(slot)
            if name in words:
                expanded.append(words[name])
            else:
                self._expand(name, draw, words, expanded, before)
            if name is not slot:
                expanded[start:] = [capital("".join(expanded[start:]))]
            expanded.append(after)


def read_tables(module: str, name: str) -> dict[str, Any]:
    """Those of the file ``{name}.toml`` beside the file of a module."""
    return tomllib.loads(Path(module).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def capital(text: str) -> str:
    """With a capital letter first, and the rest as it is."""
    return text[:1].upper() + text[1:]


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]


def _alternatives(text: str) -> tuple[_Parts, ...]:
    return tuple(
        _parts(alternative) for line in text.split("\n") for alternative in line.strip().split("|")
    )


def _parts(text: str) -> _Parts:
    first, *rest = _SLOT.split(text)
    return first, tuple(zip(rest[::2], rest[1::2], strict=True))
