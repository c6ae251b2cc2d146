"""The tasks as a table: how many examples each has in each release."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.utils.functional import Promise

from leaderboard.names import QUESTIONS
from leaderboard.queries import BoardRelease
from portal.scores.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, Task, tasks_of


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
