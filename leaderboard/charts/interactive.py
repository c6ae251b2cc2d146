"""Charts in Plotly's format, as JSON in the page, for static/js/interactive.js.

Colours are names of custom properties in the stylesheets. ``legendgroup`` is the number of an
entry, which is shown and hidden with everything that belongs to it. ``text`` is read out by screen
readers.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from scoring.breakdowns.ladder import Curve, Envelope
from scoring.text.amounts import short_amount

_SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_SIDE_SYMBOLS = ("circle", "diamond", "triangle-up", "square")  # of the compared entries
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SCORE = "%{{{axis}:.1f}} %<extra></extra>"  # shown at the mark; more text would cover other marks
Figure = dict[str, Any]


class Named(NamedTuple):
    """A curve with the text that is read out at each of its lengths."""

    name: str
    curve: Curve
    texts: Sequence[str]


def decay_figure(lengths: Sequence[int], named: Sequence[Named], others: Envelope | None) -> Figure:
    data: list[Figure] = []
    if others:
        ends = [*others.high, *reversed(others.low)]
        data.append(_area([*lengths, *reversed(lengths)], ends, "--ink-soft", 0.14, ""))
    for number, one in enumerate(named, 1):
        first, *steps = one.curve.steps
        known = [(step.length, step.paired) for step in steps if step.paired]
        high = [(length, min(100.0, first.mean + paired.high)) for length, paired in known]
        low = [(length, max(0.0, first.mean + paired.low)) for length, paired in known]
        around = [(first.length, first.mean), *high, *reversed(low)]
        across, up = zip(*around, strict=True)
        data.append(_area(across, up, f"--curve-{number}", 0.13, str(number)))
    for number, one in enumerate(named, 1):
        colour = f"--curve-{number}"
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": one.name,
                "legendgroup": str(number),
                "x": [step.length for step in one.curve.steps],
                "y": [round(step.mean, 3) for step in one.curve.steps],
                "text": list(one.texts),
                "hovertemplate": _SCORE.format(axis="y"),
                "line": {"color": colour, "width": 2.5, "dash": _DASHES[number - 1]},
                "marker": {"color": colour, "size": 9, "symbol": _SYMBOLS[number - 1]},
            }
        )
    ends_of_axis = [math.log10(lengths[0] / 1.15), math.log10(lengths[-1] * 1.15)]
    across_axis: Figure = {
        "type": "log",
        "range": ends_of_axis,
        "tickvals": list(lengths),
        "ticktext": [short_amount(one) for one in lengths],
    }
    layout: Figure = {"xaxis": across_axis, "yaxis": {"range": [-2, 102]}, "hovermode": "closest"}
    return {"data": data, "layout": layout, "margin": {"wide": 44, "narrow": 36}}


def _area(
    x: Sequence[float], y: Sequence[float], colour: str, opacity: float, group: str
) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(x),
        "y": [round(one, 3) for one in y],
        "fill": "toself",
        "fillcolor": colour,
        "line": {"width": 0},
        "opacity": opacity,
        "hoverinfo": "skip",
        "legendgroup": group,
    }


class Scores(NamedTuple):
    """The scores of an entry, by row; None where it has none."""

    name: str
    colour: str
    values: Sequence[float | None]
    texts: Sequence[str]


def scores_figure(rows: Sequence[str], entries: Sequence[Scores]) -> Figure:
    """A row for each task or mean from top to bottom; scores from left to right."""
    data: list[Figure] = []
    for number, one in enumerate(entries, 1):
        known = [place for place, value in enumerate(one.values) if value is not None]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": one.name,
                "legendgroup": str(number),
                "x": [one.values[place] for place in known],
                "y": known,
                "text": [one.texts[place] for place in known],
                "hovertemplate": _SCORE.format(axis="x"),
                "marker": {
                    "color": one.colour,
                    "size": 11,
                    "symbol": _SIDE_SYMBOLS[number - 1],
                },
            }
        )
    down: Figure = {
        "range": [len(rows) - 0.5, -0.5],
        "tickvals": list(range(len(rows))),
        "ticktext": list(rows),
    }
    layout: Figure = {"xaxis": {"range": [-2, 102]}, "yaxis": down, "hovermode": "closest"}
    return {"data": data, "layout": layout, "margin": {"wide": 150, "narrow": 120}}
