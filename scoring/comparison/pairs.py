"""Two entries, question by question."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scoring.comparison.cohorts import Cohort, TaskScores, shared_positions
from scoring.comparison.mcnemar import FEW_DISCORDANT, exact_interval
from scoring.comparison.vectors import Entry, Floats, Layout, unit_weights
from scoring.distributions import binomial_two_sided, t_quantile, t_two_sided


class Comparison(NamedTuple):
    """How far entry A is ahead of entry B; the counts are over the ``n`` questions that both
    have."""

    difference: float  # of the full scores, A − B, in percentage points
    low: float  # its 95 % interval, in percentage points
    high: float
    error: float  # its standard error, in percentage points
    p: float  # two-sided, that the two are equally good
    test: str  # "mcnemar-exact" or "paired-t"
    n: int
    unpaired: int  # questions that only one of the two has: counted as independent
    both: int | None  # right answers; None where a task has scores between 0 and 1
    only_a: int | None
    only_b: int | None
    none: int | None
    a_higher: int | None  # None where all scores are 0 or 1
    b_higher: int | None
    equal: int | None


def compare(a: Entry, b: Entry, weights: Mapping[str, float]) -> Comparison:
    """The paired difference of two entries in one task, or in the weighted mean of several.

    The variance is V_A + V_B − 2 Cov, clustered by text (``Layout.influence``), where Cov comes
    from the questions of equal code; the test is Student's t. Where right and wrong answers to the
    same questions, each about a text of its own, differ in fewer than 25, it is the exact test of
    McNemar (never mid-p), with the interval of ``exact_interval``. Where the difference is not 0
    but does not vary at all, its second moment about 0 is the variance. With a single text nothing
    can be said: p is 1, and the interval all there is. Raises ``KeyError`` where an entry lacks a
    task, ``ValueError`` for negative weights.
    """
    tasks = unit_weights(weights)
    (cohort_a, rows_a), (cohort_b, rows_b) = _alone(a, tasks), _alone(b, tasks)
    positions, _ = shared_positions(cohort_a.layouts, cohort_b.layouts)
    scores_a = np.concatenate([row[in_a] for row, (in_a, _) in zip(rows_a, positions, strict=True)])
    scores_b = np.concatenate([row[in_b] for row, (_, in_b) in zip(rows_b, positions, strict=True)])
    t, error = (float(block[0, 0]) for block in cohort_a.statistics(cohort_b))
    return _comparison(
        (float(cohort_a.means[0] - cohort_b.means[0]), error, t),
        scores_a,
        scores_b,
        df=min(cohort_a.df, cohort_b.df),
        exact_where_few=cohort_a.exact_where_few(cohort_b),
        fractional=any(entry[task].fractional for entry in (a, b) for task in tasks),
        unpaired=sum(map(len, rows_a)) + sum(map(len, rows_b)) - 2 * len(scores_a),
    )


def compare_with_first(entries: Sequence[Entry], weights: Mapping[str, float]) -> list[Comparison]:
    """The result of ``compare`` between each of these entries except the first, and the first one.

    They have the same questions in the same order, and what depends on these alone is computed
    once.
    """
    tasks = unit_weights(weights)
    first = entries[0]
    scores = []
    for task in tasks:
        order, layout = Layout.of(first[task])
        rows = [entry[task].scores[order] for entry in entries]
        scores.append((TaskScores.of(layout, rows, first[task].fractional), np.stack(rows)))
    of_tasks = [one for one, _ in scores]
    together = np.concatenate([rows for _, rows in scores], axis=1)
    places = np.arange(len(entries))
    rows_of_tasks = np.tile(places, (len(of_tasks), 1))
    cohort = Cohort.of(of_tasks, list(tasks.values()), rows_of_tasks, places)
    t, errors = cohort.statistics(cohort)
    return [
        _comparison(
            (
                float(cohort.means[place] - cohort.means[0]),
                float(errors[place, 0]),
                float(t[place, 0]),
            ),
            together[place],
            together[0],
            df=cohort.df,
            exact_where_few=cohort.exact_where_few(cohort),
            fractional=any(one.fractional for one in of_tasks),
        )
        for place in range(1, len(entries))
    ]


def _comparison(
    found: tuple[float, float, float],
    scores_a: Floats,
    scores_b: Floats,
    *,
    df: float,
    exact_where_few: bool,
    fractional: bool,
    unpaired: int = 0,
) -> Comparison:
    """``found``: the difference, its standard error and t; the scores are of the questions that
    both have, in the same order."""
    difference, error, t = found
    n = len(scores_a)
    higher_a = int(np.count_nonzero(scores_a > scores_b))
    higher_b = int(np.count_nonzero(scores_a < scores_b))
    equal = n - higher_a - higher_b
    if exact_where_few and higher_a + higher_b < FEW_DISCORDANT:
        test, p = "mcnemar-exact", binomial_two_sided(higher_a, higher_a + higher_b)
        low, high = exact_interval(higher_a, higher_b, n)
    else:
        test = "paired-t"
        p = t_two_sided(t, df) if df else 1.0
        reach = t_quantile(0.975, df) * error if df else 2.0
        low, high = max(-1.0, difference - reach), min(1.0, difference + reach)
    both = int(np.count_nonzero((scores_a == 1) & (scores_b == 1)))
    return Comparison(
        *(100 * difference, 100 * low, 100 * high, 100 * error, p, test, n, unpaired),
        *(
            (None, None, None, None, higher_a, higher_b, equal)
            if fractional
            else (both, higher_a, higher_b, equal - both, None, None, None)
        ),
    )


def _alone(entry: Entry, tasks: Mapping[str, float]) -> tuple[Cohort, list[Floats]]:
    """A cohort of one entry, and its scores in each task in the order of the layout."""
    scores, rows = [], []
    for task in tasks:
        order, layout = Layout.of(entry[task])
        rows.append(entry[task].scores[order])
        scores.append(TaskScores.of(layout, rows[-1:], entry[task].fractional))
    first = np.zeros((len(scores), 1), dtype=np.int64)
    return Cohort.of(scores, list(tasks.values()), first, first[0]), rows
