"""The rows of a comparison: scores, differences to the first entry, and pictures of both."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leaderboard.caveats import caveat_of_mean
from leaderboard.charts.interactive import Figure, Scores, scores_figure
from leaderboard.columns import Column, Kind
from leaderboard.comparison.choices import LETTERS, Choice
from leaderboard.comparison.differences import difference_of, is_unshared
from leaderboard.comparison.queries import Side
from leaderboard.example_links import list_address
from portal.scores.comparison.differences import Difference, Verdict
from portal.scores.scores import Score, mean_of
from portal.scores.vectors import Vectors
from scoring.metrics import PAPER_SET
from scoring.stats import rounded

_MARGIN = 7  # half the width of a mark, in pixels


class Widths(NamedTuple):
    """The widths of the pictures in pixels, the same on every screen."""

    scores: int  # from 0 to 100 percent
    difference: int  # zero is in the middle
    strip: int = 240


_OF_TWO, _OF_MANY = Widths(200, 160), Widths(140, 100)  # entries, at 1,440 pixels


class Mark(NamedTuple):
    """One entry's score on the axis of scores."""

    letter: str
    x: float


class Whisker(NamedTuple):
    """A difference with its interval, on the axis of differences."""

    x: float
    start: float | None
    end: float | None


class Part(NamedTuple):
    """Some of a task's questions, by who answers them better."""

    name: str
    size: int
    x: float
    width: float
    href: str = ""  # the list of these questions


class To(NamedTuple):
    """The difference between the first entry and another one."""

    letter: str
    difference: Difference | None
    whisker: Whisker | None
    is_unshared: bool = False  # in a task of the column they were asked no common question

    @property
    def ahead(self) -> str:
        """The letter of the better one; empty if the two are indistinguishable."""
        verdict = self.difference.verdict if self.difference else Verdict.UNTESTED
        return {Verdict.BETTER: LETTERS[0], Verdict.WORSE: self.letter}.get(verdict, "")


class Cell(NamedTuple):
    letter: str
    score: Score | None
    decimals: int

    def __str__(self) -> str:
        if self.score is None:
            return ""
        return str(rounded(self.score.percent, min(self.score.digits, self.decimals)))


class Row(NamedTuple):
    column: Column
    cells: list[Cell]
    marks: list[Mark]
    to: list[To]
    parts: list[Part]  # only for two entries
    caveats: list[str]
    claim: str = ""  # the address of the claim that the first is better than the second


class Table(NamedTuple):
    tasks: list[Row]  # sorted by how far the first entry is ahead
    means: list[Row]  # overall and domains
    widths: Widths
    reach: int  # the axis of differences goes from −reach to reach
    verdicts: Mapping[Verdict, int]  # the number of tasks, for the first two entries

    @property
    def rows(self) -> list[Row]:
        return [*self.tasks, *self.means]


def table_of(
    columns: Sequence[Column], sides: Sequence[Side], vectors: Sequence[Vectors], choice: Choice
) -> Table:
    """Without the columns in which fewer than two entries have a score."""
    known = {
        column.id: [
            (
                difference_of(column, sides[0], side, vectors[0], their_vectors),
                is_unshared(column, sides[0], side, vectors[0], their_vectors),
            )
            for side, their_vectors in zip(sides[1:], vectors[1:], strict=True)
        ]
        for column in columns
    }
    found = [one for row in known.values() for one, _ in row if one]
    ends = [abs(end) for one in found for end in (one.points, one.low, one.high) if end is not None]
    reach = max(10, 10 * math.ceil(max(ends, default=0.0) / 10))
    widths = _OF_TWO if len(sides) == 2 else _OF_MANY
    rows = [
        _row(column, sides, known[column.id], widths, reach)._replace(claim=choice.claim(column.id))
        for column in columns
    ]
    rows = [row for row in rows if len(row.marks) > 1]
    tasks = [row for row in rows if row.column.kind is Kind.TASK]
    first = [row.to[0].difference for row in tasks]
    return Table(
        tasks=sorted(tasks, key=_points_behind),
        means=[row for row in rows if row.column.kind is not Kind.TASK],
        widths=widths,
        reach=reach,
        verdicts=Counter(one.verdict if one else Verdict.UNTESTED for one in first),
    )


