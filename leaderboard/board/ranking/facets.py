"""What a board can be filtered by: the facets with their values, and those of an entry."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from leaderboard.entries import Entry
from portal.models import spelled_alike
from portal.scores.trust import TRUST, Trust

UNKNOWN = "unknown"  # not stated: a value like any other
OWN_LABELS = "own"  # the entry's labels match no version as a whole
_MOST_VALUES = 30  # for one facet in an address
_LONGEST_VALUE = 100  # characters
_SLUG = re.compile(r"[-a-z0-9_]{1,60}")
_NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,4})?)"
_PARAMETERS = re.compile(rf"(?:{_NUMBER}\s*[x×]\s*)?{_NUMBER}\s*([KMBT])\b", re.IGNORECASE)
_BILLIONS = {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}

Values = Mapping[str, str]  # value in an address → title


@dataclass(frozen=True, slots=True)
class Facet:
    name: str  # of the field of the filters, and of the query parameter
    title: str
    of: Callable[[Entry, Collection[str]], tuple[str, ...]]  # of an entry, given the board's tasks
    values: Values = field(default_factory=dict)  # in order; empty: the values that entries have
    clean: Callable[[str], str] = lambda value: value  # a value from an address; empty: none
    title_of: Callable[[Entry], str] = lambda _: ""  # of an entry, if ``values`` is empty
    unknown: str = ""  # “size is”: of entries that say nothing about it

    def read(self, sent: Iterable[str]) -> tuple[str, ...]:
        """Normalises the chosen values. Choosing all of them is choosing none."""
        if not self.values:
            cleaned = {self.clean(value[: 2 * _LONGEST_VALUE]) for value in sent}
            return tuple(sorted(filter(None, cleaned))[:_MOST_VALUES])
        found = tuple(value for value in self.values if value in sent)
        return () if 1 < len(found) == len(self.values) else found


class _Ranges(NamedTuple):
    """Ranges of a number: each ends where the next one begins."""

    starts: Mapping[str, float]

    def of(self, number: float | None) -> tuple[str, ...]:
        if not number:
            return (UNKNOWN,)
        return ([name for name, start in self.starts.items() if start <= number][-1],)


_NOT_STATED = {UNKNOWN: "not stated"}
_SIZES = _Ranges({"under-4b": 0, "4b-10b": 4, "10b-40b": 10, "40b-100b": 40, "over-100b": 100})
_SIZE_TITLES: Values = {
    "under-4b": "below 4B",
    "4b-10b": "4B – 10B",
    "10b-40b": "10B – 40B",
    "40b-100b": "40B – 100B",
    "over-100b": "100B and more",
    **_NOT_STATED,
}
_TOKENS = _Ranges(
    {"under-32k": 0, "32k-100k": 32_000, "100k-200k": 100_000, "200k-1m": 200_000, "over-1m": 10**6}
)
_TOKEN_TITLES: Values = {
    "under-32k": "below 32K",
    "32k-100k": "32K – 99K",
    "100k-200k": "100K – 199K",
    "200k-1m": "200K – 999K",
    "over-1m": "1M and more",
    **_NOT_STATED,
}


@lru_cache(4096)
def text_value(text: str) -> str:
    """The value of a free text, the same for all its spellings; empty for none."""
    value = text
    for _again in range(4):  # until the value of a value is itself
        before, value = value, spelled_alike(value)[:_LONGEST_VALUE]
        if value == before:
            break
    return value if value == spelled_alike(value) else ""


@lru_cache(4096)
def billions(parameters: str) -> float | None:
    """The number of parameters: 8 for “8B”, 47 for “47B (13B active)”, 56 for “8x7B”; None if there
    is none."""
    found = _PARAMETERS.search(parameters)
    if not found:
        return None
    times, number, unit = found.groups()
    return float(times or 1) * float(number) * _BILLIONS[unit.upper()]


def _labels(entry: Entry, _tasks: Collection[str]) -> tuple[str, ...]:
    if entry.label_versions is None:
        return ()
    return tuple(entry.label_versions) or (OWN_LABELS,)


def _complete(entry: Entry, tasks: Collection[str]) -> tuple[str, ...]:
    return ("yes",) if all(task in entry.scores for task in tasks) else ()


FACETS: tuple[Facet, ...] = (
    Facet(
        "organisation",
        "Organisation",
        lambda entry, _: (text_value(entry.model.organisation) or UNKNOWN,),
        clean=text_value,
        title_of=lambda entry: entry.model.organisation,
        unknown="organisation is",
    ),
    Facet(
        "weights",
        "Weights",
        lambda entry, _: (entry.model.weights or UNKNOWN,),
        {"open": "open weights", "closed": "closed weights", **_NOT_STATED},
        unknown="weights are",
    ),
    Facet(
        "size",
        "Model size",
        lambda entry, _: _SIZES.of(billions(entry.model.parameters)),
        _SIZE_TITLES,
        unknown="size is",
    ),
    Facet(
        "window",
        "Context window",
        lambda entry, _: _TOKENS.of(entry.model.context_window),
        _TOKEN_TITLES,
        unknown="context window is",
    ),
    Facet(
        "input",
        "Input limit",
        lambda entry, _: _TOKENS.of(entry.run and entry.run.input_limit),
        _TOKEN_TITLES,
        unknown="input limit is",
    ),
    Facet(
        "method",
        "Method",
        lambda entry, _: ("with" if entry.method else "alone",),
        {"alone": "model alone", "with": "with a method"},
    ),
    Facet(
        "prompt",
        "Prompt",
        lambda entry, _: (text_value(entry.prompt) or UNKNOWN,),
        clean=text_value,
        title_of=lambda entry: entry.run.prompt_strategy if entry.run else "",
        unknown="prompt strategy is",
    ),
    Facet(
        "trust",
        "Degree of trust",
        lambda entry, _: (entry.trust,),
        {trust: TRUST[trust].title for trust in Trust},
    ),
    Facet(
        "labels",
        "Labels",
        _labels,
        clean=lambda value: value if _SLUG.fullmatch(value) else "",
    ),
    Facet("complete", "Tasks", _complete, {"yes": "with all tasks"}),
)
