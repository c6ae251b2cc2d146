"""Bins of examples, and what an entry scores in each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.resampling import bootstrap_ratios
from scoring.catalog import FIND_KINDS
from scoring.comparison.pairs import Comparison, compare_with_first
from scoring.comparison.vectors import Ints, TaskVector
from scoring.intervals import Design, Estimate, Interval, estimate
from scoring.releases.design import depth_class
from scoring.releases.facets import Facets
from scoring.text.amounts import rough_amount, short_amount

LEAST = 15  # examples in a bin of its own, where bins are a matter of choice
WIDE = 30.0  # percentage points: an interval that says little
# Kinds of questions as the official data and the generators have them; others follow by name.
KIND_ORDER = (
    *FIND_KINDS,
    *("missing declaration", "argument count", "endless loop", "indentation", "undefined name"),
    *("syntax", "total spent", "meeting", "count of visits", "last owner", "whereabouts"),
    *("dearest purchase", "who told", "order of signing", "summary"),
)

Value = TypeVar("Value", int, float, tuple[int, str])
Group = tuple[float | None, float | None, str, Sequence[int]]  # start, end, label, indices


@dataclass(frozen=True, slots=True)
class Bin:
    label: str  # the same in every language: ``64K``, ``0.1–0.2``, ``2nd max``
    # Lengths and hops from the least to the greatest in the bin, both included. Depths from
    # ``start`` up to, not including ``end``, but for an ``end`` of 1. None: of kinds.
    start: float | None
    end: float | None
    examples: tuple[int, ...]  # their indices in the data set, ascending
    estimate: Estimate | None  # None: no examples
    missing: int  # examples without an answer, which score 0
    empty: int  # examples whose answer is blank
    # With the same questions at the shortest length of a ladder: this bin − that one.
    paired: Comparison | None = None
    # Of a cell of length × depth, whose ``start`` and ``end`` are of lengths:
    depths: tuple[float, float] | None = None
    # In percentage points: how far its mean, shrunk, is from that of all cells.
    shrunk: float | None = None

    @property
    def n(self) -> int:
        return len(self.examples)

    @property
    def mean(self) -> float | None:
        """In percent."""
        return self.estimate and self.estimate.mean

    @property
    def interval(self) -> Interval | None:
        return self.estimate and self.estimate.interval

    @property
    def texts(self) -> int | None:
        """How many texts the examples are about; None: not known."""
        return self.estimate and self.estimate.texts

    @property
    def wide(self) -> bool:
        """Whether the interval is too wide to say much, or there is none."""
        return self.interval is None or self.interval.high - self.interval.low > WIDE


def make_bin(answers: TaskAnswers, group: Group, *, paired: Comparison | None = None) -> Bin:
    start, end, label, indices = group
    examples = tuple(sorted(indices))
    return Bin(
        label,
        start,
        end,
        examples,
        estimate_of(answers, examples),
        len(answers.missing.intersection(examples)),
        len(answers.empty.intersection(examples)),
        paired,
    )


def estimate_of(answers: TaskAnswers, indices: Sequence[int]) -> Estimate | None:
    """Of these examples as if they were all: with their texts, and with their strata where there
    is more than one."""
    texts, strata = answers.design
    of_texts = None if texts is None else [texts[index] for index in indices]
    of_strata = None if strata is None else [strata[index] for index in indices]
    if of_strata is not None and len(set(of_strata)) < 2:
        of_strata = None
    scores = [answers.scores[index] for index in indices]
    design = Design(of_texts, of_strata)
    return estimate(answers.task, scores, design, ratios_of=bootstrap_ratios)


def length_bins(answers: TaskAnswers, most: int) -> list[Bin]:
    """One for each target length. Of other data at most ``most`` with about as many examples each,
    so that their widths follow the data on whatever scale, and at least ``LEAST``."""
    lengths = known(answers.length_of(index) for index in range(answers.size))
    if not answers.is_by_target:
        groups = quantile_groups(lengths, most)
        return [make_bin(answers, length_group(lengths, indices)) for indices in groups]
    paired = _paired(answers)
    return [
        make_bin(answers, length_group(lengths, indices), paired=paired.get(length))
        for length, indices in by_value(lengths).items()
    ]


def depth_bins(answers: TaskAnswers, parts: int) -> list[Bin]:
    """Equal parts of 0 to 1; some may have no examples."""
    depths = known(one.depth for one in answers.facets)
    groups: list[list[int]] = [[] for _ in range(parts)]
    for index, depth in depths.items():
        groups[min(int(depth * parts), parts - 1)].append(index)
    edges = [round(part / parts, 6) for part in range(parts + 1)]
    return [
        make_bin(answers, depth_group(*ends, indices))
        for ends, indices in zip(pairwise(edges), groups, strict=True)
    ]


def hops_bins(answers: TaskAnswers) -> list[Bin]:
    groups = by_value(known(one.hops for one in answers.facets))
    return [make_bin(answers, (hops, hops, str(hops), indices)) for hops, indices in groups.items()]


def kind_bins(answers: TaskAnswers) -> list[Bin]:
    order = {kind: place for place, kind in enumerate(KIND_ORDER)}
    kinds = known(
        (order.get(one.kind, len(order)), one.kind) if one.kind else None for one in answers.facets
    )
    groups = by_value(kinds)
    return [make_bin(answers, (None, None, kind, found)) for (_, kind), found in groups.items()]


def known(values: Iterable[Value | None]) -> dict[int, Value]:
    """By index, without those that are not known."""
    return {index: value for index, value in enumerate(values) if value is not None}


def by_value(values: Mapping[int, Value]) -> dict[Value, list[int]]:
    """By value, ascending: the indices."""
    found: dict[Value, list[int]] = {}
    for index in sorted(values, key=values.__getitem__):
        found.setdefault(values[index], []).append(index)
    return found


def quantile_groups(values: Mapping[int, float], most: int, least: int = LEAST) -> list[list[int]]:
    """The indices by ascending value, in at most ``most`` groups of about the same size and of at
    least ``least``, where there are as many. Equal values are in one group."""
    parts = max(1, min(most, len(values) // least))
    groups: list[list[int]] = []
    current: list[int] = []
    grouped = 0
    for run in by_value(values).values():
        current += run
        grouped += len(run)
        if len(current) >= least and grouped * parts >= len(values) * (len(groups) + 1):
            groups.append(current)
            current = []
    if current and groups and len(current) < least:
        groups[-1] += current
    elif current:
        groups.append(current)
    return groups


def length_group(lengths: Mapping[int, int], indices: Sequence[int]) -> Group:
    start, end = (edge(lengths[index] for index in indices) for edge in (min, max))
    label = short_amount(start) if start == end else f"{rough_amount(start)}–{rough_amount(end)}"
    return start, end, label, indices


def depth_group(start: float, end: float, indices: Sequence[int]) -> Group:
    return start, end, f"{start:.3g}–{end:.3g}", indices


def _paired(answers: TaskAnswers) -> dict[int, Comparison]:
    """By target length, of the questions that were also asked at the shortest: this length − that
    one. Without the shortest, and lengths with fewer than two such questions."""
    if not answers.rungs:
        return {}
    (_, there), *others = answers.rungs.items()
    by_shared: dict[tuple[int, ...], list[int]] = {}
    for target, here in others:
        shared = tuple(sorted(here.keys() & there.keys()))
        if len(shared) > 1:
            by_shared.setdefault(shared, []).append(target)
    scores = np.array(answers.scores, dtype=np.float64)
    task = answers.task.id
    found: dict[int, Comparison] = {}
    for shared, targets in by_shared.items():
        numbers = np.array(shared, dtype=np.int64)
        strata = stratum_codes(answers.facets[there[number]] for number in shared)
        rungs = [there, *(answers.rungs[target] for target in targets)]
        entries = [
            {task: TaskVector(at_length, numbers, numbers, strata, answers.task.fractional)}
            for at_length in (scores[[rung[number] for number in shared]] for rung in rungs)
        ]
        compared = compare_with_first(entries, {task: 1.0})
        found.update(zip(targets, compared, strict=True))
    return found


def stratum_codes(questions: Iterable[Facets]) -> Ints:
    """What is fixed by design of the questions of a ladder, whatever their length."""
    strata = [(one.kind, one.hops, depth_class(one.depth)) for one in questions]
    codes = {stratum: code for code, stratum in enumerate(dict.fromkeys(strata))}
    return np.array([codes[stratum] for stratum in strata], dtype=np.int64)
