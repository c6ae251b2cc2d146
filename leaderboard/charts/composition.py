"""The composition of a release: the shares of its tasks."""

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.charts.plots import Tick
from scoring.catalog import Task
from scoring.stats import rounded

WIDTH, _ROW, _LABELS, _END, _FOOT = 360, 20, 112, 306, 22
_APART = 10.0  # percentage points between a task's two shares that are worth a sentence


class Part(NamedTuple):
    """A task of a release."""

    task: Task
    domain: str
    examples: int
    input_tokens: float | None  # on average; None: the texts are unknown
    input_estimated: bool
    output_tokens: float | None  # of the correct answer, on average; None: not counted, or secret
    output_estimated: bool
    share: float  # of the examples, in percent
    input_share: float | None  # of all input; None: it is not known of every task


class Bar(NamedTuple):
    part: Part
    y: float
    end: float
    input_end: float | None
    value: str


class Composition(NamedTuple):
    width: int
    height: int
    bottom: int
    start: int
    bars: Sequence[Bar]
    shares: Sequence[Tick]


def composition_of(parts: Sequence[Part]) -> Composition:
    most = max(share for part in parts for share in (part.share, part.input_share or 0))
    top = next(step for step in (10, 20, 40, 60, 80, 100) if most <= step + 1e-9)

    def across(percent: float) -> float:
        return round(_LABELS + percent / top * (_END - _LABELS), 1)

    bars = [
        Bar(
            part,
            _ROW * (place + 0.5),
            across(part.share),
            None if part.input_share is None else across(part.input_share),
            f"{rounded(part.share, 1)}",
        )
        for place, part in enumerate(parts)
    ]
    bottom = _ROW * len(parts)
    ticks = [Tick(across(share), f"{share:g} %") for share in (0, top / 2, top)]
    return Composition(WIDTH, bottom + _FOOT, bottom, _LABELS, bars, ticks)


def composition_finding(parts: Sequence[Part]) -> str:
    """The task whose texts take up most beyond its share of examples, otherwise the largest
    domain."""
    longest = max(parts, key=lambda part: (part.input_share or 0) - part.share)
    if longest.input_share is not None and longest.input_share - longest.share >= _APART:
        text = "%(task)s has %(share)s of the examples, and %(input)s of the input"
        return text % {
            "task": longest.task.title,
            "share": f"{rounded(longest.share, 0)} %",
            "input": f"{rounded(longest.input_share, 0)} %",
        }
    shares: dict[str, float] = {}
    for part in parts:
        shares[str(part.domain)] = shares.get(str(part.domain), 0.0) + part.share
    largest = max(shares, key=shares.__getitem__)
    text = "%(domain)s has %(share)s of the examples"
    return text % {"domain": largest, "share": f"{rounded(shares[largest], 0)} %"}
