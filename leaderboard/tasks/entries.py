"""All entries of a board by one task: as a strip, a table, and a picture file."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.board.board import Board
from leaderboard.board.cells import Row, board_rows
from leaderboard.charts.files import Picture, notes_of
from leaderboard.charts.strip import Scored, Strip, strip_finding, strip_of
from leaderboard.entries import Mark
from leaderboard.queries import newest_change
from portal.releases.titles import task_title
from portal.scores.questions.guessing import Guessing
from portal.scores.trust import TRUST, Trust, TrustTitle

_WITH_ROWS = 60  # entries with a row; those below are dots
_SHAPES = {Mark.SCORED: "●", Mark.HISTORICAL: "◆", Mark.REPORTED: "□"}  # as the strip draws them


class TaskEntries(NamedTuple):
    board: Board  # ranked by the task
    rows: list[Row]  # of the best entries
    strip: Strip
    finding: str
    ranked: int

    @property
    def marks(self) -> list[tuple[Mark, TrustTitle]]:
        """The kinds of entries that occur."""
        kinds = dict.fromkeys(one.entry.mark for one in self.strip.marks)
        return [(mark, TRUST[Trust(mark)]) for mark in kinds]

    @property
    def board_href(self) -> str:
        return f"{reverse('board', args=[self.board.release.slug])}{self.board.filters}"

    @property
    def csv_href(self) -> str:
        return f"{reverse('board-csv', args=[self.board.release.slug])}{self.board.filters}"

    @property
    def json_href(self) -> str:
        release, metric_set = self.board.release.slug, self.board.filters.metric_set
        query = {"release": release, "metric_set": metric_set, "entries": "all"}
        return f"{reverse('api-entries')}?{urlencode(query)}"


def task_entries(board: Board, guesses: Guessing) -> TaskEntries | None:
    """None if no entry is ranked."""
    column = board.columns.index(board.ranked_by)
    ranked = [line for line in board.lines if line.rank]
    if not ranked:
        return None
    rows = [row for row in board_rows(board) if row.line.rank][:_WITH_ROWS]
    entries = []
    for row in rows:
        line, score = row.line, row.line.scores[column]
        if score is None:
            continue
        interval = score.interval
        entry = Scored(
            line.entry.id,
            line.entry.title,
            line.entry.mark,
            score.percent,
            row.ranked_by.text,
            (interval.low, interval.high) if interval else None,
            str(interval or ""),
            None if line.rank_low is None else line.rank_low == 1,
        )
        entries.append(entry)
    rest = [line.percents[column] or 0.0 for line in ranked[len(entries) :]]
    lines = {"chance": guesses.chance, "constant": guesses.constant and guesses.constant.percent}
    known = [(kind, percent) for kind, percent in lines.items() if percent is not None]
    return TaskEntries(
        board,
        rows,
        strip_of(entries, rest, guesses=known),
        strip_finding(entries, len(ranked), guesses.most),
        len(ranked),
    )


def entries_picture(found: TaskEntries) -> Picture:
    board, strip = found.board, found.strip
    task, release, metric_set = board.ranked_by.id, board.release, board.filters.metric_set
    lines = {"chance": f"│ {'chance'}", "constant": f"┆ {'best constant answer'}"}
    key = [
        *(f"{_SHAPES[mark]} {about.title}" for mark, about in found.marks),
        *(lines[guess.kind] for guess in strip.guesses),
    ]
    updated = newest_change(release)
    facts = (release.slug, metric_set, f"{updated:%Y-%m-%d}" if updated else "")
    query = urlencode({"release": release.slug, "metric_set": metric_set})
    path = f"{reverse('task', args=[task])}?{query}"
    return Picture(
        "charts/_strip.html",
        {"strip": strip, "is_file": True},
        strip.width,
        strip.height,
        f"{task_title(task, release)}: {found.finding}",
        [", ".join(key), *notes_of(release.title, facts, path)],
        css="plot strip",
    )
