"""Places for what takes long and holds a thread: so many at once in a process.

Whoever gets none is asked to come again: pages always have threads left.
"""

from collections import Counter
from collections.abc import Hashable
from threading import RLock


class Places:
    """``most`` at once, and of them ``each`` for one person."""

    def __init__(self, most: int, each: int | None = None) -> None:
        self._most = most
        self._each = most if each is None else each
        self._held: Counter[Hashable] = Counter()
        self._lock = RLock()  # a place that is nobody's any more may end at any moment, in take too

    def take(self, who: Hashable = None) -> "Place | None":
        """A place for somebody, or None where there is none for them now."""
        with self._lock:
            if self._held.total() >= self._most or self._held[who] >= self._each:
                return None
            self._held[who] += 1
        return Place(self, who)

    def give_back(self, who: Hashable) -> None:
        with self._lock:
            self._held[who] -= 1
            if not self._held[who]:
                del self._held[who]


class Place:
    """Free again when it is closed; or nobody holds it any more, whatever has failed."""

    def __init__(self, places: Places, who: Hashable) -> None:
        self._places: Places | None = places
        self._who = who

    def close(self) -> None:
        places, self._places = self._places, None
        if places is not None:
            places.give_back(self._who)

    def __del__(self) -> None:
        self.close()
