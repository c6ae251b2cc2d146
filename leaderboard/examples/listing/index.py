"""All releases with examples to look at, and their tasks."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Prefetch

from leaderboard.names import QUESTIONS
from portal.models import Release, TaskDataSet
from scoring.catalog import BOARD_ORDER, TASKS, Task


class IndexedTask(NamedTuple):
    task: Task
    question: str
    size: int


class IndexedRelease(NamedTuple):
    release: Release
    tasks: Sequence[IndexedTask]


def indexed_releases() -> list[IndexedRelease]:
    """Official ones first; without label versions, which the pages of releases link to."""
    sets = Prefetch("data_sets", TaskDataSet.objects.only("task", "size"))
    boards = Release.objects.with_boards().prefetch_related(sets)
    found = []
    for release in boards.order_by("-official", "title", "slug"):
        sizes = {one.task: one.size for one in release.data_sets.all()}
        tasks = [
            IndexedTask(TASKS[task], str(QUESTIONS[task]), sizes[task])
            for task in BOARD_ORDER
            if task in sizes
        ]
        found.append(IndexedRelease(release, tasks))
    return [one for one in found if one.tasks]
