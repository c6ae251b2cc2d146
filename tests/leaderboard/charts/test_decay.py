"""The positions of marks on decay curves."""

from random import Random

import numpy as np
import pytest

from leaderboard.charts.decay import LEFT, RIGHT, DecayPlot, Subject, decay_plot, small_plot
from leaderboard.charts.findings import ladder_finding
from scoring.breakdowns.ladder import Curve, Envelope, curve_of
from tests.scoring.breakdowns.makers import DEMO, window_reader
from tests.scoring.breakdowns.test_ladder import ladder


def curve(window: int, questions: int = 80, seed: int = 1, fails: float = 0.0) -> Curve:
    reader = window_reader(Random(seed), window, DEMO, questions, fails=fails)
    return curve_of(ladder(reader), {"passkey": np.array(reader.scores)})


def plot(*curves: Curve, claimed: int | None = None, others: Envelope | None = None) -> DecayPlot:
    return decay_plot(DEMO, [Subject(one, claimed, None, None) for one in curves], others)


def test_scores_go_upwards_and_lengths_by_their_logarithm() -> None:
    [series] = plot(curve(32_000)).series
    across = [point.x for point in series.points]
    steps = np.diff(across)
    assert steps[0] == pytest.approx(steps[1], abs=0.2)  # 4 times as long
    assert steps[2] == pytest.approx(steps[0] / 2, abs=0.2)  # twice as long
    ticks = {tick.label: tick.at for tick in plot(curve(32_000)).scores}
    assert series.points[0].y == ticks["100"]
    for point in series.points:
        share = (point.y - ticks["0"]) / (ticks["100"] - ticks["0"])
        assert 100 * share == pytest.approx(point.step.mean, abs=0.1)


def test_names_do_not_touch_and_keep_their_order() -> None:
    names = [one.name_y for one in plot(*(curve(128_000, seed=seed) for seed in range(6))).series]
    assert min(np.diff(sorted(names))) >= 15
    assert max(names) <= 290
    low = [one.name_y for one in plot(*(curve(1_000, seed=seed) for seed in range(6))).series]
    assert min(np.diff(sorted(low))) >= 15
    assert max(low) <= 290


def test_the_ruler_has_the_effective_context_and_the_windows() -> None:
    [series] = plot(curve(32_000), claimed=16_000).series
    across = {point.step.length: point.x for point in series.points}
    assert (series.ruler.low, series.ruler.high) == (across[16_000], across[64_000])
    assert series.ruler.claimed == across[16_000]
    [open_ended] = plot(curve(128_000), claimed=1_000_000).series
    assert open_ended.ruler.is_open
    assert open_ended.ruler.high == open_ended.ruler.claimed == RIGHT
    [unknown] = plot(curve(128_000, questions=40)).series
    assert unknown.ruler.at is None


def test_points_of_few_questions_are_hollow() -> None:
    [few, many] = plot(curve(32_000, questions=29), curve(32_000, questions=30)).series
    assert all(point.is_few for point in few.points)
    assert not any(point.is_few for point in many.points)


def test_the_band_is_around_the_first_point_and_the_envelope_around_the_others() -> None:
    found = plot(curve(32_000), others=Envelope([0.0] * 4, [100.0] * 4, 9))
    [series] = found.series
    first = series.points[0]
    assert series.band.startswith(f"M{first.x:g} {first.y:g}L")
    assert found.envelope.count("L") == 7
    assert min(tick.at for tick in found.lengths) > LEFT
    assert plot(curve(32_000)).envelope == ""


def test_the_small_picture_has_a_line_for_each_curve() -> None:
    found = small_plot([curve(8_000), curve(128_000)])
    assert len(found.paths) == 2
    assert all(path.count("L") == 3 for path in found.paths)


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        ({"A": 128_000, "B": 128_000}, ("all 2", "128K")),
        ({"A": 128_000, "B": 8_000}, ("only A", "128K")),
        ({"A": 8_000, "B": 32_000}, ("none", "B", "16K–64K")),
        ({"A": 32_000}, ("A:", "16K–64K")),
    ],
)
def test_the_finding_says_who_keeps_its_score(
    curves: dict[str, int], words: tuple[str, ...]
) -> None:
    found = ladder_finding([(name, curve(window)) for name, window in curves.items()], 85)
    assert all(word in found for word in words)


def test_of_few_questions_the_finding_says_how_much_was_lost() -> None:
    curves = [
        (name, curve(window, questions=40)) for name, window in (("A", 128_000), ("B", 8_000))
    ]
    found = ladder_finding(curves, 85)
    assert "A changes by 0.0 points" in found
