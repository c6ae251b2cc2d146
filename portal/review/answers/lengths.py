"""The lengths of a submission's answers: a small histogram for each task, and one table for all."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from portal.review.answers.shares import AnswerShares
from scoring.catalog import Task

BAR, GAP, HEIGHT = 5, 1, 24  # width of a bar, gap between bars, height of the chart


class Bin(NamedTuple):
    """A range of lengths in characters: 0, 1, 2–3, 4–7 and so on."""

    least: int
    most: int

    def __str__(self) -> str:
        return f"{self.least:,}" if self.least == self.most else f"{self.least:,}–{self.most:,}"


class Bar(NamedTuple):
    bin: Bin
    answers: int
    x: int
    y: float  # of its top
    height: float


class Histogram(NamedTuple):
    task: Task
    median: int  # characters
    longest: int
    bars: Sequence[Bar]  # the same bins for all tasks
    width: int


class LengthTable(NamedTuple):
    histograms: Sequence[Histogram]

    @property
    def rows(self) -> list[tuple[Bin, list[int]]]:
        """Each bin with its number of answers to each task."""
        columns = zip(*(one.bars for one in self.histograms), strict=True)
        return [(bars[0].bin, [bar.answers for bar in bars]) for bars in columns]


def answer_lengths(shares: Sequence[AnswerShares]) -> LengthTable:
    longest = max((one.lengths[-1] for one in shares), default=0)
    bins = [Bin(2**digits // 2, 2**digits - 1) for digits in range(longest.bit_length() + 1)]
    return LengthTable([_histogram(one, bins) for one in shares])


def _histogram(shares: AnswerShares, bins: Sequence[Bin]) -> Histogram:
    """Scaled so that the highest bar fills the chart."""
    counts = Counter(length.bit_length() for length in shares.lengths)
    most = max(counts.values())
    bars = []
    for number, one in enumerate(bins):
        height = round(HEIGHT * counts[number] / most, 1)
        bars.append(Bar(one, counts[number], number * (BAR + GAP), HEIGHT - height, height))
    median = shares.lengths[len(shares.lengths) // 2]
    return Histogram(shares.task, median, shares.lengths[-1], bars, len(bins) * (BAR + GAP) - GAP)
