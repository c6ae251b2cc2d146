"""Limits on requests that hold a thread for long, so that pages always have threads left."""

from collections import Counter
from collections.abc import Hashable
from threading import RLock


class ConcurrencyLimit:
    """A non-blocking semaphore of this process, with a second limit for each owner."""

    def __init__(self, total: int, each: int | None = None) -> None:
        self._total = total
        self._each = total if each is None else each
        self._held: Counter[Hashable] = Counter()
        # Reentrant: a garbage-collected response may release while this thread acquires.
        self._lock = RLock()

    def acquire(self, owner: Hashable = None) -> bool:
        """Whether a slot was free. Every True needs one ``release`` with the same owner."""
        with self._lock:
            if self._held.total() >= self._total or self._held[owner] >= self._each:
                return False
            self._held[owner] += 1
            return True

    def release(self, owner: Hashable = None) -> None:
        with self._lock:
            self._held[owner] -= 1
            if not self._held[owner]:
                del self._held[owner]
