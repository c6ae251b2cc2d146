"""Titles of tasks of a release on pages."""

from django import template

from portal.releases.titles import Generated, task_title
from scoring.catalog import Task

register = template.Library()


@register.filter
def titled(task: Task | str, release: Generated | str | None) -> str:
    """Of a task, or its id, of this release; of none where there is no release."""
    name = task if isinstance(task, str) else task.id
    return task_title(name, None if isinstance(release, str) else release)
