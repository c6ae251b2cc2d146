"""The table of tasks, and the page of one: an example, its metrics, guessing, all entries."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from leaderboard.board.board import Board, read_board
from leaderboard.board.filters import Filters
from leaderboard.board.ranges import with_ranges
from leaderboard.names import ANSWERS, QUESTIONS
from leaderboard.queries import BoardRelease, find_release, front_release, releases_with_boards
from leaderboard.tasks.entries import TaskEntries, task_entries
from leaderboard.tasks.examples import ShownExample, shown_example
from leaderboard.tasks.rules import rules_of
from portal.models import TaskDataSet
from portal.scores.facts import FACTS_TITLE
from portal.scores.questions.guessing import Guessing, guessing
from portal.scores.titles import DOMAIN_TITLES, METRIC_SET_TITLES
from scoring.catalog import DOMAINS, TASKS, Task, tasks_of


class TaskRow(NamedTuple):
    task: Task
    question: str
    sizes: list[int | None]  # in each release; None if it lacks the task


class DomainRows(NamedTuple):
    id: str
    title: str
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


def task_context(view: TaskView) -> Mapping[str, Any] | None:
    """For the template of the page; None if there is no such release with this task. A fixed number
    of queries for each release that is asked for entries."""
    task = view.task
    releases = [release for release in releases_with_boards() if task.id in release.sizes]
    board = _board_of(view, releases)
    if view.release and board is None:
        return None
    release = board.release if board else None
    guesses = _guessing(view, release) if release else Guessing()
    entries = task_entries(board, guesses) if board else None
    answers = [line.entry for line in board.page_lines if line.rank] if board else []
    example = shown_example(task, release, answers) if release else None
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
        "figures_only": release is not None and example is None and _is_figures(release, task),
        "elsewhere": _example_elsewhere(task, releases, example),
        "guesses": guesses,
        "entries": entries,
        "facts_title": FACTS_TITLE if release and task.id in release.fact_tasks else None,
    }


def ranked_entries(view: TaskView) -> TaskEntries | None:
    """The entries on the page."""
    releases = [release for release in releases_with_boards() if view.task.id in release.sizes]
    board = _board_of(view, releases)
    if board is None:
        return None
    return task_entries(board, _guessing(view, board.release))


def _is_figures(release: BoardRelease, task: Task) -> bool:
    figures = TaskDataSet.objects.filter(pk__in=release.data_sets, figures_only=True)
    return figures.filter(task=task.id).exists()


def _guessing(view: TaskView, release: BoardRelease) -> Guessing:
    return guessing(view.task, release.slug, view.metric_set, hidden=release.hidden)


def _board_of(view: TaskView, releases: Sequence[BoardRelease]) -> Board | None:
    """All entries of a release ranked by this task: of the requested release, otherwise of the home
    page's, otherwise of the first one that ranks any. None if there is no such release."""
    filters = Filters(sort=view.task.id, metric_set=view.metric_set, entries="all")
    first = view.release or front_release()
    in_order = sorted(releases, key=lambda release: release.slug != first)
    boards = (read_board(release, filters) for release in in_order)
    if view.release:
        found = next(boards) if find_release(releases, view.release) else None
    else:
        found = next((board for board in boards if board.ranked_count), None)
        found = found or (read_board(in_order[0], filters) if in_order else None)
    return with_ranges(found.with_details()) if found else None


def _example_elsewhere(
    task: Task, releases: Iterable[BoardRelease], example: ShownExample | None
) -> ShownExample | None:
    """One with its context, if the release shown has none, or may not show it."""
    if example and example.pieces:
        return None
    with_texts = TaskDataSet.objects.filter(task=task.id, whole_file__isnull=False)
    slugs = set(with_texts.values_list("releases__slug", flat=True))
    found = next((one for one in releases if one.slug in slugs and not one.hidden), None)
    return shown_example(task, found) if found else None
