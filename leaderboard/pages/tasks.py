"""The tasks as a table, and the page of one: an example, its metrics, guessing, all entries."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise

from leaderboard.board.board import Board, read_board
from leaderboard.board.cells import board_rows
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.charts.strip import Scored, strip_finding, strip_of
from leaderboard.names import ANSWERS, MARKS, QUESTIONS
from leaderboard.pages.guessing import Guessing, guessing
from leaderboard.pages.rules import rules_of
from leaderboard.pages.task_examples import ShownExample, shown_example
from leaderboard.queries import BoardRelease, find_release, front_release, releases_with_boards
from portal.models import TaskDataSet
from portal.scores.titles import DOMAIN_TITLES, METRIC_SET_TITLES
from scoring.catalog import DOMAINS, TASKS, Task, tasks_of

_WITH_ROWS = 60  # entries; those below them are dots


class TaskRow(NamedTuple):
    task: Task
    question: str | Promise
    sizes: list[int | None]  # in each release; None if it has no such task


class DomainRows(NamedTuple):
    id: str
    title: str | Promise
    rows: list[TaskRow]


def task_rows(tasks: Iterable[str], releases: Sequence[BoardRelease] = ()) -> list[DomainRows]:
    included = set(tasks)
    domains = []
    for domain in DOMAINS:
        rows = [
            TaskRow(TASKS[task], QUESTIONS[task], [release.sizes.get(task) for release in releases])
            for task in tasks_of(domain)
            if task in included
        ]
        if rows:
            domains.append(DomainRows(domain, DOMAIN_TITLES[domain], rows))
    return domains


class TaskView(NamedTuple):
    """What an address asks for."""

    task: Task
    release: str  # a slug; empty: the first one that ranks by the task
    metric_set: str

    @property
    def key(self) -> str:
        return f"{self.task.id}?{self.release}&{self.metric_set}"


def task_context(view: TaskView) -> Mapping[str, object] | None:
    """For the template of the page; None where there is no such release with this task. A fixed
    number of queries for each release that is asked for entries."""
    task = view.task
    releases = [release for release in releases_with_boards() if task.id in release.sizes]
    if view.release and not find_release(releases, view.release):
        return None
    board = _board_of(view, releases)
    release = board.release if board else None
    entries = [line.entry for line in board.page_lines if line.rank] if board else []
    example = shown_example(task, release, entries) if release else None
    guesses = guessing(task, release, view.metric_set) if release else Guessing()
    return {
        "task": task,
        "domain": DOMAIN_TITLES[task.domain],
        "question": QUESTIONS[task.id],
        "answer": ANSWERS[task.kind],
        "releases": releases,
        "sizes": [(one, one.sizes[task.id]) for one in releases],
        "release": release,
        "metric_set": METRIC_SET_TITLES[view.metric_set],
        "metric_sets": list(METRIC_SET_TITLES.values()),
        "rules": rules_of(task.id),
        "example": example,
        "elsewhere": _example_elsewhere(task, releases, example),
        "guesses": guesses,
        **(_strip_context(board, guesses) if board and entries else {}),
    }


def _board_of(view: TaskView, releases: Sequence[BoardRelease]) -> Board | None:
    """All entries of a release by this task: of the one that is asked for, or else of the first
    page's, or of the first one that ranks any."""
    filters = Filters(sort=view.task.id, metric_set=view.metric_set, entries="all")
    first = view.release or front_release()
    in_order = sorted(releases, key=lambda release: release.slug != first)
    boards = (read_board(release, filters) for release in in_order)
    if view.release:
        found = next(boards, None)
    else:
        found = next((board for board in boards if board.ranked_count), None)
        found = found or (read_board(in_order[0], filters) if in_order else None)
    return with_ranges(found.with_details()) if found else None


def _example_elsewhere(
    task: Task, releases: Iterable[BoardRelease], example: ShownExample | None
) -> ShownExample | None:
    """One with its context, where the release that is shown has none, or may not show it."""
    if example and example.pieces:
        return None
    with_texts = TaskDataSet.objects.filter(task=task.id, whole_file__isnull=False)
    slugs = set(with_texts.values_list("releases__slug", flat=True))
    found = next((one for one in releases if one.slug in slugs and not one.hidden), None)
    return shown_example(task, found) if found else None


def _strip_context(board: Board, guesses: Guessing) -> Mapping[str, object]:
    column = board.columns.index(board.ranked_by)
    ranked = [line for line in board.lines if line.rank]
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
    about = {"set": board.filters.metric_set, "sort": board.ranked_by.id, "entries": "all"}
    of_api = {"release": board.release.slug, "metric_set": board.filters.metric_set}
    return {
        "rows": rows,
        "strip": strip_of(entries, rest, guesses=known),
        "finding": strip_finding(entries, len(ranked), guesses.most),
        "ranked": len(ranked),
        "marks": [(mark, MARKS[mark]) for mark in dict.fromkeys(one.mark for one in entries)],
        "board_href": f"{reverse('board', args=[board.release.slug])}?{urlencode(about)}",
        "csv_href": f"{reverse('board-csv', args=[board.release.slug])}?{urlencode(about)}",
        "json_href": f"{reverse('api-entries')}?{urlencode({**of_api, 'entries': 'all'})}",
    }
