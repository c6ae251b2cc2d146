"""How strongly the cells of a column are shaded: ten steps from its lowest score to its highest."""

from collections.abc import Iterable
from typing import NamedTuple, Self

STEPS = 10
_LEAST_SPREAD = 10.0  # percentage points: a column of nearly equal scores stays nearly unshaded


class Heat(NamedTuple):
    lowest: float
    spread: float

    @classmethod
    def of(cls, column: Iterable[float]) -> Self:
        scores = list(column) or [0.0]
        return cls(min(scores), max(max(scores) - min(scores), _LEAST_SPREAD))

    def step(self, percent: float) -> int:
        """Of a score of the column, 0 to 9."""
        return min(STEPS - 1, int(STEPS * (percent - self.lowest) / self.spread))
