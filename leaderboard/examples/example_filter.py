"""The filter of a list of examples: a value that prints itself back as a query string."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from leaderboard.example_links import print_tokens, query_string
from scoring.metrics import PAPER_SET

_WORD = re.compile(r'"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')
_QUOTES = str.maketrans("“”„＂", '""""')  # as typed on other keyboards

Pair = tuple[str, str]
IN_ORDER = "position"  # the sort unless another one is chosen


class Range(NamedTuple):
    """None: no limit."""

    low: float | None = None
    high: float | None = None


ANY = Range()


class State(NamedTuple):
    """A property of an answer, or of a question."""

    title: str
    of_answers: bool = True
    reveals_answers: bool = True
    for_reviewers: bool = False


class Sort(NamedTuple):
    """A minus before the name of a sort reverses its order."""

    title: str
    reveals_answers: bool = True


STATES: Mapping[str, State] = {
    "right": State("right"),
    "partial": State("partly right"),
    "wrong": State("wrong"),
    "missing": State("missing", reveals_answers=False),
    "empty": State("empty", reveals_answers=False),
    "truncated": State("input truncated, where known", reveals_answers=False),
    "sets-disagree": State("metrics disagree by 50 points or more"),
    "only-failure": State("the only failure"),
    "only-success": State("the only success"),
    "solved-by-none": State("solved by no entry", of_answers=False),
    "solved-by-all": State("solved by all entries", of_answers=False),
    "noted": State(
        "with reviewer notes", of_answers=False, reveals_answers=False, for_reviewers=True
    ),
}
SORTS: Mapping[str, Sort] = {
    IN_ORDER: Sort("position in the data", reveals_answers=False),
    "-tokens": Sort("longest first", reveals_answers=False),
    "tokens": Sort("shortest first", reveals_answers=False),
    "-difficulty": Sort("most difficult first"),
    "difficulty": Sort("easiest first"),
    "-discrimination": Sort("most discriminating first"),
    "discrimination": Sort("least discriminating first"),
    "-disagreement": Sort("most metric disagreement first"),
}


@dataclass(frozen=True, slots=True)
class ExampleFilter:
    """All conditions must hold, those on answers for the same answer."""

    words: tuple[str, ...] = ()  # and phrases: all of them in one text
    entries: tuple[str, ...] = ()  # whose answers the conditions are about; empty: all entries
    solved: tuple[str, ...] = ()  # entries that must all solve the question
    failed: tuple[str, ...] = ()
    higher: tuple[Pair, ...] = ()  # of entries: the first must have the higher score
    equal: tuple[Pair, ...] = ()
    metric_set: str = PAPER_SET
    score: Range = ANY  # percent
    tokens: Range = ANY
    # Without its end, so that neighbouring ranges share no example; with it if that is 1 or the
    # start.
    depth: Range = ANY
    hops: int | None = None
    kinds: tuple[str, ...] = ()  # any of them
    states: tuple[str, ...] = ()
    sort: str = IN_ORDER

    def __str__(self) -> str:
        """The query string, without defaults."""
        return query_string([*self.parameters()])

    def parameters(self) -> Iterator[Pair]:
        """The names and values of the query string; those that are empty are left out of it."""
        yield "words", print_words(self.words)
        yield "entry", ",".join(self.entries)
        yield "solved", ",".join(self.solved)
        yield "failed", ",".join(self.failed)
        yield "higher", ",".join(entry for pair in self.higher for entry in pair)
        yield "equal", ",".join(entry for pair in self.equal for entry in pair)
        yield "set", "" if self.metric_set == PAPER_SET else self.metric_set
        for name in ("score", "tokens", "depth"):
            limits: Range = getattr(self, name)
            yield f"{name}_from", _printed(limits.low, name)
            yield f"{name}_to", _printed(limits.high, name)
        yield "hops", "" if self.hops is None else str(self.hops)
        yield from (("kind", kind) for kind in self.kinds)
        yield from (("is", state) for state in self.states)
        yield "sort", "" if self.sort == IN_ORDER else self.sort

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    @property
    def named_entries(self) -> list[str]:
        """Those of all conditions, without repetition."""
        pairs = (entry for pair in (*self.higher, *self.equal) for entry in pair)
        return list(dict.fromkeys((*self.entries, *self.solved, *self.failed, *pairs)))

    @property
    def chooses_answers(self) -> bool:
        """Whether it has conditions on answers, rather than on questions alone."""
        of_answers = any(STATES[state].of_answers for state in self.states)
        return bool(of_answers or self.entries or self.score != ANY)


def read_words(text: str) -> tuple[str, ...]:
    """Words, and phrases in quotation marks."""
    matches = _WORD.finditer(text.translate(_QUOTES))
    words = (" ".join((match["phrase"] or match["word"] or "").split()) for match in matches)
    return tuple(dict.fromkeys(words))


def print_words(words: tuple[str, ...]) -> str:
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def _printed(limit: float | None, name: str) -> str:
    if limit is None:
        return ""
    return print_tokens(limit) if name == "tokens" else f"{limit:.6g}"
