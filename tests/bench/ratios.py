"""The result of a benchmark: two figures measured in the same run, and their ratio."""

import time
from collections.abc import Callable, Sequence
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


def print_table(rows: Sequence[Row]) -> int:
    """The exit code: 1 where a bound is missed."""
    print(f"{'':58}{'measured':>12}{'reference':>12}{'ratio':>9}{'bound':>8}")
    for row in rows:
        values = f"{row.measured:>8.3f} {row.unit:<3}{row.reference:>8.2f} {row.unit:<3}"
        missed = "" if row.ratio <= row.bound else "  missed"
        print(f"{row.what:58}{values}{_times(row.ratio):>9}{_times(row.bound):>8}{missed}")
    return 0 if all(row.ratio <= row.bound for row in rows) else 1


def _times(ratio: float) -> str:
    return f"1/{1 / ratio:.2f}" if 0 < ratio < 1 else f"{ratio:.2f}"
