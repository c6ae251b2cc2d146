"""The release and task that a page for reviewers is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.http import QueryDict
from django.urls import reverse

from portal.models import Release, TaskDataSet
from scoring.catalog import BOARD_ORDER, TASKS, Task


class Link(NamedTuple):
    """A link to the same page for another release, task or order."""

    name: str
    title: str
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class TaskChoice:
    release: Release
    task: Task
    data_set: TaskDataSet
    releases: Sequence[Link]
    tasks: Sequence[Link]
    query: Mapping[str, str]  # that leads here

    def link(self, parameter: str, name: str, title: str, *, is_current: bool) -> Link:
        query = urlencode({**self.query, parameter: name})
        return Link(name, title, f"?{query}", is_current)

    def example_address(self, key: str, entries: Sequence[str] = ()) -> str:
        """With the answers of these entries opened."""
        start = reverse("examples", args=[self.release.slug, self.task.id])
        query = urlencode([("entry", one) for one in entries])
        return f"{start}{quote(key, safe='')}/{f'?{query}' if query else ''}"


def choose_task(query: QueryDict, **others: str) -> TaskChoice | None:
    """The release and task of the query string, or the first ones; None if there is no release with
    tasks. ``others`` stay in the links. Two queries."""
    releases = list(Release.objects.public().order_by("-official", "title", "slug"))
    slug = query.get("release", "")
    release = next((one for one in releases if one.slug == slug), next(iter(releases), None))
    data_sets = {one.task: one for one in release.data_sets.all()} if release else {}
    tasks = [TASKS[task] for task in BOARD_ORDER if task in data_sets]
    if release is None or not tasks:
        return None
    task = next((one for one in tasks if one.id == query.get("task")), tasks[0])
    chosen = {"release": release.slug, "task": task.id, **others}
    return TaskChoice(
        release,
        task,
        data_sets[task.id],
        [
            Link(
                one.slug,
                one.title,
                f"?{urlencode({**chosen, 'release': one.slug})}",
                one == release,
            )
            for one in releases
        ],
        [
            Link(one.id, one.title, f"?{urlencode({**chosen, 'task': one.id})}", one == task)
            for one in tasks
        ],
        chosen,
    )
