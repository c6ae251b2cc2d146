"""The rows of a board as printed: names, and scores with their shade, interval and tooltip."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Self
from unicodedata import east_asian_width

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.board.board import Board
from leaderboard.board.ranking import Line
from leaderboard.caveats import CAVEAT_SIGN, Caveats, caveat_of_mean
from leaderboard.columns import Column, Kind
from leaderboard.entries import Entry, OtherData
from leaderboard.names import MARKS, MarkTitle
from portal.scores.scores import Score, mean_of, partial_tasks
from scoring.catalog import TASKS
from scoring.stats import rounded

_DECIMALS = {Kind.OVERALL: 2, Kind.DOMAIN: 1, Kind.TASK: 1}
_SHADES = 10
_MIN_SPREAD = 10.0  # percentage points: a column of nearly equal scores has nearly no shades
_NAME_WIDTH = 41  # Latin letters that name and byline may have together
_MIN_BYLINE = 6  # of a byline; a shorter one would be unreadable


class Interval(NamedTuple):
    """Of 95 %, in hundredths of an axis."""

    start: int
    end: int


class Axis(NamedTuple):
    """The axis of the intervals of a board: whole tens of percent around all of them."""

    start: int
    end: int

    @classmethod
    def of(cls, board: Board) -> Self:
        overall = board.columns[0].tasks
        scores = [mean_of(overall, line.entry.scores) for line in board.lines]
        intervals = [score.interval for score in scores if score and score.interval]
        low = min((low for low, _ in intervals), default=0.0)
        high = max((high for _, high in intervals), default=100.0)
        start = 10 * math.floor(low / 10)
        return cls(start, max(10 * math.ceil(high / 10), start + 10))

    def interval(self, score: Score) -> Interval | None:
        if score.interval is None:
            return None
        low, high = ((end - self.start) / (self.end - self.start) for end in score.interval)
        return Interval(round(100 * low), round(100 * high))


class Heat(NamedTuple):
    """The shades of a column, from its lowest score to its highest."""

    lowest: float
    spread: float

    @classmethod
    def of(cls, column: Iterable[float]) -> Self:
        scores = list(column) or [0.0]
        return cls(min(scores), max(max(scores) - min(scores), _MIN_SPREAD))

    def step(self, percent: float) -> int:
        """From 0 to 9."""
        return min(_SHADES - 1, int(_SHADES * (percent - self.lowest) / self.spread))


class Cell(NamedTuple):
    column: Column
    text: str  # empty: missing
    note: str
    stderr: str = ""
    heat: str = ""
    interval: Interval | None = None
    percent: float = 0.0
    ranks: bool = False  # the board is ranked by this column
    is_of_other_data: bool = False  # has a footnote: other questions, or other labels

    @property
    def css(self) -> str:
        """Its classes, which also say how long its bar is and how dark its shade."""
        classes = []
        is_domain = self.column.kind is Kind.DOMAIN
        if is_domain:
            classes.append(f"mean domain-{self.column.domain}")
        elif self.column.kind is Kind.OVERALL:
            classes.append("overall")
        if self.interval:
            classes.append(f"from-{self.interval.start} to-{self.interval.end}")
        elif is_domain and self.text:
            classes.append(f"to-{round(self.percent)}")
        if self.ranks:
            classes.append("ranks")
        if self.heat:
            classes.append(f"heat-{self.heat}")
        return " ".join(classes)


class Byline(NamedTuple):
    """What follows the name of a model."""

    text: str
    title: str = ""  # name and byline, if a table has no room for both
    is_omitted: bool = False  # there, since too little of it could be read


class Row(NamedTuple):
    line: Line
    byline: Byline
    mark: MarkTitle
    cells: list[Cell]
    ranked_by: Cell


def board_rows(board: Board, axis: Axis) -> list[Row]:
    columns = board.columns
    heats: list[Heat | None] = [None] * len(columns)
    if board.filters.heat == "on":
        of_columns = zip(*(line.percents for line in board.all_lines), strict=True)
        heats = [
            Heat.of(percent for percent in percents if percent is not None)
            for percents in of_columns
        ]
    ranked_by = columns.index(board.ranked_by)
    rows = []
    for line, byline in zip(board.lines, bylines_of(board.lines), strict=True):
        entry, scores = line.entry, line.scores
        partial = partial_tasks(entry.scores, board.release.minimum_answered)
        cells = [
            score_cell(
                column, score, entry.caveats, heat, other_data=entry.other_data, partial=partial
            )
            if score
            else missing_cell(column, entry)
            for column, score, heat in zip(columns, scores, heats, strict=True)
        ]
        if overall := scores[0]:
            cells[0] = cells[0]._replace(interval=axis.interval(overall))
        cells[ranked_by] = cells[ranked_by]._replace(ranks=True)
        rows.append(Row(line, byline, MARKS[entry.mark], cells, cells[ranked_by]))
    return rows


def score_cell(
    column: Column,
    score: Score,
    caveats: Caveats,
    heat: Heat | None = None,
    *,
    decimals: int | None = None,
    other_data: Mapping[str, OtherData] | None = None,
    partial: Collection[str] = (),
) -> Cell:
    decimals = min(score.digits, _DECIMALS[column.kind] if decimals is None else decimals)
    caveat = caveat_of_mean(column.tasks, caveats)
    data = note_of_other_data(column.tasks, other_data or {})
    few = _("partial") if any(task in partial for task in column.tasks) else ""
    return Cell(
        column=column,
        text=f"{CAVEAT_SIGN if caveat else ''}{rounded(score.percent, decimals)}",
        note="; ".join(filter(None, (score_note(score, column.kind), few, data, caveat))),
        is_of_other_data=bool(data),
        stderr="" if score.stderr is None else str(rounded(score.stderr, decimals)),
        heat="" if heat is None else str(heat.step(score.percent)),
        percent=score.percent,
    )


def note_of_other_data(tasks: Collection[str], other_data: Mapping[str, OtherData]) -> str:
    """How the data of these tasks differ from the board's; empty if they do not."""
    found = [task for task in tasks if task in other_data]
    if len(tasks) > 1 and found:
        titles = _(", ").join(TASKS[task].title for task in found)
        return _("other data in %(tasks)s") % {"tasks": titles}
    parts = []
    for about in (other_data[task] for task in found):
        if about.size != about.board_size:
            text = _("%(size)s of %(all)s examples")
            parts.append(text % {"size": about.size, "all": about.board_size})
        if about.differing:
            text = ngettext("%(n)s label differs", "%(n)s labels differ", about.differing)
            parts.append(text % {"n": about.differing})
    return _(", ").join(parts)


