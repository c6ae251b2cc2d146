"""The chart of scores against their costs."""

import re
from datetime import date

import pytest

from leaderboard.charts.costs import CostPlot, _name_box, cost_plot
from portal.endpoint_runs.results.costs import RunCost, Use
from scoring.intervals import Interval


def cost(name: str, score: float, tokens: float, *, dominated_by: str = "") -> RunCost:
    interval = Interval(max(0.0, score - 5), min(100.0, score + 5), "wilson")
    return RunCost(
        name, name, "direct", 8_000, Use(tokens, tokens / 40), date(2026, 11, 23), score,
        interval, is_sample=False, is_random=True, dominated_by=dominated_by,
    )  # fmt: skip


RUNS = [
    cost("cheap", 20.0, 1_000),
    cost("good", 70.0, 4_000),
    cost("worse and dearer", 40.0, 16_000, dominated_by="good"),
    cost("slightly better", 72.0, 32_000),
]


def drawn(runs: list[RunCost]) -> CostPlot:
    found = cost_plot(runs, runs[0].entry)
    assert found
    return found


def corners(path: str) -> list[tuple[float, float]]:
    numbers = [float(one) for one in re.findall(r"[0-9.]+", path)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_the_band_holds_every_run_that_is_not_dominated_and_grows_with_what_is_spent() -> None:
    plot = drawn(RUNS)
    found = corners(plot.frontier)
    right = max(x for x, _ in found)
    most, least = sorted(y for x, y in found if x == right)[:2]
    by_name = {mark.name: mark for mark in plot.marks}
    assert most == by_name["slightly better"].high  # the highest that any may reach
    assert least == by_name["slightly better"].low
    upper = found[: found.index((right, most)) + 1]
    assert upper == sorted(upper, key=lambda one: (one[0], -one[1]))
    heights = [y for _, y in upper]
    assert heights == sorted(heights, reverse=True)  # upwards, never back


@pytest.mark.parametrize("factor", [2.0, 2.0**-10])  # so that equal labels are close together
def test_other_prices_for_all_change_nothing_but_the_axis(factor: float) -> None:
    dearer = [one._replace(use=Use(one.use.mean * factor, one.use.error * factor)) for one in RUNS]
    plot, other = drawn(RUNS), drawn(dearer)
    assert (plot.frontier, plot.slopes, plot.slope) == (other.frontier, other.slopes, other.slope)
    assert [tick.label for tick in plot.uses] != [tick.label for tick in other.uses]


def test_every_run_stands_between_two_labels_of_its_axis_and_no_name_covers_another() -> None:
    crowd = [cost(f"the same place {n}", 70.0 + n / 5, 4_000 + n) for n in range(6)]
    for runs in (RUNS, crowd, [*RUNS, *crowd]):
        plot = drawn(runs)
        ticks = [tick.at for tick in plot.uses]
        assert ticks[0] <= min(mark.x for mark in plot.marks)
        assert max(mark.x for mark in plot.marks) <= ticks[-1] <= plot.width - 15
        boxes = [_name_box(one, name_ends=one.name_ends, y=one.name_y) for one in plot.marks]
        assert [one for a, one in enumerate(boxes) if any(map(one.meets, boxes[:a]))] == []


def test_a_dominated_run_has_no_part_in_the_band() -> None:
    assert drawn(RUNS).frontier == drawn([*RUNS[:2], *RUNS[3:]]).frontier


def test_the_dashed_lines_rise_by_as_many_points_a_doubling_as_the_picture_says() -> None:
    plot = drawn(RUNS)
    ticks = {tick.label: tick.at for tick in plot.uses}
    doubling = (ticks["32K"] - ticks["1K"]) / 5
    point = (plot.scores[0].at - plot.scores[-1].at) / 100
    for x1, y1, x2, y2 in zip(*[iter(sum(corners(plot.slopes), ()))] * 4, strict=True):
        assert (y1 - y2) / point / ((x2 - x1) / doubling) == pytest.approx(plot.slope, rel=0.02)
    assert f"+{plot.slope} points" in plot.key
