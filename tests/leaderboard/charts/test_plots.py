"""The positions of marks on charts, and what their titles say."""

import pytest

from leaderboard.charts.breakdowns import title_of
from leaderboard.charts.findings import finding_of
from leaderboard.charts.plots import HEIGHT, WIDTH, Plot, plot_of, shade_of
from portal.scores.titles import SettingsLine
from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.breakdown import Breakdown, By, break_down
from scoring.catalog import TASKS
from scoring.releases.facets import Facets

LENGTHS = (4_000, 16_000, 64_000)


def answers_of(task: str, scores: list[float], facets: list[Facets]) -> TaskAnswers:
    nothing = [None] * len(scores)
    return TaskAnswers(TASKS[task], scores, facets, nothing, list(range(len(scores))))


def broken_down(task: str, by: By, scores: list[float], facets: list[Facets]) -> Breakdown:
    found = break_down(answers_of(task, scores, facets), by)
    assert found
    return found


def by_depth(scores: list[float]) -> Breakdown:
    last = len(scores) - 1
    facets = [Facets(depth=index / last) for index in range(len(scores))]
    return broken_down("kv_retrieval", By.DEPTH, scores, facets)


def on_a_ladder(scores_of_lengths: list[list[float]]) -> Breakdown:
    """The scores of the same questions at each length."""
    facets = [
        Facets(target_tokens=length, ladder=number, depth=0.5)
        for length in LENGTHS
        for number in range(len(scores_of_lengths[0]))
    ]
    scores = [score for scores in scores_of_lengths for score in scores]
    return broken_down("passkey", By.LENGTH, scores, facets)


def shares(plot: Plot) -> tuple[float, float]:
    """The positions of 0 and 100 on the score axis."""
    at = {tick.label: tick.at for tick in plot.scores}
    return at["0"], at["100"]


@pytest.mark.parametrize("by", [By.DEPTH, By.HOPS])
def test_the_ends_of_intervals_are_those_of_the_figures(by: By) -> None:
    facets = [Facets(depth=index / 99, hops=2 * (index % 4)) for index in range(100)]
    scores = [float(index % 3 == 0) for index in range(100)]
    found = broken_down("code_run", by, scores, facets)
    plot = plot_of(found)
    zero, hundred = shares(plot)
    assert len(plot.points) == len(found.bins)
    for point in plot.points:
        interval = point.bin.interval
        assert interval
        assert point.low is not None
        assert point.high is not None
        for at, percent in ((point.low, interval.low), (point.high, interval.high)):
            assert (at - zero) / (hundred - zero) * 100 == pytest.approx(percent, abs=0.1)


def test_hops_are_calls_in_code_only() -> None:
    facets = [Facets(hops=2 * (index % 4)) for index in range(20)]
    titles = {
        task: title_of(broken_down(task, By.HOPS, [1.0] * 20, facets))
        for task in ("code_run", "longbook_qa_eng", "longdialogue_qa_eng")
    }
    assert titles["code_run"] != titles["longbook_qa_eng"] == titles["longdialogue_qa_eng"]


def test_lengths_stand_at_equal_distances_for_equal_ratios() -> None:
    plot = plot_of(on_a_ladder([[1.0] * 40, [1.0] * 20 + [0.0] * 20, [0.0] * 40]))
    first, second, third = (tick.at for tick in plot.bins)
    assert second - first == pytest.approx(third - second, abs=0.2)
    assert [tick.label for tick in plot.bins] == ["4K", "16K", "64K"]
    assert plot.band.startswith("M")
    assert plot.band.endswith("Z")


def test_every_mark_lies_inside_the_picture() -> None:
    plot = plot_of(on_a_ladder([[1.0] * 80, [1.0] * 40 + [0.0] * 40, [0.0] * 80]), 16_000)
    assert all(0 <= point.at <= WIDTH and 0 <= point.score <= HEIGHT for point in plot.points)
    assert plot.context
    assert plot.context.low <= plot.context.at <= plot.context.high
    assert plot.claimed == plot.bins[1].at


def test_a_claimed_window_beyond_all_lengths_is_not_drawn() -> None:
    ladder = on_a_ladder([[1.0] * 40, [1.0] * 20 + [0.0] * 20, [0.0] * 40])
    assert plot_of(ladder, 1_000_000).claimed is None


def test_marks_of_few_examples_are_hollow() -> None:
    plot = plot_of(by_depth([1.0, 0.0] * 100))
    assert all(point.is_few for point in plot.points)
    assert not any(point.is_few for point in plot_of(by_depth([1.0, 0.0] * 200)).points)


def test_cells_of_length_and_depth_fill_a_grid() -> None:
    facets = [
        Facets(target_tokens=length, ladder=number, depth=number / 99)
        for length in LENGTHS
        for number in range(100)
    ]
    scores = [float(facet.depth is not None and facet.depth > 0.5) for facet in facets]
    found = broken_down("kv_retrieval", By.LENGTH_DEPTH, scores, facets)
    plot = plot_of(found)
    assert len({cell.x for cell in plot.cells}) == len(LENGTHS)
    assert len({(cell.x, cell.y) for cell in plot.cells}) == len(plot.cells) == len(found.bins)
    top = min(cell.y for cell in plot.cells)
    assert all(cell.shade.startswith("less") for cell in plot.cells if cell.y == top)
    assert not plot.has_cuts
    run = SettingsLine("", "end", LENGTHS[1] // 4)
    cut = {(one.bin.start, one.bin.depths) for one in plot_of(found, None, run).cells if one.is_cut}
    assert {length for length, _ in cut} == set(LENGTHS[1:])
    assert min(depths[0] for _, depths in cut if depths) >= LENGTHS[1] / 4 / LENGTHS[-1]


@pytest.mark.parametrize(
    ("difference", "shade"),
    [(0, "same"), (5, "same"), (-7, "less-1"), (24, "more-2"), (90, "more-3"), (-90, "less-3")],
)
def test_a_shade_has_three_steps_to_each_side(difference: float, shade: str) -> None:
    assert shade_of(difference) == shade


def test_findings_say_what_the_figures_show() -> None:
    assert finding_of(by_depth([1.0] * 590)).endswith("590 of 590 right")
    assert "0 of 50" in finding_of(by_depth([0.0] * 50))
    late = finding_of(by_depth([0.0] * 250 + [1.0] * 250))
    assert "0 % at the start, 100 % at the end" in late
    middle = finding_of(by_depth([1.0] * 200 + [0.0] * 100 + [1.0] * 200))
    assert "0 % at 0.4–0.5" in middle
    alternating = finding_of(by_depth([1.0, 0.0] * 250))
    assert "p\N{NO-BREAK SPACE}=" in alternating
    assert "start" not in alternating


def test_the_finding_of_kinds_names_the_best_and_the_worst() -> None:
    facets = [Facets(kind=kind) for kind in ("max", "min", "median") for _ in range(20)]
    scores = [1.0] * 20 + [1.0, 0.0] * 10 + [0.0] * 20
    finding = finding_of(broken_down("math_find", By.KIND, scores, facets))
    assert "“max” (100 %)" in finding
    assert "“median” (0 %)" in finding


def test_the_effective_context_stands_beside_the_claimed_window() -> None:
    ladder = on_a_ladder([[1.0] * 80, [1.0] * 80, [0.0] * 80])
    assert "of 1M" in finding_of(ladder, 1_000_000)
    never = on_a_ladder([[1.0] * 79 + [0.0], [1.0] * 79 + [0.0], [1.0] * 79 + [0.0]])
    assert "≥ 64K" in finding_of(never)