def missing_cell(column: Column, entry: Entry) -> Cell:
    if column.kind is Kind.TASK:
        return Cell(column, "", _("missing"))
    counts = {"held": entry.count_scored(column.tasks), "tasks": len(column.tasks)}
    return Cell(column, "", _("%(held)s of %(tasks)s tasks") % counts)


def score_note(score: Score, kind: Kind) -> str:
    """The score in full: ``67.25 ± 3.11, n = 229``.

    An overall mean, whose error is printed next to it anyway, has its interval instead:
    ``45.68, 95 %: 44.6–46.7, n = 3,946``.
    """
    parts = [str(rounded(score.percent, score.digits))]
    if score.interval and kind is Kind.OVERALL:
        low, high = (rounded(end, 1) for end in score.interval)
        parts.append(f"95 %: {low}–{high}")
    elif score.stderr is not None:
        parts[0] += f" ± {rounded(score.stderr, 2)}"
    if score.size is not None:
        parts.append(f"n = {score.size:,}")
    if score.answered != score.size:
        parts.append(_("%(answered)s answered") % {"answered": f"{score.answered:,}"})
    return _(", ").join(parts)


def bylines_of(lines: Sequence[Line]) -> list[Byline]:
    """The maker of the model; if it has several lines with the same method, what distinguishes
    them."""
    entries = [line.entry for line in lines]
    counts = Counter(entry.system for entry in entries)
    of_day = Counter((entry.system, entry.submitted_on) for entry in entries)
    bylines = []
    for entry in entries:
        name, text, day = entry.title, "", entry.submitted_on
        if counts[entry.system] > 1:
            if day is None:
                text = entry.source
            elif of_day[entry.system, day] == 1:
                text = day.isoformat()
            else:
                text = f"{entry.created:%Y-%m-%d %H:%M}"
        text = text or entry.model.organisation
        room = _NAME_WIDTH - _width(name)
        if _width(text) <= room:
            bylines.append(Byline(text))
        else:
            title = " · ".join(filter(None, (name, text)))
            bylines.append(Byline(text, title, is_omitted=room < _MIN_BYLINE))
    return bylines


def _width(text: str) -> int:
    """In Latin letters."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
