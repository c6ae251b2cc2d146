"""What all entries' scores say about each question: its difficulty and its discrimination."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.item_analysis.wrong_answers import SOLVED

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

_LEAST_RANGE = 1e-12  # a standard deviation below is rounding


class Items(NamedTuple):
    """One value for each question; a question that no entry answered has NaN."""

    answered: Ints  # entries with a score
    difficulty: Floats  # 1 − mean score, 0 to 1
    discrimination: Floats  # −1 to 1; NaN where scores do not vary, or for fewer than 3 entries
    solved_by: Ints  # entries
    only_failing: Ints  # the one entry that does not solve what two or more others do, else −1
    only_solving: Ints  # the one entry that solves what two or more others do not, else −1

    @property
    def nobody_solves(self) -> Bools:
        nobody: Bools = (self.solved_by == 0) & (self.answered > 0)
        return nobody

    @property
    def everybody_solves(self) -> Bools:
        everybody: Bools = (self.solved_by == self.answered) & (self.answered > 0)
        return everybody


def item_analysis(scores: Floats) -> Items:
    """The statistics of each question.

    ``scores`` is (entries, questions), from 0 to 1, of one task and one metric set; NaN where an
    entry has none. Missing answers that count as 0 have to be given as 0. A question is solved from
    a score of ``SOLVED``.
    """
    known = ~np.isnan(scores)
    answered = known.sum(axis=0)
    solved = known & (np.nan_to_num(scores) >= SOLVED)
    failed = known & ~solved
    with np.errstate(invalid="ignore"):
        means = np.nansum(scores, axis=0) / answered
    return Items(
        answered.astype(np.int64),
        1 - means,
        discrimination(scores),
        solved.sum(axis=0).astype(np.int64),
        _only(failed, solved),
        _only(solved, failed),
    )


def _only(these: Bools, others: Bools) -> Ints:
    """The row that is alone in a column, with two or more of the others; −1 elsewhere."""
    alone = (these.sum(axis=0) == 1) & (others.sum(axis=0) >= 2)
    return np.where(alone, these.argmax(axis=0) if these.size else -1, -1).astype(np.int64)


def discrimination(scores: Floats) -> Floats:
    """The corrected item–total correlation of each question, (questions,), −1 to 1.

    Pearson's correlation, over the entries that have a score, of the score of the question and the
    entry's mean of its other scores: without the correction an item correlates with itself.
    S. Henrysson, “Correction of Item-Total Correlations in Item Analysis” (Psychometrika, 1963).
    NaN for fewer than three entries, and where either does not vary.
    """
    known = ~np.isnan(scores)
    filled = np.where(known, scores, 0.0)
    others = known.sum(axis=1, keepdims=True) - 1
    usable = known & (others > 0)
    rest = (filled.sum(axis=1, keepdims=True) - filled) / np.maximum(others, 1)
    count = usable.sum(axis=0)
    item = _centred(filled, usable, count)
    rest = _centred(rest, usable, count)
    deviations = np.sqrt((item**2).sum(axis=0)), np.sqrt((rest**2).sum(axis=0))
    varies = (count >= 3) & (deviations[0] > _LEAST_RANGE) & (deviations[1] > _LEAST_RANGE)
    correlations = np.full(scores.shape[1], np.nan)
    np.divide((item * rest).sum(axis=0), deviations[0] * deviations[1], correlations, where=varies)
    return correlations


def _centred(values: Floats, usable: Bools, count: Ints) -> Floats:
    means = np.where(usable, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.where(usable, values - means, 0.0)


class Disagreement(NamedTuple):
    """How differently metric sets judge the same predictions; one value for each question."""

    range: Floats  # mean over entries of the highest minus the lowest score, 0 to 1
    share: Floats  # of the entries, those of which one set solves the question and one does not


def disagreement(scores: Floats) -> Disagreement:
    """``scores`` is (metric sets, entries, questions), from 0 to 1; NaN where there is none.

    A question that no entry answered under every set has NaN.
    """
    known = ~np.isnan(scores).any(axis=0)
    filled = np.where(known, scores, 0.0)
    with np.errstate(invalid="ignore"):
        ranges = np.ptp(filled, axis=0).sum(axis=0) / known.sum(axis=0)
        solved = filled >= SOLVED
        differ = known & (solved.any(axis=0) != solved.all(axis=0))
        return Disagreement(ranges, differ.sum(axis=0) / known.sum(axis=0))


def information(items: Items, disagreement: Disagreement, gold_missing: Bools) -> Floats:
    """How much a reviewer learns from each question, 0 to 3: the order of their queue, from high.

    The sum of three parts, each from 0 to 1: |discrimination| × 4 p (1 − p) with the mean score p,
    which is high where strong and weak entries part, or part the wrong way round (as with a wrong
    label), and 0 where all do the same; the mean range between metric sets, where the scorer may
    be wrong; 1 where the gold answer is not in the context (``gold_missing``). NaN counts as 0.
    """
    spread = 4 * items.difficulty * (1 - items.difficulty)
    parts = np.abs(items.discrimination) * spread, disagreement.range, gold_missing.astype(float)
    total: Floats = np.sum([np.nan_to_num(part) for part in parts], axis=0)
    return total
