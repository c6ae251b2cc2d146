"""The first page."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from portal.models import Release
from portal.pages.titles import DOMAIN_TITLES
from scoring.catalog import DOMAINS, TASKS, Task, tasks_of


class TaskRow(NamedTuple):
    task: Task
    sizes: list[int | None]  # of each release; None where it has no such task


class DomainRows(NamedTuple):
    id: str
    title: str
    rows: list[TaskRow]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    releases = list(Release.objects.open_for_submissions().prefetch_related("data_sets"))
    return render(request, "home.html", {"releases": releases, "domains": sizes(releases)})


def sizes(releases: Sequence[Release]) -> list[DomainRows]:
    """Examples of each task in each release, by domain; only tasks that one of them has."""
    found = [{data.task: data.size for data in release.data_sets.all()} for release in releases]
    held = set[str]().union(*found)
    rows = {
        task: TaskRow(TASKS[task], [sizes.get(task) for sizes in found])
        for task in TASKS
        if task in held
    }
    domains = (
        DomainRows(domain, str(DOMAIN_TITLES[domain]), _those(rows, tasks_of(domain)))
        for domain in DOMAINS
    )
    return [domain for domain in domains if domain.rows]


def _those(rows: dict[str, TaskRow], tasks: Iterable[str]) -> list[TaskRow]:
    return [rows[task] for task in tasks if task in rows]
