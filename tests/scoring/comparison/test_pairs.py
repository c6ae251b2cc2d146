"""The difference of two entries, checked against scipy, statsmodels and explicit formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.comparison.mcnemar import exact_interval
from scoring.comparison.pairs import Comparison, compare, compare_with_first
from scoring.comparison.vectors import TaskVector
from tests.scoring.comparison.entries import clustered_scores, vector

ONE = {"task": 1.0}


def compared(a: TaskVector, b: TaskVector) -> Comparison:
    return compare({"task": a}, {"task": b}, ONE)


def answers(both: int, only_a: int, only_b: int, none: int) -> tuple[TaskVector, TaskVector]:
    a = [1] * both + [1] * only_a + [0] * only_b + [0] * none
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * none
    return vector(a), vector(b)


def test_few_discordant_questions_get_the_exact_test_of_mcnemar() -> None:
    import scipy.stats
    from statsmodels.stats.contingency_tables import mcnemar

    found = compared(*answers(both=40, only_a=9, only_b=2, none=30))
    assert found.test == "mcnemar-exact"
    assert found.p == pytest.approx(mcnemar([[40, 9], [2, 30]], exact=True).pvalue)
    assert found.p == pytest.approx(scipy.stats.binomtest(9, 11).pvalue)
    assert found[6:] == (81, 0, 40, 9, 2, 30, None, None, None)
    assert found.difference == pytest.approx(100 * 7 / 81)


@given(st.integers(0, 24), st.integers(0, 24), st.integers(0, 600))
def test_the_interval_of_the_exact_test_contains_0_exactly_where_it_does_not_reject(
    a: int, b: int, rest: int
) -> None:
    import scipy.stats

    only_a, only_b = a, min(b, 24 - a)
    n = max(1, only_a + only_b + rest)
    low, high = exact_interval(only_a, only_b, n)
    p = scipy.stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert -1 <= low <= (only_a - only_b) / n <= high <= 1
    assert (low <= 0 <= high) == (p > 0.05)


def test_the_interval_of_the_exact_test_is_that_of_tango() -> None:
    # Without a discordant pair the interval ends at ± z² / (n + z²).
    low, high = exact_interval(0, 0, 100)
    assert (low, high) == pytest.approx((-3.84146 / 103.84146, 3.84146 / 103.84146), abs=1e-5)


def test_many_discordant_questions_get_the_paired_t_test() -> None:
    import scipy.stats

    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, (2, 300)).astype(float)
    found = compared(vector(a), vector(b))
    oracle = scipy.stats.ttest_rel(a, b)
    interval = oracle.confidence_interval()
    assert found.test == "paired-t"
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((100 * interval.low, 100 * interval.high))


def test_questions_on_one_text_vary_together() -> None:
    import scipy.stats
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster

    random = np.random.default_rng(4)
    scores, texts = clustered_scores(random, 2, 30, 7, share=0.5, rho=0.3)
    found = compared(vector(scores[0], texts), vector(scores[1], texts))
    model = OLS(scores[0] - scores[1], np.ones(len(texts))).fit()
    # statsmodels' own small-sample factor is G/(G−1) · (n−1)/(n−k), which is ours for a mean.
    variance = cov_cluster(model, texts, use_correction=True)
    assert found.error == pytest.approx(100 * np.sqrt(variance[0, 0]), rel=1e-9)
    assert found.p == pytest.approx(
        2 * scipy.stats.t.sf(abs(found.difference) / found.error, 29), rel=1e-9
    )


def test_strata_that_were_designed_do_not_count_as_chance() -> None:
    random = np.random.default_rng(5)
    strata = np.repeat([0, 1, 2, 3], 50)
    a = (random.random(200) < np.array([0.1, 0.4, 0.7, 1.0])[strata]).astype(float)
    b = random.integers(0, 2, 200).astype(float)
    found = compared(vector(a, strata=strata), vector(b, strata=strata))
    deviations = a - b
    for stratum in range(4):
        deviations[strata == stratum] -= deviations[strata == stratum].mean()
    variance = 200 / 196 * np.sum(deviations**2) / 200**2
    assert found.error == pytest.approx(100 * np.sqrt(variance))


def test_strata_with_one_text_are_one_stratum() -> None:
    scores = np.random.default_rng(6).random((2, 40))
    alone, together = np.arange(40), np.arange(40)
    alone[:30] = together[:30] = 0
    together[30:] = 1
    first, second = (
        compared(
            vector(scores[0], strata=strata, fractional=True),
            vector(scores[1], strata=strata, fractional=True),
        )
        for strata in (alone, together)
    )
    assert first == second


def test_questions_that_only_one_has_count_as_independent() -> None:
    random = np.random.default_rng(7)
    a, b = random.random((2, 60))
    found = compared(vector(a, fractional=True), vector(b, first=20, fractional=True))
    residuals_a, residuals_b = ((x - x.mean()) * np.sqrt(60 / 59) / 60 for x in (a, b))
    variance = np.sum(residuals_a**2) + np.sum(residuals_b**2)
    variance -= 2 * np.sum(residuals_a[20:] * residuals_b[:40])
    assert (found.n, found.unpaired) == (40, 40)
    assert found.difference == pytest.approx(100 * (a.mean() - b.mean()))
    assert found.error == pytest.approx(100 * np.sqrt(variance))
    assert found.a_higher == np.count_nonzero(a[20:] > b[:40])


def test_either_way_round_a_part_of_the_questions_is_compared_alike() -> None:
    """The texts come in another order than the questions."""
    random = np.random.default_rng(11)
    whole = vector(random.random(30), -np.repeat(np.arange(10), 3), fractional=True)
    part = whole._replace(
        scores=0.8 * whole.scores[:24],
        questions=whole.questions[:24],
        texts=whole.texts[:24],
        strata=whole.strata[:24],
    )
    found, mirrored = compared(part, whole), compared(whole, part)
    assert (found.n, found.unpaired) == (24, 6)
    assert found.error == pytest.approx(mirrored.error)
    assert (found.low, found.p) == pytest.approx((-mirrored.high, mirrored.p))


def test_entries_without_a_question_in_common_are_independent() -> None:
    a, b = np.random.default_rng(8).random((2, 60))
    found = compared(vector(a, fractional=True), vector(b, first=60, fractional=True))
    error = np.hypot(a.std(ddof=1), b.std(ddof=1)) / np.sqrt(60)
    assert (found.n, found.unpaired) == (0, 120)
    assert found.error == pytest.approx(100 * error)


def test_the_order_of_the_rows_of_a_file_changes_nothing() -> None:
    random = np.random.default_rng(9)
    scores, texts = clustered_scores(random, 2, 20, 5, share=0.5, rho=0.1)
    a, b = (vector(row, texts) for row in scores)
    shuffled = random.permutation(len(texts))
    arrays = b.scores[shuffled], b.questions[shuffled], b.texts[shuffled], b.strata[shuffled]
    other = TaskVector(*arrays, fractional=False)
    assert compared(a, b) == compared(a, other)


def test_the_same_question_twice_in_a_data_set_is_compared_twice() -> None:
    a, b = vector([1, 0, 1, 1]), vector([0, 0, 1, 0])
    doubled = np.array([1, 1, 2, 3])
    a, b = (one._replace(questions=doubled, texts=doubled) for one in (a, b))
    assert compared(a, b._replace(texts=doubled + 10)).n == 4


def test_a_mean_of_tasks_counts_texts_that_they_share_once() -> None:
    random = np.random.default_rng(10)
    scores, texts = clustered_scores(random, 2, 40, 6, share=0.5, rho=0.4)
    n = len(texts) // 2
    order = np.argsort(np.arange(len(texts)) % 2, kind="stable")  # tasks alternate
    a, b = (
        {
            "first": vector(row[order][:n], texts[order][:n]),
            "second": vector(row[order][n:], texts[order][n:], first=n),
        }
        for row in scores
    )
    found = compare(a, b, {"first": 1, "second": 1})
    together = compared(vector(scores[0], texts), vector(scores[1], texts))
    assert found.difference == pytest.approx(together.difference)
    # Each task's mean is estimated, so that only the small-sample factor differs slightly.
    assert found.error == pytest.approx(together.error, rel=0.03)


def test_weights_are_scaled_to_a_sum_of_1() -> None:
    random = np.random.default_rng(11)
    a, b = (
        {
            task: vector(random.random(30), first=i, fractional=True)
            for i, task in ((0, "x"), (99, "y"))
        }
        for _ in range(2)
    )
    assert compare(a, b, {"x": 1, "y": 3}) == compare(a, b, {"x": 0.25, "y": 0.75, "z": 0})


def test_a_difference_that_does_not_vary_has_the_second_moment_about_0_as_its_variance() -> None:
    found = compared(vector([1] * 50), vector([0] * 50))
    assert (found.difference, found.error) == pytest.approx((100, 100 / np.sqrt(50)))
    assert found.p < 1e-8


def test_nothing_can_be_said_from_a_single_text() -> None:
    found = compared(vector([1, 1, 1], [5, 5, 5]), vector([0, 0, 1], [5, 5, 5]))
    assert (found.p, found.low, found.high) == (1, -100, 100)


@pytest.mark.parametrize("fractional", [False, True])
def test_an_entry_does_not_differ_from_its_copy(fractional: bool) -> None:
    a = vector([1, 0] * 40, fractional=fractional)
    found = compared(a, a)
    assert (found.difference, found.p) == (0, 1)
    assert found.low <= 0 <= found.high


@pytest.mark.parametrize("weights", [{"task": -1.0}, {"task": 0.0}, {"task": float("nan")}])
def test_weights_below_0_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        compare({"task": vector([1, 0])}, {"task": vector([1, 0])}, weights)


def test_a_task_that_an_entry_lacks_is_refused() -> None:
    with pytest.raises(KeyError):
        compare({"task": vector([1, 0])}, {}, ONE)


def test_an_empty_or_uneven_vector_is_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        compared(vector([]), vector([]))


@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_several_entries_are_compared_with_the_first_as_each_would_be_alone(
    share: float, fractional: bool
) -> None:
    generator = np.random.default_rng(3)
    numbers = np.arange(60, dtype=np.int64)

    def entry() -> dict[str, TaskVector]:
        found = {}
        for task, first in (("passkey", 0), ("kv_retrieval", 100)):
            scores = (generator.random(60) < share).astype(np.float64)
            strata = numbers % 5
            codes = numbers + first
            found[task] = TaskVector(
                scores * generator.random(60) if fractional else scores,
                codes, codes // 2, strata, fractional,
            )  # fmt: skip
        return found

    entries = [entry() for _ in range(4)]
    for weights in ({"passkey": 1.0}, {"passkey": 1.0, "kv_retrieval": 3.0}):
        together = compare_with_first(entries, weights)
        alone = [compare(one, entries[0], weights) for one in entries[1:]]
        for found, wanted in zip(together, alone, strict=True):
            assert found[:5] == pytest.approx(wanted[:5])
            assert found[5:] == wanted[5:]
