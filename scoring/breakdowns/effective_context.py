"""Up to which length a model keeps what it scores in short texts."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.breakdowns.answers import TaskAnswers
from scoring.breakdowns.resampling import generator_for
from scoring.comparison.vectors import Floats, Ints

SHARE = 0.85  # of the score at the shortest length
FEWEST_QUESTIONS = 60
RESAMPLES = 2_000
_LOW, _HIGH = 0.025, 0.975
_DIGITS = 3


class EffectiveContext(NamedTuple):
    tokens: int  # the longest length that was tested if it never falls below
    low: int  # of the 95 % interval: lengths that were tested
    high: int | None  # None: it may be longer than any length that was tested
    share: float
    questions: int
    never_below: bool


def effective_context(
    answers: Sequence[TaskAnswers], share: float = SHARE
) -> EffectiveContext | None:
    """Where the unweighted mean of these tasks falls below a share of that at the shortest length.

    None with fewer than two lengths, fewer than ``FEWEST_QUESTIONS`` that were asked at every
    length, or no score at the shortest.

    The means of the lengths are made non-increasing by pooling neighbours (isotonic regression,
    Robertson, Wright and Dykstra 1988, section 1.2), and the length in between is interpolated on
    log tokens, to three digits. Its interval is of the tested lengths on both sides, since nothing
    is known between them: from the lower quantile of the length above the threshold to the upper
    quantile of the length below it, of 2,000 bootstraps of whole questions within tasks, seeded by
    the data. docs/statistics.md has how often it holds the window of readers with a known one.
    """
    lengths, tables = _tables(answers)
    questions = sum(len(table) for table in tables)
    if len(lengths) < 2 or questions < FEWEST_QUESTIONS:
        return None
    means = np.mean([table.mean(axis=0) for table in tables], axis=0)[np.newaxis]
    if means[0, 0] <= 0:
        return None
    generator = generator_for(*tables)
    drawn = np.mean([_resampled(table, generator) for table in tables], axis=0)
    places = np.sort(_last_above(drawn, share))
    low = int(places[math.floor(_LOW * (RESAMPLES - 1))])
    high = int(places[math.ceil(_HIGH * (RESAMPLES - 1))]) + 1
    last = int(_last_above(means, share)[0])
    never_below = last == len(lengths) - 1
    return EffectiveContext(
        lengths[-1] if never_below else _interpolated(lengths, means, last, share),
        lengths[low],
        lengths[high] if high < len(lengths) else None,
        share,
        questions,
        never_below,
    )


def _tables(answers: Sequence[TaskAnswers]) -> tuple[list[int], list[Floats]]:
    """The lengths that all tasks have, and for each task the scores of the questions that were
    asked at all of them, (questions, lengths), in an order that depends on nothing but them."""
    ladders = [one for one in answers if one.rungs]
    common = set.intersection(*(set(one.rungs) for one in ladders)) if ladders else set()
    lengths = sorted(common)
    tables = []
    for one in ladders if lengths else ():
        rungs = [one.rungs[length] for length in lengths]
        shared = set.intersection(*(set(rung) for rung in rungs))
        rows = sorted(tuple(one.scores[rung[number]] for rung in rungs) for number in shared)
        if rows:
            tables.append(np.array(rows, dtype=np.float64))
    return lengths, tables


def _resampled(table: Floats, generator: np.random.Generator) -> Floats:
    """The means of (resamples, lengths): of as many questions, drawn with replacement."""
    count = len(table)
    rows, times = np.unique(table, axis=0, return_counts=True)
    if len(rows) * 4 < count:  # of right-or-wrong scores there are few different rows
        found: Floats = generator.multinomial(count, times / count, RESAMPLES) @ rows / count
        return found
    drawn = generator.integers(0, count, (RESAMPLES, count))
    drawn += count * np.arange(RESAMPLES)[:, np.newaxis]
    weights = np.bincount(drawn.ravel(), minlength=RESAMPLES * count).reshape(RESAMPLES, count)
    means: Floats = weights @ table / count
    return means


def _last_above(means: Floats, share: float) -> Ints:
    """Of each row (lengths,) the place of the last length that is not below the threshold."""
    above = _non_increasing(means) >= share * means[:, :1] * (1 - 1e-12)
    return np.asarray(above.sum(axis=1) - 1, dtype=np.int64)


def _interpolated(lengths: Sequence[int], means: Floats, last: int, share: float) -> int:
    """In tokens, between this place and the next, to three digits."""
    upper, lower = _non_increasing(means)[0, last : last + 2]
    part = float((upper - share * means[0, 0]) / (upper - lower))
    start, end = (math.log2(length) for length in lengths[last : last + 2])
    tokens = 2 ** (start + part * (end - start))
    return int(float(f"{tokens:.{_DIGITS}g}"))


def _non_increasing(means: Floats) -> Floats:
    """Of each row (lengths,) the closest that never increases: min over a ≤ k of max over b ≥ k of
    the mean from a to b, all lengths having the same questions."""
    lengths = means.shape[1]
    sums = np.concatenate([np.zeros((len(means), 1)), np.cumsum(means, axis=1)], axis=1)
    found = np.full(means.shape, np.inf)
    for a in range(lengths):
        highest = np.full(len(means), -np.inf)  # over b from the last down to k
        for k in range(lengths - 1, a - 1, -1):
            highest = np.maximum(highest, (sums[:, k + 1] - sums[:, a]) / (k + 1 - a))
            found[:, k] = np.minimum(found[:, k], highest)
    return found
