"""A model against the others: the positions of marks."""

import pytest

from leaderboard.charts.profile import ProfileRow, profile_plot


def row(percent: float, low: float | None = None, high: float | None = None) -> ProfileRow:
    return ProfileRow("x", "X", "code", f"{percent}", percent, low, high, 25, 75, "Best", 3)


def test_marks_lie_where_the_axis_says() -> None:
    plot = profile_plot([row(50, 25, 75), row(100)])
    at = {tick.label: tick.at for tick in plot.ticks}
    first, second = plot.marks
    assert (first.median, first.score, first.best) == (at["25"], at["50"], at["75"])
    assert first.interval == (at["25"], at["75"])
    assert (second.score, second.interval) == (at["100"], None)
    assert first.y < second.y < plot.height


@pytest.mark.parametrize(("percent", "is_best"), [(74.9, False), (75, True), (80, True)])
def test_the_best_is_known(percent: float, is_best: bool) -> None:
    assert row(percent).is_best == is_best


def test_nobody_is_the_best_with_nothing() -> None:
    assert not row(0.01)._replace(best=0.01).is_best
