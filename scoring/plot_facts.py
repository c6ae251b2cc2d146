"""En.Sum by facts: which steps of a computed plot a summary tells, and how much of it tells them.

Each step of the plot of a generated novel is a fact: who takes part, by every name; the *details*,
words that stand in this step alone (a helper, a thing, a place, a cause); and the *deeds*, the
other words of a plain account of it. A sentence tells a fact if it, or the sentence before it,
names one of the people, and it has a detail or two deeds itself. Words are compared by their first
six letters, so that other forms of a word count.

Recall is the share of the facts that are told, precision the share of the sentences, of four words
or more, that tell a fact; the score is their harmonic mean. A summary in other words loses little,
one of another book gains nothing. What the measure does not see: who did what to whom.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

FACT_TASKS = frozenset({"longbook_sum_eng"})  # whose answers are scored by facts as well
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_STEM = 6  # letters of a word that are compared
_DEEDS = 2  # words of a deed that say as much as a detail
_SHORTEST = 4  # words: less is no statement
_LONGEST = 65_536  # characters that are read


class PlotFact(NamedTuple):
    people: tuple[tuple[str, ...], ...]  # of each, what they are called
    details: frozenset[str]
    deeds: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return self.details | self.deeds

    def is_told(self, words: frozenset[str]) -> bool:
        """By a sentence that names one of the people: its words, as stems."""
        return bool(words & self.details) or len(words & self.deeds) >= _DEEDS

    def names(self) -> re.Pattern[str]:
        """Any name of any of the people."""
        names = (re.escape(name) for called in self.people for name in called)
        return re.compile(rf"\b(?:{'|'.join(names)})\b")


class FactScore(NamedTuple):
    """Shares from 0 to 1."""

    recall: float
    precision: float

    @property
    def score(self) -> float:
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


class Sentence(NamedTuple):
    text: str
    told: frozenset[int]  # the places of the facts that it tells
    is_statement: bool  # long enough to be one


class Telling(NamedTuple):
    """What a summary tells of some facts."""

    sentences: tuple[Sentence, ...]
    facts: int  # how many there are

    @property
    def told(self) -> frozenset[int]:
        """The places of the facts that are told."""
        return frozenset[int]().union(*(one.told for one in self.sentences))

    @property
    def score(self) -> FactScore:
        stated = [bool(one.told) for one in self.sentences if one.is_statement]
        precision = sum(stated) / len(stated) if stated else 0.0
        return FactScore(len(self.told) / self.facts, precision)


def stems(text: str) -> frozenset[str]:
    return frozenset(word.lower()[:_STEM] for word in _WORD.findall(text))


def tell_facts(summary: str, facts: Sequence[PlotFact]) -> Telling:
    """What a summary tells of these facts, of which there must be at least one; only its first
    65,536 characters are read."""
    names = [fact.names() for fact in facts]
    sentences, before = [], ""
    for sentence in _SENTENCE.split(summary[:_LONGEST]):
        if not sentence.strip():
            continue
        words, near = stems(sentence), f"{before} {sentence}"
        told = frozenset(
            place
            for place, fact in enumerate(facts)
            if fact.is_told(words) and names[place].search(near)
        )
        is_statement = len(_WORD.findall(sentence)) >= _SHORTEST
        sentences.append(Sentence(sentence, told, is_statement))
        before = sentence
    return Telling(tuple(sentences), len(facts))


def score_facts(summary: str, facts: Sequence[PlotFact]) -> FactScore:
    """There must be at least one fact."""
    return tell_facts(summary, facts).score


def facts_document(facts: Iterable[PlotFact]) -> list[dict[str, Any]]:
    """In the form of a row of ``facets/``."""
    return [
        {"people": one.people, "details": sorted(one.details), "deeds": sorted(one.deeds)}
        for one in facts
    ]


def read_facts(document: Sequence[Mapping[str, Any]]) -> tuple[PlotFact, ...]:
    """Raises ``ValueError`` if it does not have that form."""
    try:
        return tuple(
            PlotFact(
                tuple(tuple(map(str, called)) for called in one["people"]),
                frozenset(map(str, one["details"])),
                frozenset(map(str, one["deeds"])),
            )
            for one in document
        )
    except (KeyError, TypeError) as error:
        raise ValueError("“facts” must be a list of people, details and deeds") from error
