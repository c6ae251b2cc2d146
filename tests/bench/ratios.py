"""The result of a benchmark: two figures measured in the same run, and their ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    measured: float
    reference: float
    bound: float  # of measured / reference
    unit: str

    @property
    def ratio(self) -> float:
        return self.measured / self.reference


def best_of(runs: int, action: Callable[[], object]) -> float:
    """Seconds of the fastest run."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
