"""Up to which length a model keeps the score that it has on short texts."""

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
_BLOCK = 50  # resamples


class EffectiveContext(NamedTuple):
    tokens: int  # the longest tested length if it never falls below; 0: it is always below
    low: int  # the ends of the 95 % interval are tested lengths
    high: int | None  # None: it may be longer than any tested length
    share: float
    questions: int
    never_below: bool
    of_evidence: bool = (
        False  # relative to the evidence-only score rather than to the shortest length
    )


def effective_context(
    answers: Sequence[TaskAnswers], share: float = SHARE
) -> EffectiveContext | None:
    """Over the lengths that these tasks have in common, with the questions that were asked at all
    of them; as ``effective_context_of``, with controls if all of the tasks have them."""
    ladders = [one for one in answers if one.rungs]
    common = set.intersection(*(set(one.rungs) for one in ladders)) if ladders else set()
    lengths = sorted(common)
    tables, controls = [], []
    for one in ladders if lengths else ():
        rungs = [one.rungs[length] for length in lengths]
        shared = list(set.intersection(*(set(rung) for rung in rungs)))
        if shared:
            indices = [[rung[number] for rung in rungs] for number in shared]
            tables.append(np.array(one.scores, dtype=np.float64)[np.array(indices)])
            if one.control is not None:
                control = np.array(one.control, dtype=np.float64)[np.array(indices)]
                controls.append(control.mean(axis=1))
    have_controls = len(controls) == len(tables)
    return effective_context_of(lengths, tables, share, controls if have_controls else None)


def effective_context_of(
    lengths: Sequence[int],
    tables: Sequence[Floats],
    share: float = SHARE,
    controls: Sequence[Floats] | None = None,
) -> EffectiveContext | None:
    """Where the unweighted mean of these tasks falls below a share of that at the shortest length,
    or, with ``controls``, below a share of what the same questions score with the evidence alone.

    None with fewer than two lengths, fewer than ``FEWEST_QUESTIONS`` that were asked at every
    length, or no score at the shortest.

    The means of the lengths are made non-increasing by pooling neighbours (isotonic regression,
    Robertson, Wright and Dykstra 1988, section 1.2), and the length in between is interpolated on
    log tokens, to three digits. Its interval is of the tested lengths on both sides, since nothing
    is known between them: from the lower quantile of the length above the threshold to the upper
    quantile of the length below it, of 2,000 bootstraps of whole questions within tasks, seeded by
    the data. ``tables``: for each task the scores of its questions, (questions, lengths), from 0 to
    1; ``controls``: (questions,) each. docs/statistics.md has how often it holds the window of
    readers with a known one.
    """
    questions = sum(len(table) for table in tables)
    if len(lengths) < 2 or questions < FEWEST_QUESTIONS:
        return None
    if controls is None:
        controls = [table[:, 0] for table in tables]
        of_evidence = False
    else:
        of_evidence = True
    # The reference score is resampled with the questions: it is the last column.
    pairs = zip(tables, controls, strict=True)
    tables = [np.column_stack([table, control]) for table, control in pairs]
    means = np.mean([table.mean(axis=0) for table in tables], axis=0)[np.newaxis]
    if means[0, -1] <= 0:
        return None
    # In an order that depends on the scores alone.
    tables = [np.ascontiguousarray(table[np.lexsort(table.T[::-1])]) for table in tables]
    seeding = tables if of_evidence else [table[:, :-1] for table in tables]
    generator = generator_for(*map(np.ascontiguousarray, seeding))
    drawn = np.mean([_resampled(table, generator) for table in tables], axis=0)
    places = np.sort(_last_above(drawn, share))
    low = int(places[math.floor(_LOW * (RESAMPLES - 1))])
    high = int(places[math.ceil(_HIGH * (RESAMPLES - 1))]) + 1
    last = int(_last_above(means, share)[0])
    never_below = last == len(lengths) - 1
    if never_below or last < 0:
        tokens = lengths[-1] if never_below else 0
    else:
        tokens = _interpolated(lengths, means, last, share)
    return EffectiveContext(
        tokens,
        lengths[low] if low >= 0 else 0,
        lengths[high] if high < len(lengths) else None,
        share,
        questions,
        never_below,
        of_evidence,
    )


def _resampled(table: Floats, generator: np.random.Generator) -> Floats:
    """Means of shape (resamples, lengths), of as many questions drawn with replacement. In blocks
    that fit into the processor's cache."""
    count = len(table)
    small = np.uint16 if count < 1 << 16 else np.uint32  # faster to draw
    shift = count * np.arange(_BLOCK)[:, np.newaxis]
    means = []
    for _ in range(RESAMPLES // _BLOCK):
        drawn = generator.integers(0, count, (_BLOCK, count), dtype=small) + shift
        times = np.bincount(drawn.ravel(), minlength=_BLOCK * count).reshape(_BLOCK, count)
        means.append(times @ table / count)
    return np.concatenate(means)


def _last_above(means: Floats, share: float) -> Ints:
    """For each row (lengths, then the reference score's share) the index of the last length that is
    not below the threshold; −1: even the first one is."""
    above = _non_increasing(means[:, :-1]) >= share * means[:, -1:] * (1 - 1e-12)
    return np.asarray(above.sum(axis=1) - 1, dtype=np.int64)


def _interpolated(lengths: Sequence[int], means: Floats, last: int, share: float) -> int:
    """In tokens, between this index and the next, to three digits."""
    upper, lower = _non_increasing(means[:, :-1])[0, last : last + 2]
    part = float((upper - share * means[0, -1]) / (upper - lower))
    start, end = (math.log2(length) for length in lengths[last : last + 2])
    tokens = 2 ** (start + part * (end - start))
    return int(float(f"{tokens:.{_DIGITS}g}"))


def _non_increasing(means: Floats) -> Floats:
    """For each row (lengths,) the closest non-increasing one: min over a ≤ k of max over b ≥ k of
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
