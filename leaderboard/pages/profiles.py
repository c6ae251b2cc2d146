"""A language model against the median and the best entry of a board, task by task."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from leaderboard.board.board import read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranking.ranking import Line, score_of
from leaderboard.board.ranking.standings import kept_standings
from leaderboard.cache import cached_region
from leaderboard.charts.profile import ProfilePlot, ProfileRow, profile_plot
from leaderboard.columns import Column, Kind
from leaderboard.details import detailed
from leaderboard.entries import Entry
from leaderboard.queries import BoardRelease
from portal.releases.titles import task_title
from scoring.stats import rounded
from scoring.text.plurals import plural


class Profile(NamedTuple):
    entry: Entry  # the model's entry on the board
    finding: str
    plot: ProfilePlot
    entries: int  # number of entries on the board

    @property
    def rows(self) -> list[ProfileRow]:
        return [mark.row for mark in self.plot.marks]


class _Others(NamedTuple):
    """All entries of a board in one column."""

    median: float | None = None
    best: float | None = None
    best_title: str = ""
    known: int = 0


class _Field(NamedTuple):
    """What all profiles on a board have in common: without entries, since those of a large board
    take longer to unpickle than to compute."""

    first: Mapping[str, str]  # by model slug, the id of its entry that ranks best
    columns: Sequence[tuple[Column, _Others]]
    entries: int


def profile_of(slug: str, release: BoardRelease, metric_set: str) -> Profile | None:
    """For the model's entry that ranks best; None if the board does not show it under this metric
    set, or it has no score there."""
    name = f"profiles/{release.slug}/{metric_set}"
    field = cached_region(name, lambda: _field_of(release, metric_set))
    best = kept_standings(release, metric_set).best
    own = [line.entry for line in best if line.entry.id == field.first.get(slug)]
    if not own:
        return None
    [entry] = detailed(own, release, metric_set)
    rows = [
        row for column, others in field.columns if (row := _row(release, column, others, entry))
    ]
    if not rows:
        return None
    return Profile(entry, _finding(rows), profile_plot(rows), field.entries)


def _field_of(release: BoardRelease, metric_set: str) -> _Field:
    board = read_board(release, Filters(metric_set=metric_set))
    first: dict[str, str] = {}
    for line in board.all_lines:
        if line.entry.control is None:
            first.setdefault(line.entry.model.slug, line.entry.id)
    columns = [
        (column, _others_in(board.all_lines, place))
        for place, column in enumerate(board.columns)
        if column.kind is not Kind.DOMAIN
    ]
    return _Field(first, columns, len(board.all_lines))


def _others_in(lines: Sequence[Line], place: int) -> _Others:
    known: list[tuple[float, Line]] = [
        (percent, line)
        for line in lines
        if not line.entry.has_no_rank and (percent := line.percents[place]) is not None
    ]
    if not known:
        return _Others()
    best, line = max(known, key=lambda pair: pair[0])
    middle = median(percent for percent, _line in known)
    return _Others(middle, best, line.entry.title, len(known))


def _row(release: BoardRelease, column: Column, others: _Others, entry: Entry) -> ProfileRow | None:
    score = score_of(column, entry.scores)
    if score is None:
        return None
    return ProfileRow(
        column.id,
        str(task_title(column.id, release) if column.kind is Kind.TASK else column.title),
        column.domain,
        str(rounded(score.percent, 1)),
        score.percent,
        score.interval and score.interval.low,
        score.interval and score.interval.high,
        others.median,
        others.best,
        others.best_title,
        others.known,
        entry.is_sample,
    )


def _finding(rows: Sequence[ProfileRow]) -> str:
    tasks = [row for row in rows if row.domain]
    compared = [row for row in tasks if row.has_others]
    if not compared:
        return "there is no other entry to compare with"
    above = sum(row.median is not None and row.percent > row.median for row in compared)
    number = len(compared)
    text = f"above the median in {above} of {number} {plural(number, 'task', 'tasks')}"
    first = [row.title for row in compared if row.is_best]
    if not first:
        return text
    return "{above}, the best in {first}".format(
        above=text,
        first=", ".join(first),
    )
