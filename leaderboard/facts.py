"""Summaries of generated novels by facts, for several entries: a table beside those of metrics."""

from collections.abc import Iterable
from typing import Protocol

from leaderboard.entries import Entry
from portal.releases.titles import task_title
from portal.scores.facts import FACTS_TITLE
from scoring.plot_facts import FACT_TASKS


class Generated(Protocol):
    @property
    def generator(self) -> int | None: ...


def facts_context(release: Generated, entries: Iterable[Entry]) -> dict[str, object]:
    """For ``scores/_facts.html``."""
    [task] = FACT_TASKS
    return {
        "facts_task": task,
        "facts_task_title": task_title(task, release),
        "facts_title": FACTS_TITLE,
        "facts_rows": [(entry, entry.facts.get(task)) for entry in entries],
    }
