"""The tasks as a table: how many examples each has in each release."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise

from leaderboard.names import QUESTIONS
from leaderboard.queries import BoardRelease
from portal.scores.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, Task, tasks_of


class TaskRow(NamedTuple):
    task: Task
    question: str | Promise
    sizes: list[int | None]  # of each release; None where it has no such task


class DomainRows(NamedTuple):
    id: str
    title: str | Promise
    rows: list[TaskRow]


class Sizes(NamedTuple):
    releases: Sequence[BoardRelease]
    domains: list[DomainRows]


def sizes_of(releases: Sequence[BoardRelease], *, every_task: bool = False) -> Sizes:
    """Examples of each task in each release, by domain; only tasks that one of them has."""
    held = set(TASKS) if every_task else set[str]().union(*(release.sizes for release in releases))
    domains = [
        DomainRows(
            domain,
            DOMAIN_TITLES[domain],
            [_row(task, releases) for task in tasks_of(domain) if task in held],
        )
        for domain in DOMAINS
    ]
    return Sizes(releases, [domain for domain in domains if domain.rows])


def _row(task: str, releases: Sequence[BoardRelease]) -> TaskRow:
    return TaskRow(TASKS[task], QUESTIONS[task], [release.sizes.get(task) for release in releases])
