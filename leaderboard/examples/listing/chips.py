"""The conditions of a filter in words, each with the address of the list without it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from leaderboard.example_links import print_tokens
from leaderboard.examples.example_filter import (
    STATES,
    ExampleFilter,
    Range,
)
from leaderboard.examples.listing.selection import Selection
from portal.scores.titles import METRIC_SET_TITLES

_EVERYTHING = ExampleFilter()


class Chip(NamedTuple):
    text: str
    href: str  # relative to the list


def filter_chips(selection: Selection) -> list[Chip]:
    return [Chip(text, f"?{others}") for text, others in _conditions(selection, selection.filter)]


def _conditions(selection: Selection, chosen: ExampleFilter) -> Iterator[tuple[str, ExampleFilter]]:
    """In words, and the filter without each."""
    titles = {entry_id: entry.title for entry_id, entry in selection.named.items()}
    several: Mapping[str, Callable[[Any], str]] = {
        "words": lambda word: f"“{word}”",
        "entries": lambda entry: f"answers by {titles[entry]}",
        "solved": lambda entry: f"solved by {titles[entry]}",
        "failed": lambda entry: f"failed by {titles[entry]}",
        "higher": lambda pair: f"{titles[pair[0]]} higher than {titles[pair[1]]}",
        "equal": lambda pair: f"{titles[pair[0]]} and {titles[pair[1]]} equal",
        "kinds": lambda kind: f"kind: {kind}",
        "states": lambda state: STATES[state].title,
    }
    for name, in_words in several.items():
        values = getattr(chosen, name)
        for value in values:
            others = tuple(one for one in values if one != value)
            yield in_words(value), chosen.replace(**{name: others})
    tokens = (None if end is None else print_tokens(end) for end in chosen.tokens)
    for name, text in (
        ("metric_set", f"metric: {METRIC_SET_TITLES[chosen.metric_set].title}"),
        ("score", f"score {_limits(chosen.score)} %"),
        ("tokens", f"{_between(*tokens)} tokens"),
        ("depth", f"depth {_limits(chosen.depth)}"),
        ("hops", f"{chosen.hops} hop{'' if chosen.hops == 1 else 's'}"),
    ):
        default = getattr(_EVERYTHING, name)
        if getattr(chosen, name) != default:
            yield text, chosen.replace(**{name: default})


def _limits(limits: Range) -> str:
    return _between(*(None if end is None else f"{end:g}" for end in limits))


def _between(low: str | None, high: str | None) -> str:
    if low is None:
        return f"up to {high}"
    if high is None:
        return f"from {low}"
    return low if low == high else f"{low}–{high}"
