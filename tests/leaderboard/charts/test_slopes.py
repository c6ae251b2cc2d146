"""Lines that lead from one metric set to the next."""

from itertools import pairwise

import pytest

from leaderboard.charts.slopes import WIDTH, Series, rank_slopes, score_slopes


def series(name: str, values: list[float], counts: list[int] | None = None) -> Series:
    return Series(
        name, name, "code", values, [f"{value:.1f}" for value in values], (), counts or ()
    )


def test_scores_stand_as_high_as_they_are() -> None:
    found = score_slopes([series("a", [0, 50, 100])])
    bottom, middle, top = (stop.y for stop in found.slopes[0].stops)
    assert bottom - middle == middle - top > 0
    assert all(0 < stop.y < found.height for stop in found.slopes[0].stops)
    assert [head.x for head in found.heads] == [stop.x for stop in found.slopes[0].stops]


@pytest.mark.parametrize("percents", [[0.0] * 12, [100.0] * 12, [9.0 * n for n in range(12)]])
def test_labels_do_not_cover_each_other(percents: list[float]) -> None:
    found = score_slopes([series(str(n), [one] * 3) for n, one in enumerate(percents)])
    for labels in ([one.value_y for one in found.slopes], [one.label_y for one in found.slopes]):
        ordered = sorted(labels)
        assert all(after - before >= 13.9 for before, after in pairwise(ordered))
        assert ordered[0] > 0
        assert ordered[-1] < found.height + 7


def test_labels_of_lines_that_end_together_stand_around_their_end() -> None:
    found = score_slopes([series(str(n), [50.0] * 3) for n in range(5)]).slopes
    end = found[0].stops[-1].y
    assert [one.label_y - end for one in found] == [-28, -14, 0, 14, 28]


def test_a_label_that_is_alone_stands_at_the_end_of_its_line() -> None:
    found = score_slopes([series(str(n), [n] * 3) for n in (0.0, 50.0, 90.0, 91.0)]).slopes
    by_name = {one.series.id: one.label_y - one.stops[-1].y for one in found}
    assert by_name["0.0"] == by_name["50.0"] == 0
    assert by_name["91.0"] == -by_name["90.0"] < 0


def test_the_number_of_changed_examples_stands_half_way() -> None:
    found = score_slopes([series("a", [2, 34, 6], [122, 0]), series("b", [5, 5, 5], [0, 0])])
    level, changing = found.slopes
    assert (level.series.id, level.is_level, level.counts) == ("b", True, [])
    [count] = changing.counts
    assert (count.n, count.x) == (122, (found.heads[0].x + found.heads[1].x) / 2)


def test_ranks_are_in_their_order_and_leave_no_gap() -> None:
    found = rank_slopes([series("a", [1, 40, 2]), series("b", [2, 1, 1])])
    by_name = {one.series.id: [stop.y for stop in one.stops] for one in found.slopes}
    assert by_name["a"] == [by_name["b"][1], by_name["b"][0], by_name["b"][0]]
    assert found.width > WIDTH  # names of entries are long


def test_no_entry_is_no_line() -> None:
    assert score_slopes([]).slopes == rank_slopes([]).slopes == []
