"""How far an import is, how fast it goes, and how long the rest will take."""

import time

from portal.releases.context_store import ContextStore
from portal.telling import Tell
from scoring.catalog import TASKS
from scoring.releases.gold import ReleaseRow

_MEGABYTE = 1_000_000


class Progress:
    """Tells a line now and then, while rows pass by."""

    def __init__(self, size: int, store: ContextStore, tell: Tell, *, every: float = 5.0) -> None:
        """``size``: bytes of all files; ``every``: seconds between two lines."""
        self._size, self._store, self._tell, self._every = size, store, tell, every
        self._begun = self._told = time.monotonic()
        self._passed = self._examples = 0
        self._task = ""

    def begin(self, task: str) -> None:
        self._task, self._examples = TASKS[task].title, 0

    def passed(self, row: ReleaseRow) -> None:
        self._passed += row.size
        self._examples += 1
        now = time.monotonic()
        if now - self._told >= self._every:
            self._told = now
            self._tell(self._line(now - self._begun))

    def _line(self, seconds: float) -> str:
        speed = self._passed / seconds
        rest = (self._size - self._passed) / speed
        return (
            f"{self._task}: {self._examples:,} examples; "
            f"{self._passed / _MEGABYTE:,.0f} of {self._size / _MEGABYTE:,.0f} MB in all, "
            f"{speed / _MEGABYTE:.1f} MB and {self._store.counted / seconds:,.0f} tokens a second, "
            f"{_clock(rest)} left"
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"
