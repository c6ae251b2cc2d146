"""The filter of a list of examples: a value that prints itself back as it is typed.

``score<0.5 model:gpt-4 tokens>100K depth:0.2..0.4 "pass key"``: all terms must hold.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from scoring.metrics import PAPER_SET
from scoring.text.amounts import read_amount, short_amount

_DECIMALS = 6
_NUMBER = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")
TERM = re.compile(
    r"""\s*(?P<term>
        (?P<name>[a-z]+(?:-[a-z]+)*)(?P<operator>:|<=|>=|<|>|=)(?P<value>"[^"]*"?|[^\s"]*)
        | "(?P<phrase>[^"]*)(?P<end>"?)
        | (?P<word>[^\s"]+)
    )""",
    re.VERBOSE,
)


class FilterError(ValueError):
    """What is wrong with a query, where, and what to do."""

    def __init__(
        self, code: str, query: str, place: tuple[int, int], sentence: str, fix: str
    ) -> None:
        super().__init__(f"{sentence} {fix}")
        self.code, self.query, self.place = code, query, place
        self.sentence, self.fix = sentence, fix

    @property
    def parts(self) -> tuple[str, str, str]:
        """The query before, at and after the error."""
        start, end = self.place
        return self.query[:start], self.query[start:end], self.query[end:]


class Range(NamedTuple):
    """From ``low`` to ``high``, both inclusive unless they are ``above`` and ``below``; None: no
    limit."""

    low: float | None = None
    high: float | None = None
    above: bool = False
    below: bool = False

    def intersection(self, other: "Range") -> "Range":
        lows = [(one.low, one.above) for one in (self, other) if one.low is not None]
        highs = [(-one.high, one.below) for one in (self, other) if one.high is not None]
        low, above = max(lows, default=(None, False))
        high, below = max(highs, default=(None, False))
        return Range(low, None if high is None else -high, above, below)

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.above or self.below))


class Field(NamedTuple):
    """Of questions or answers: a number."""

    title: str
    example: str
    read: Callable[[str], float | None]
    reveals_answers: bool = True  # only for readers who may see the labels
    of_answers: bool = False  # applies to answers rather than to questions


class State(NamedTuple):
    """A property of an answer, or of a question."""

    title: str
    of_answers: bool = True
    reveals_answers: bool = True
    for_reviewers: bool = False


def _read_share(text: str) -> float | None:
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    value = float(found[1]) / (100 if found[2] else 1)
    return round(value, _DECIMALS)


def _read_whole(text: str) -> float | None:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


RANGES: Mapping[str, Field] = {
    "tokens": Field("length of the input", "tokens>100K", read_amount, reveals_answers=False),
    "length": Field(
        "the length that was asked of the generator, or else of the input",
        "length:128K",
        read_amount,
        reveals_answers=False,
    ),
    "depth": Field("position of the evidence, from 0 to 1", "depth:0.2..0.4", _read_share),
    "hops": Field("steps to the answer", "hops:3", _read_whole),
    "difficulty": Field("1 minus the mean score of all entries", "difficulty>0.9", _read_share),
    "discrimination": Field(
        "correlation with the scores of the other questions",
        "discrimination<0",
        _read_share,
    ),
    "disagreement": Field(
        (
            "highest minus lowest score of an answer under the three metrics, 0 to 1; the mean of "
            "all entries"
        ),
        "disagreement>0.2",
        _read_share,
    ),
    "score": Field("score of an answer", "score<0.5", _read_share, of_answers=True),
}
STATES: Mapping[str, State] = {
    "right": State("right"),
    "partial": State("partly right"),
    "wrong": State("wrong"),
    "solved": State("with a score of 0.5 or more"),
    "failed": State("with a score below 0.5, or missing"),
    "missing": State("missing", reveals_answers=False),
    "empty": State("empty", reveals_answers=False),
    "truncated": State("with a truncated input, where that is known", reveals_answers=False),
    "sets-disagree": State("scored 0.5 or more apart by two of the three metrics"),
    "only-failure": State("the only one that fails"),
    "only-success": State("the only one that solves the question"),
    "solved-by-none": State("solved by nobody", of_answers=False),
    "solved-by-all": State("solved by everybody", of_answers=False),
    "noted": State(
        "with notes of reviewers",
        of_answers=False,
        reveals_answers=False,
        for_reviewers=True,
    ),
}
PUBLIC_STATES = {name: state for name, state in STATES.items() if not state.for_reviewers}
SORTS: Mapping[str, str] = {  # reversed by a minus in front
    "place": "position in the data",
    "difficulty": "most difficult first",
    "discrimination": "most discriminating first",
    "disagreement": "most disagreement first",
    "tokens": "longest first",
}
_REVEALING_SORTS = frozenset(("difficulty", "discrimination", "disagreement"))
# Free-text fields in the order in which they are printed, and the attributes for them.
TEXTS = {
    "kind": "kinds", "key": "keys", "entry": "entries", "model": "models",
    "solved": "solved", "failed": "failed", "ahead": "ahead", "level": "level",
}  # fmt: skip
NAMES = (*RANGES, *TEXTS, "is", "set", "sort")
_REVEALING_TEXTS = frozenset(("kind", "model", "solved", "failed", "ahead", "level"))


@dataclass(frozen=True, slots=True)
class Filter:
    words: tuple[str, ...] = ()  # and phrases: all of them in one text
    ranges: tuple[tuple[str, Range], ...] = ()  # in the order of ``RANGES``
    kinds: tuple[str, ...] = ()  # any of them; the next three likewise
    keys: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()  # ids of those whose answers are meant
    models: tuple[str, ...] = ()  # likewise: slugs
    solved: tuple[str, ...] = ()  # ids of entries that must all solve it
    failed: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()  # A/B: the first must have the higher score
    level: tuple[str, ...] = ()  # A/B: the same score
    states: tuple[str, ...] = ()  # all of them must hold for the same answer
    metric_set: str = PAPER_SET
    sort: str = "place"

    def __str__(self) -> str:
        """As it is typed; empty: all examples."""
        return " ".join(self._terms())

    def _terms(self) -> Iterator[str]:
        for name, one in self.ranges:
            yield from _print_range(name, one)
        for name, attribute in TEXTS.items():
            yield from (f"{name}:{_quoted(value)}" for value in getattr(self, attribute))
        yield from (f"is:{state}" for state in self.states)
        if self.metric_set != PAPER_SET:
            yield f"set:{self.metric_set}"
        if self.sort != "place":
            yield f"sort:{self.sort}"
        yield from (_printed_word(word) for word in self.words)

    def range_of(self, name: str) -> Range:
        return dict(self.ranges).get(name, Range())

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    def with_range(self, name: str, one: Range) -> Self:
        """Without that range if ``one`` has no limits."""
        others = dict(self.ranges) | {name: one}
        kept = tuple(
            (name, others[name]) for name in RANGES if others.get(name, Range()) != Range()
        )
        return self.replace(ranges=kept)

    @property
    def named(self) -> list[str]:
        """The ids of all entries in it."""
        pairs = (one for pair in (*self.ahead, *self.level) for one in pair.split("/"))
        return list(dict.fromkeys((*self.entries, *self.solved, *self.failed, *pairs)))

    @property
    def sort_field(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def is_reversed(self) -> bool:
        return self.sort.startswith("-")

    @property
    def chooses_answers(self) -> bool:
        """Whether it says anything about answers, rather than about questions alone."""
        of_answers = any(STATES[state].of_answers for state in self.states)
        return bool(of_answers or self.entries or self.models or self.range_of("score") != Range())

    @property
    def concealed(self) -> list[str]:
        """The terms that readers without access to the labels may not use, as they are typed."""
        ranges = [name for name, _range in self.ranges if RANGES[name].reveals_answers]
        texts = [name for name in _REVEALING_TEXTS if getattr(self, TEXTS[name])]
        states = [f"is:{one}" for one in self.states if STATES[one].reveals_answers]
        sorts = [f"sort:{self.sort}"] if self.sort_field in _REVEALING_SORTS else []
        sets = ["set"] if self.metric_set != PAPER_SET else []
        return [*ranges, *texts, *states, *sorts, *sets]


FIELDS_OF_HELP: Sequence[tuple[str, str]] = (  # an example, and what it means
    *((field.example, field.title) for field in RANGES.values()),
    ("kind:…", "kind of question"),
    ("key:…", "the id of an example"),
    ("entry:…", "answers of an entry, by the id in its address"),
    ("model:gpt-4", "answers of a model, by the name in its address"),
    ("solved:…", "an entry, by its id, has a score of 0.5 or more"),
    ("failed:…", "an entry, by its id, has less, or no answer"),
    ("ahead:…/…", "the first of two entries, by their ids, has a higher score"),
    ("level:…/…", "two entries, by their ids, have the same score"),
    ("is:…", "what an answer, or a question, is: see below"),
    ("set:strict", "the metric that scores"),
    ("sort:difficulty", "the order; with a minus, sort:-difficulty, reversed"),
    ('"pass key"', "a phrase; without quotation marks, words"),
)


def _print_range(name: str, one: Range) -> Iterator[str]:
    low, high = _print_number(name, one.low), _print_number(name, one.high)
    if low == high:
        yield f"{name}:{low}"
    elif low and high and not (one.above or one.below):
        yield f"{name}:{low}..{high}"
    else:
        if low:
            yield f"{name}>{'' if one.above else '='}{low}"
        if high:
            yield f"{name}<{'' if one.below else '='}{high}"


def _print_number(name: str, value: float | None) -> str:
    if value is None:
        return ""
    if name in ("tokens", "length"):
        short = short_amount(int(value))
        is_exact = short[-1] in "KM" and read_amount(short) == value
        return short if is_exact else str(int(value))
    text = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"\s", value) else value


def _printed_word(word: str) -> str:
    found = TERM.fullmatch(word)
    return word if found and found["word"] else f'"{word}"'
