"""Corrections for multiple tests, checked against the steps written out."""

import numpy as np
import pytest

from scoring.comparison.multiplicity import (
    DRAWS,
    Singles,
    bootstrap_statistics,
    holm_level,
    romano_wolf_critical,
)
from scoring.comparison.vectors import Floats


def singles(values: list[float] | list[list[float]]) -> Singles:
    return np.array(values, dtype=np.float32)


def rejected_by_holm(p: Floats) -> list[bool]:
    rejected = np.zeros(len(p), dtype=bool)
    for rank, place in enumerate(np.argsort(p)):
        if p[place] > 0.05 / (len(p) - rank):
            break
        rejected[place] = True
    return rejected.tolist()


@pytest.mark.parametrize("df", [4.0, 30.5, 3000.0])
def test_the_level_of_holm_is_that_of_his_step_down(df: float) -> None:
    import scipy.stats

    random = np.random.default_rng(4)
    for size in range(1, 60):
        p = 10 ** -random.uniform(0, 5, size)
        statistics = scipy.stats.t.isf(p / 2, df).astype(np.float32)
        level = holm_level([(df, statistics)], size)
        assert (p <= level).tolist() == rejected_by_holm(p)


def test_tests_with_other_degrees_of_freedom_share_one_level() -> None:
    import scipy.stats

    few, many = singles([4.0, 9.0]), singles([2.5, 3.4, 6.0])
    p = np.concatenate([2 * scipy.stats.t.sf(few, 5), 2 * scipy.stats.t.sf(many, 500)])
    level = holm_level([(5, few), (500, many)], 5)
    assert (p <= level).tolist() == rejected_by_holm(p)


def test_the_bootstrap_keeps_how_pairs_depend_on_each_other() -> None:
    random = np.random.default_rng(1)
    sums = random.normal(size=(3, 80))
    sums -= sums.mean(axis=1, keepdims=True)
    sums[2] = sums[1]
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    drawn = bootstrap_statistics(sums, np.full(80, 1 / 80), 79, pairs, seed=0)
    assert drawn.shape == (3, DRAWS)
    assert np.array_equal(drawn[0], drawn[1])  # entries 1 and 2 are copies
    assert not drawn[2].any()
    assert abs(np.mean(drawn[0] ** 2) - 1) < 0.1


def test_with_few_texts_six_multipliers_are_used() -> None:
    sums = np.random.default_rng(2).normal(size=(2, 8))
    pairs = np.array([0]), np.array([1])
    drawn = bootstrap_statistics(sums, np.full(8, 1 / 8), 7, pairs, seed=0)
    assert len(np.unique(drawn)) > 2**8


def test_the_critical_value_of_one_test_is_about_that_of_t() -> None:
    import scipy.stats

    sums = np.random.default_rng(3).normal(size=(2, 60))
    sums -= sums.mean(axis=1, keepdims=True)
    pairs = np.array([0]), np.array([1])
    drawn = bootstrap_statistics(sums, np.full(60, 1 / 60), 59, pairs, seed=0)
    critical = romano_wolf_critical(singles([0.0]), drawn)
    assert abs(critical - scipy.stats.t.ppf(0.975, 59)) < 0.12


def test_each_step_of_romano_and_wolf_looks_only_at_what_is_left() -> None:
    # The first test has the largest draws; once it is rejected, the second needs less.
    drawn = np.tile(singles([[3.0], [1.0]]), DRAWS)
    assert romano_wolf_critical(singles([2.0, 2.0]), drawn) > 2.9
    assert romano_wolf_critical(singles([3.5, 2.0]), drawn) < 1.1
