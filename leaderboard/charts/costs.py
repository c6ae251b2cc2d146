"""What a point costs: runs as crosses of two intervals, tokens across and scores upwards."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.charts.plots import Tick
from portal.endpoint_runs.costs import RunCost
from scoring.metrics.verdict import shortened
from scoring.text.amounts import rough_amount

WIDTH, HEIGHT = 480, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 470, 10, 200
_LONGEST = 32  # characters of a name
_THOUSAND = math.log2(1_000)


class CostMark(NamedTuple):
    cost: RunCost
    name: str
    x: float
    y: float
    left: float
    right: float
    low: float | None
    high: float | None
    is_own: bool  # of the page's entry
    name_ends: bool  # at the mark: right of it there is no room


class CostPlot(NamedTuple):
    width: int
    height: int
    bottom: int
    marks: Sequence[CostMark]
    lines: Sequence[str]  # paths through the runs of one model
    scores: Sequence[Tick]
    tokens: Sequence[Tick]
    finding: str


def cost_plot(costs: Sequence[RunCost], own: UUID) -> CostPlot | None:
    """None with fewer than two runs: there is nothing to compare."""
    if len(costs) < 2:
        return None
    start = math.log2(min(one.tokens.low for one in costs)) - 0.3
    end = math.log2(max(one.tokens.high for one in costs)) + 0.3

    def across(tokens: float) -> float:
        return round(_LEFT + (math.log2(tokens) - start) / (end - start) * (_RIGHT - _LEFT), 1)

    runs_of = Counter(one.title for one in costs)
    marks = [
        CostMark(
            one,
            shortened(f"{one.title}, {one.strategy}", _LONGEST)
            if runs_of[one.title] > 1
            else shortened(one.title, _LONGEST),
            across(one.tokens.mean),
            _upwards(one.score),
            across(one.tokens.low),
            across(one.tokens.high),
            _upwards(one.interval.low) if one.interval else None,
            _upwards(one.interval.high) if one.interval else None,
            is_own=one.submission == own,
            name_ends=across(one.tokens.mean) > (_LEFT + _RIGHT) / 2,
        )
        for one in costs
    ]
    by_title: dict[str, list[CostMark]] = {}
    for mark in marks:
        by_title.setdefault(mark.cost.title, []).append(mark)
    lines = [
        "M" + "L".join(f"{mark.x:g} {mark.y:g}" for mark in of_model)
        for of_model in by_title.values()
        if len(of_model) > 1
    ]
    doublings = range(math.ceil(start - _THOUSAND), math.floor(end - _THOUSAND) + 1)
    step = max(1, round(len(doublings) / 8))
    amounts = [1_000 * 2.0**doubling for doubling in doublings[::step]]
    ticks = [Tick(across(amount), rough_amount(amount)) for amount in amounts]
    scores = [Tick(_upwards(score), str(score)) for score in (0, 25, 50, 75, 100)]
    return CostPlot(WIDTH, HEIGHT, _BOTTOM, marks, lines, scores, ticks, _finding(costs))


def _upwards(score: float) -> float:
    return round(_BOTTOM - score / 100 * (_BOTTOM - _TOP), 1)


def _finding(costs: Sequence[RunCost]) -> str:
    dominated = sum(bool(one.dominated_by) for one in costs)
    if not dominated:
        return _("no run is certainly worse and dearer than another")
    text = ngettext(
        "%(count)s of %(n)s runs is certainly worse and dearer than another",
        "%(count)s of %(n)s runs are certainly worse and dearer than another",
        dominated,
    )
    return text % {"count": dominated, "n": len(costs)}
