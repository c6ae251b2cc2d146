"""Counts by length and position, as a grid."""

import pytest

from leaderboard.charts.coverage import Counted, Ends, coverage_finding, coverage_of

SHORT, LONG = (4_000.0, 4_000.0), (16_000.0, 16_000.0)
START, END = (0.0, 0.5), (0.5, 1.0)


def finding(*counted: Counted) -> str:
    plot = coverage_of(counted)
    assert plot
    return coverage_finding(plot)


def test_every_length_meets_every_position() -> None:
    plot = coverage_of([Counted(LONG, END, 3), Counted(SHORT, START, 6)])
    assert plot
    assert [tick.label for tick in plot.columns] == ["4K", "16K"]
    assert plot.table == [("0–0.5", [6, 0]), ("0.5–1", [0, 3])]
    assert [cell.shade for cell in plot.cells] == [5, 0, 0, 3]
    assert all(cell.x + cell.width <= plot.width for cell in plot.cells)
    assert all(cell.y + cell.height <= plot.height for cell in plot.cells)


@pytest.mark.parametrize(
    ("lengths", "depths", "columns", "rows"),
    [(None, START, ["?"], ["0–0.5"]), (SHORT, None, ["4K"], ["?"]),
     ((4_000.0, 8_000.0), None, ["≤8K"], ["?"])],
)  # fmt: skip
def test_what_is_not_known_has_a_row_or_column_of_its_own(
    lengths: Ends | None, depths: Ends | None, columns: list[str], rows: list[str]
) -> None:
    plot = coverage_of([Counted(lengths, depths, 1)])
    assert plot
    assert [tick.label for tick in plot.columns] == columns
    assert [tick.label for tick in plot.rows] == rows


def test_where_nothing_is_known_there_is_no_picture() -> None:
    assert coverage_of([Counted(None, None, 500)]) is None
    assert coverage_of([]) is None


def test_the_finding_compares_the_cells() -> None:
    assert finding(Counted(SHORT, START, 4), Counted(LONG, START, 4)) == "4 examples in each cell"
    assert finding(Counted(SHORT, START, 4), Counted(LONG, START, 6)) == (
        "4 to 6 examples in each cell"
    )
    assert finding(Counted(SHORT, START, 4), Counted(LONG, END, 4)) == (
        "2 of 4 cells have no example"
    )
    assert finding(Counted(SHORT, START, 4)) == "4 examples in each cell"