def _points_behind(row: Row) -> float:
    """How far the first entry is behind the second."""
    difference = row.to[0].difference
    return -difference.points if difference else math.inf


def _row(
    column: Column,
    sides: Sequence[Side],
    found: Sequence[tuple[Difference | None, bool]],
    widths: Widths,
    reach: int,
) -> Row:
    first = found[0][0]
    decimals = max((one.decimals for one, _ in found if one), default=1)
    cells = [
        Cell(letter, mean_of(column.tasks, side.scores), decimals)
        for letter, side in zip(LETTERS, sides, strict=False)
    ]
    room = widths.scores - 2 * _MARGIN
    notes = [caveat_of_mean(column.tasks, side.entry.caveats) for side in sides]
    return Row(
        column=column,
        cells=cells,
        marks=[
            Mark(cell.letter, round(_MARGIN + room * cell.score.percent / 100, 1))
            for cell in cells
            if cell.score
        ],
        to=[
            To(letter, one, _whisker(one, widths.difference, reach) if one else None, unshared)
            for letter, (one, unshared) in zip(LETTERS[1:], found, strict=False)
        ],
        parts=_parts(first, widths.strip) if len(sides) == 2 and first else [],
        caveats=sorted(set(filter(None, notes))),
    )


def _whisker(difference: Difference, width: int, reach: int) -> Whisker:
    middle = width / 2

    def x(points: float) -> float:
        return round(middle + (middle - _MARGIN) * points / reach, 1)

    if difference.low is None or difference.high is None:
        return Whisker(x(difference.points), None, None)
    return Whisker(x(difference.points), x(difference.low), x(difference.high))


def _parts(difference: Difference, whole: int) -> list[Part]:
    """Empty if the data of the two have no question in common."""
    parts: list[Part] = []
    start = 0.0
    for name, count in difference.parts.items() if difference.n else ():
        width = whole * count / difference.n
        parts.append(Part(name, count, round(start, 2), round(width, 2)))
        start += width
    return parts


# The parameters of the list of the questions of a part.
_PARAMETERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "both": [("solved", "{a},{b}")],
    "only_a": [("solved", "{a}"), ("failed", "{b}")],
    "only_b": [("solved", "{b}"), ("failed", "{a}")],
    "none": [("failed", "{a},{b}")],
    "a_higher": [("higher", "{a},{b}")],
    "b_higher": [("higher", "{b},{a}")],
    "equal": [("equal", "{a},{b}")],
}


def with_links(table: Table, release: str, choice: Choice) -> Table:
    """For two entries: each part of a task links to its questions in this release."""
    ids = dict(zip(LETTERS, choice.ids, strict=False))
    rule = "" if choice.metric_set == PAPER_SET else choice.metric_set
    tasks = []
    for row in table.tasks:
        parts = [
            part._replace(
                href=list_address(
                    release,
                    row.column.id,
                    *((name, value.format(**ids)) for name, value in _PARAMETERS[part.name]),
                    ("set", rule),
                )
            )
            for part in row.parts
        ]
        tasks.append(row._replace(parts=parts))
    return table._replace(tasks=tasks)


def interactive_scores(table: Table, names: Sequence[str]) -> Figure:
    """The scores of all rows, for Plotly."""
    entries = [
        Scores(
            name,
            f"--side-{LETTERS[place]}",
            [cell.score and round(cell.score.percent, 3) for cell in cells],
            [
                f"{name}, {row.column.title}: {cell}"
                for row, cell in zip(table.rows, cells, strict=True)
            ],
        )
        for place, name in enumerate(names)
        for cells in ([row.cells[place] for row in table.rows],)
    ]
    return scores_figure([str(row.column.title) for row in table.rows], entries)
