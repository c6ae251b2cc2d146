"""Pictures of 1200 × 630 pixels for link previews: of a board, and of an entry.

Always in English: a preview is made once for everybody who sees the link.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.template.loader import render_to_string

from leaderboard.board.board import Board
from leaderboard.board.cells import Cell, board_rows
from leaderboard.caveats import CAVEAT_SIGN
from leaderboard.charts.files import as_xml
from leaderboard.charts.texts import lines_of, shortened
from leaderboard.entries import Mark
from leaderboard.names import asked_note
from leaderboard.pages.entries.entry import EntryDetails
from leaderboard.pages.entries.ranks import EntryRanks
from portal.scores.titles import METRIC_SET_TITLES
from portal.scores.trust import TRUST
from scoring.intervals import Interval
from scoring.metrics import METRIC_SETS

WIDTH, HEIGHT = 1200, 630
_LEFT, _RIGHT = 64, WIDTH - 64
_ACCENT = "#1b54aa"
_DOMAINS = {
    "retrieval": "#006c7f", "code": "#6f4ea6", "math": "#94570d", "novel": "#34713c",
    "dialogue": "#a13d62",
}  # fmt: skip
_ROWS = 8  # of a board


class _Bar(NamedTuple):
    """A name, a bar from 0 to 100 with its interval, and the score."""

    rank: str
    name: str
    score: str
    left: float  # left edge of the name
    y: float  # of the middle
    start: float
    end: float
    full: float  # the position of 100
    low: float | None
    high: float | None
    right: float  # right edge of the score
    size: int  # font size
    colour: str
    is_pale: bool


def _bar(
    cell: Cell,
    interval: Interval | None,
    *,
    name: str,
    y: float,
    left: float = _LEFT + 90,
    bar: tuple[float, float] = (600, 1000),
    right: float = _RIGHT,
    size: int = 26,
    rank: str = "",
    colour: str = _ACCENT,
    is_pale: bool = False,
) -> _Bar:
    start, length = bar[0], bar[1] - bar[0]

    def across(percent: float) -> float:
        return round(start + percent / 100 * length, 1)

    return _Bar(
        rank,
        shortened(name, size, start - left - 20),
        cell.text,
        left,
        y,
        start,
        across(float(cell.text.removeprefix(CAVEAT_SIGN))),
        bar[1],
        across(interval.low) if interval else None,
        across(interval.high) if interval else None,
        right,
        size,
        colour,
        is_pale,
    )


def board_picture(board: Board, updated: datetime | None) -> str:
    """The first rows with a rank, in the column that the board is ranked by."""
    index = board.columns.index(board.ranked_by)
    ranked = [row for row in board_rows(board) if row.line.rank is not None][:_ROWS]
    bars = []
    for number, row in enumerate(ranked):
        score, entry = row.line.scores[index], row.line.entry
        bar = _bar(
            row.ranked_by,
            score.interval if score else None,
            name=" · ".join(filter(None, (asked_note(entry), entry.title))),
            rank=row.rank,
            y=222 + 46 * number,
            is_pale=entry.mark is Mark.REPORTED,
        )
        bars.append(bar)
    is_overall = index == 0 and not board.filters.tasks
    about = [
        "" if is_overall else f"by {board.ranked_by.title}",
        str(METRIC_SET_TITLES[board.filters.metric_set].title),
        f"{board.systems} models",
        f"updated {updated:%Y-%m-%d}" if updated else "",
    ]
    title = "InfiniteBench leaderboard"
    if not board.release.official:
        title = f"∞Bench: {board.release.title}"
    return _svg([title], about, bars, is_pale=any(bar.is_pale for bar in bars))


def entry_picture(details: EntryDetails, ranks: EntryRanks | None, metric_set: str) -> str:
    """Its overall score and its rank; below them all tasks."""
    index = list(METRIC_SETS).index(metric_set)
    place = ranks.places[index] if ranks else None
    entry, overall = details.entry, details.sheet.overall.cells[index][1]
    tasks = [
        (row.column, cell)
        for block in details.sheet.blocks
        for row in block.tasks
        if (cell := row.cells[index][1])
    ]
    bars = []
    for number, (column, cell) in enumerate(tasks):
        left = _LEFT if number < 6 else WIDTH / 2 + 20
        bar = _bar(
            cell,
            None,
            name=str(column.title),
            y=330 + 40 * (number % 6),
            left=left,
            bar=(left + 225, left + 415),
            right=left + 500,
            size=22,
            colour=_DOMAINS[column.domain],
        )
        bars.append(bar)
    about = [
        "" if entry.mark is Mark.SCORED else TRUST[entry.trust].title,
        asked_note(entry),
        str(METRIC_SET_TITLES[metric_set].title),
        ranks.release.title if ranks else "",
        "generated tasks" if ranks and ranks.release.generator is not None else "",
        f"rank {place.rank_text} of {place.ranked}" if place and place.rank else "",
    ]
    title = lines_of(entry.title, 48, _RIGHT - _LEFT)
    if len(title) > 1:
        title = [title[0], shortened(" ".join(title[1:]), 48, _RIGHT - _LEFT)]
    score = f"{overall.text} overall" if overall else f"{len(tasks)} tasks"
    return _svg(title, about, bars, score=score, interval=overall.interval if overall else "")


def _svg(
    title: Sequence[str],
    about: Sequence[str],
    bars: Sequence[_Bar],
    *,
    score: str = "",
    interval: str = "",
    is_pale: bool = False,
) -> str:
    notes = _notes(has_intervals=any(bar.low is not None for bar in bars), is_pale=is_pale)
    context = {
        "box": (WIDTH, HEIGHT),
        "margin": (_LEFT, _RIGHT),
        "title": [(line, 104 + 58 * number) for number, line in enumerate(title)],
        "about": (" · ".join(filter(None, about)), 150 + 58 * (len(title) - 1)),
        "score": score,
        "interval": interval,
        "bars": bars,
        "notes": "; ".join(notes),
        "site": urlsplit(settings.SITE_URL).netloc,
    }
    return as_xml(render_to_string("sharing/picture.svg", context))


def _notes(*, has_intervals: bool, is_pale: bool) -> Iterator[str]:
    yield "percent, with 95 % intervals" if has_intervals else "percent"
    if is_pale:
        yield "pale: reported, not verified"
