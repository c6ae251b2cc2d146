"""The result of a benchmark: two figures measured in the same run, and their ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


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


def medians_in_turn(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """Seconds of processor of each action; they take turns, so that a busy machine hits all."""
    rows = []
    for _ in range(rounds):
        row = []
        for action in actions:
            start = time.process_time()
            action()
            row.append(time.process_time() - start)
        rows.append(row)
    return [median(column) for column in zip(*rows, strict=True)]
