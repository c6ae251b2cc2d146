"""The form controls next to the filter, which write into the same query."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leaderboard.examples.filter_language import parse_filter
from leaderboard.examples.filters import RANGES, SORTS, Filter, Range
from leaderboard.examples.listing.selection import Selection
from leaderboard.examples.queries import QuestionSet
from portal.scores.titles import METRIC_SET_TITLES
from scoring.metrics import PAPER_SET

_MOST_OPTIONS = 100
_ENDS = (("tokens", "tokens_from", "tokens_to"), ("depth", "depth_from", "depth_to"))
_DEFAULTS = {"set": PAPER_SET, "sort": "place"}
NAMES = ("entry", "is", "kind", "hops", "set", "sort", *(end for one in _ENDS for end in one[1:]))


class Option(NamedTuple):
    value: str
    title: str
    is_chosen: bool


class Ends(NamedTuple):
    """The two fields of a range."""

    name: str
    title: str
    low: str
    high: str


class Controls(NamedTuple):
    selects: Sequence[tuple[str, str, Sequence[Option]]]  # name, title, options
    ends: Sequence[Ends]


def with_controls(query: str, sent: Mapping[str, str]) -> str:
    """The query with the values of the form replacing what it said about the same fields. Raises
    ``FilterError`` if the query was wrong; the new one may still be."""
    chosen = parse_filter(query)
    entry, state, kind = (sent.get(name, "") for name in ("entry", "is", "kind"))
    chosen = chosen.replace(
        entries=(entry,) if entry else (),
        states=(state,) if state else (),
        kinds=(kind,) if kind else (),
        metric_set=_DEFAULTS["set"],
        sort=_DEFAULTS["sort"],
    )
    terms = []
    for name, *ends in _ENDS:
        chosen = chosen.with_range(name, Range())
        low, high = (sent.get(end, "").strip() for end in ends)
        if low or high:
            terms.append(f"{name}:{low}..{high}")
    chosen = chosen.with_range("hops", Range())
    for name in ("hops", "set", "sort"):
        value = sent.get(name, "").strip()
        if value not in ("", _DEFAULTS.get(name)):
            terms.append(f"{name}:{value}")
    text = " ".join([*terms, str(chosen)])
    return str(parse_filter(text)) if not terms else text


def controls_of(selection: Selection) -> Controls:
    questions, chosen = selection.questions, selection.filter
    entries = [(one.id, one.title) for one in selection.everybody[:_MOST_OPTIONS]]
    others = [one for one in selection.named.values() if one.id not in dict(entries)]
    entries += [(one.id, one.title) for one in others]
    selects = [
        ("entry", "Answers by", _options(entries, chosen.entries, "any entry")),
        ("is", "Answer", _options(_states(selection), chosen.states, "any answer")),
    ]
    if questions.shows_answers:
        kinds = [(kind, kind) for kind in sorted({*selection.facts.kinds} - {""})][:_MOST_OPTIONS]
        hops = sorted({int(one) for one in selection.facts.hops if not np.isnan(one)})
        of_hops = [(str(one), str(one)) for one in hops][:_MOST_OPTIONS]
        hop = chosen.range_of("hops")
        one_hop = (f"{hop.low:g}",) if hop.low is not None and hop.low == hop.high else ()
        selects += [
            ("kind", "Kind", _options(kinds, chosen.kinds, "any kind")),
            ("hops", "Hops", _options(of_hops, one_hop, "any number")),
        ]
        sets = [(name, title.title) for name, title in METRIC_SET_TITLES.items()]
        selects.append(("set", "Metric", _options(sets, (chosen.metric_set,))))
    selects.append(("sort", "Order", _options(_sorts(questions), (chosen.sort,))))
    return Controls(
        [one for one in selects if len(one[2]) > 1],
        [
            Ends(name, _title_of(name), _printed(chosen, name, low=True), _printed(chosen, name))
            for name, *_ends in _ENDS
            if questions.shows_answers or not RANGES[name].reveals_answers
        ],
    )


def _title_of(name: str) -> str:
    return "Length in tokens" if name == "tokens" else "Position of the evidence"


def _printed(chosen: Filter, name: str, *, low: bool = False) -> str:
    one = chosen.range_of(name)
    value = one.low if low else one.high
    return "" if value is None else f"{value:g}" if name == "depth" else f"{value:.0f}"


def _states(selection: Selection) -> list[tuple[str, str]]:
    return [
        (name, state.title)
        for name, state in selection.states.items()
        if selection.questions.shows_answers or not state.reveals_answers
    ]


def _sorts(questions: QuestionSet) -> list[tuple[str, str]]:
    easy = [("-difficulty", "easiest first"), ("-tokens", "shortest first")]
    found = [*SORTS.items(), *easy]
    if questions.shows_answers:
        return found
    return [one for one in found if one[0].removeprefix("-") in ("place", "tokens")]


def _options(
    values: Sequence[tuple[str, str]], chosen: Sequence[str], none: str = ""
) -> list[Option]:
    first = [Option("", none, not chosen)] if none else []
    return first + [Option(value, title, value in chosen) for value, title in values]
