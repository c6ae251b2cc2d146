"""Sentences that say what happens: one grammar, by which a narrator writes and a reader reads.

A fact is told in two sentences, the second in the next paragraph: what leads to it, and whether
it came about. For each kind of fact there are four tables: ``open``, or ``chain`` where what it is
about is only called by whom it came from, and ``yes``, ``yes_chain`` or ``no``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import NamedTuple

from scoring.generators.grammar import Grammar, Memory

_SLOT = re.compile(r"\[(\w+)\]")
_CHOICE = re.compile(r"\{([^{}]*)\}")
_PHRASE = r".{1,140}?"  # of a table of phrases
_WORDS = r".{1,90}?"  # in a slot of which nothing else is known
_LONGEST = 420  # characters of a sentence: no pattern takes long
_MARK = 3  # characters at least of a part by which a sentence may be known
_ENDS = ("yes_chain", "yes", "no")
_NEAR = 5  # sentences after the first among which the second stands

Facts = Mapping[str, Mapping[str, str]]


class Statement(NamedTuple):
    """A fact as a reader finds it: the words of both sentences, by their slots."""

    words: Mapping[str, str]
    real: bool


class Pattern(NamedTuple):
    mark: str  # stands in every sentence of this form
    whole: re.Pattern[str]


class Telling:
    """``slots`` are the patterns of the words of a fact; ``others`` are words, but say nothing."""

    def __init__(
        self,
        facts: Facts,
        phrases: Mapping[str, str],
        slots: Mapping[str, str],
        others: frozenset[str],
    ) -> None:
        self._facts, self._phrases, self._slots, self._others = facts, phrases, slots, others
        self._compiled: dict[tuple[str, str], list[Pattern]] = {}

    @cached_property
    def _grammar(self) -> Grammar:
        tables = {
            f"{kind}_{part}": text
            for kind, parts in self._facts.items()
            for part, text in parts.items()
        }
        return Grammar(self._phrases, tables, words=self._others)

    def part(self, kind: str, part: str, *, chain: bool) -> str:
        """The table for a fact, where it may be part of a chain."""
        other = "chain" if part == "open" else f"{part}_chain"
        return other if chain and other in self._facts[kind] else part

    def say(
        self, kind: str, part: str, rng: Random, words: Mapping[str, str], before: Memory
    ) -> str:
        """One of the sentences of that kind, without its stop."""
        return self._grammar.say(f"{kind}_{part}", rng, words, before)

    def statements(self, kind: str, sentences: Sequence[str]) -> Iterator[Statement]:
        """All facts of that kind in sentences without their stops, in order."""
        opens = self._patterns(kind, "chain") + self._patterns(kind, "open")
        for place, sentence in enumerate(sentences):
            opened = self._match(opens, sentence)
            if opened is None:
                continue
            for later in sentences[place + 1 : place + 1 + _NEAR]:
                if self._match(opens, later) is not None:
                    break
                ends = {part: self._match(self._patterns(kind, part), later) for part in _ENDS}
                if found := [part for part, words in ends.items() if words is not None]:
                    yield Statement({**opened, **(ends[found[0]] or {})}, found[0] != "no")
                    break

    def reads(self, sentence: str) -> bool:
        """Whether a sentence without its stop may be taken for a part of a fact."""
        return any(
            self._match(self._patterns(kind, part), sentence) is not None
            for kind, parts in self._facts.items()
            for part in parts
        )

    def entries(self, sentences: Sequence[str]) -> Iterator[Mapping[str, str]]:
        """The people in the list of persons."""
        for sentence in sentences:
            if found := self._match(self._patterns("list", "open"), sentence):
                yield found

    @staticmethod
    def _match(patterns: Sequence[Pattern], sentence: str) -> Mapping[str, str] | None:
        if len(sentence) <= _LONGEST:
            for pattern in patterns:
                if pattern.mark in sentence and (found := pattern.whole.fullmatch(sentence)):
                    return found.groupdict()
        return None

    def _patterns(self, kind: str, part: str) -> list[Pattern]:
        if (kind, part) not in self._compiled:
            text = self._facts[kind].get(part, "").strip()
            lines = [line for line in text.split("\n") if line]
            self._compiled[kind, part] = [pattern_of(line, self._slots) for line in lines]
        return self._compiled[kind, part]


def pattern_of(line: str, slots: Mapping[str, str] | None = None) -> Pattern:
    """The pattern of all sentences that a line of a table can make: a group for each of the slots,
    of which the patterns are given, or else for all slots."""
    parts = re.split(r"\[\w+\]|\{[^{}]*\}", line)
    inner = [part for part in parts[1:] if len(part) >= _MARK] or [parts[0][1:], parts[-1]]
    inner = [part.removesuffix("a ") for part in inner]  # it may be “an”
    groups = dict.fromkeys(_SLOT.findall(line), _WORDS) if slots is None else {**slots}
    return Pattern(max(inner, key=len), re.compile(_source(line, groups, start=True)))


def _source(line: str, slots: dict[str, str], *, start: bool = False) -> str:
    """``slots`` are those without a group so far."""
    found, end = "", 0
    for token in re.finditer(rf"{_CHOICE.pattern}|{_SLOT.pattern}", line):
        found += _plain(line[end : token.start()], start=start and not found)
        choice, slot = token.groups()
        if slot:
            found += f"(?P<{slot}>{slots.pop(slot)})" if slot in slots else _PHRASE
        else:  # no choice has the words of a fact in it: a group stands in a pattern once
            ways = (_source(way, slots, start=start and not found) for way in choice.split("|"))
            found += f"(?:{'|'.join(ways)})"
        end = token.end()
    return found + _plain(line[end:], start=start and not found)


def _plain(text: str, *, start: bool) -> str:
    """A pattern of these words, of which the first may have a capital letter; “a” may be “an”."""
    escaped = re.sub(r"\\ (a)\\ ", r"\\ an?\\ ", re.escape(text))
    if start and text[:1].isalpha() and text[0].isascii():
        return f"[{text[0].upper()}{text[0]}]{escaped[1:]}"
    return escaped
