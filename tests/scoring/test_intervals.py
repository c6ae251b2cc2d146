"""The intervals of scores: known values, simulated coverage, and what must not change them."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.intervals import (
    UNKNOWN_DESIGN,
    Design,
    Estimate,
    Interval,
    covariance,
    estimate,
    interval_of_mean,
    mean_interval,
)

SHARE, FRACTIONAL = TASKS["passkey"], TASKS["longbook_qa_eng"]


def estimated(
    scores: list[float], design: Design = UNKNOWN_DESIGN, task: str = "passkey"
) -> Estimate:
    found = estimate(TASKS[task], scores, design)
    assert found
    return found


def interval(
    scores: list[float], design: Design = UNKNOWN_DESIGN, task: str = "passkey"
) -> Interval:
    found = estimated(scores, design, task).interval
    assert found
    return found


def test_an_interval_that_one_decimal_place_would_hide_is_printed_with_two() -> None:
    assert str(Interval(0.012, 0.018, "t")) == "0.01–0.02"
    assert str(Interval(0.0, 0.04, "t")) == "0–0.04"
    assert str(Interval(12.0, 12.1, "t")) == "12.0–12.1"


@pytest.mark.parametrize(
    ("right", "n", "printed"),
    [(590, 590, "99.4–100"), (0, 400, "0–1.0"), (18, 20, "69.9–97.2"), (1, 1, "20.7–100")],
)
def test_right_or_wrong_scores_have_the_interval_of_wilson(
    right: int, n: int, printed: str
) -> None:
    from statsmodels.stats.proportion import proportion_confint

    found = interval([1.0] * right + [0.0] * (n - right))
    expected = proportion_confint(right, n, method="wilson")
    assert found[:2] == pytest.approx([100 * end for end in expected], abs=1e-5)
    assert (str(found), found.method) == (printed, "wilson")


def test_fractional_scores_have_the_interval_of_t() -> None:
    from scipy import stats

    scores = [Random(index).random() for index in range(40)]
    found = interval(scores, task=FRACTIONAL.id)
    error = stats.sem(scores)
    expected = stats.t.interval(0.95, 39, sum(scores) / 40, error)
    assert found[:2] == pytest.approx([100 * end for end in expected])
    assert found.method == "t"


def test_the_variance_is_that_of_clustered_errors() -> None:
    from scipy import stats
    from statsmodels.regression.linear_model import OLS

    random = Random(7)
    texts = [random.randrange(35) for _ in range(200)]
    scores = [min(1.0, random.random() * (0.5 + text / 70)) for text in texts]
    found = estimated(scores, Design(texts), FRACTIONAL.id)
    fit = OLS(scores, [1.0] * 200).fit(
        cov_type="cluster", cov_kwds={"groups": texts, "df_correction": True}
    )
    clusters = len(set(texts))
    # statsmodels adds the factor (n − 1)/(n − k), which is 1 for a mean.
    assert math.sqrt(found.variance) == pytest.approx(100 * fit.bse[0])
    reach = stats.t.ppf(0.975, clusters - 1) * 100 * fit.bse[0]
    assert found.interval == pytest.approx(
        (found.mean - reach, found.mean + reach, "cluster-t"), abs=1e-9
    )
    assert found.texts == clusters


def test_questions_that_fail_together_say_less() -> None:
    scores = [float(text % 2) for text in range(30) for _ in range(6)]
    alone = interval(scores)
    together = interval(scores, Design([text for text in range(30) for _ in range(6)]))
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.method == "wilson-cluster-t"


def test_questions_that_differ_within_each_text_count_no_more_than_themselves() -> None:
    """Half of each text's questions right: the sums of texts do not vary, but that is chance."""
    texts = [text for text in range(30) for _ in range(2)]
    scores = [float(index % 2) for index in range(60)]
    scores[0] = 1.0
    balanced, alone = interval(scores, Design(texts)), interval(scores)
    assert balanced.high - balanced.low >= alone.high - alone.low


def test_what_a_design_has_fixed_is_not_doubtful() -> None:
    """Nearly all failures are at one depth: another sample of the same depths fails there too."""
    depths = [depth for depth in range(10) for _ in range(10)]
    scores = [float(depth != 3) for depth in depths]
    scores[depths.index(3)] = 1.0
    designed = interval(scores, Design(list(range(100)), depths))
    assert designed.method == "wilson-stratified-t"
    assert designed.high - designed.low < interval(scores).high - interval(scores).low
    assert designed.low < 91 < designed.high


@pytest.mark.parametrize("score", [0.0, 1.0])
@pytest.mark.parametrize("task", ["passkey", "longbook_qa_eng"])
def test_no_interval_is_a_single_point(score: float, task: str) -> None:
    for design in (
        UNKNOWN_DESIGN,
        Design([index // 4 for index in range(80)]),
        Design(list(range(80)), [index % 4 for index in range(80)]),
    ):
        found = interval([score] * 80, design, task)
        assert found.high - found.low > 1
        assert (found.low, found.high)[score == 1] == 100 * score
    nearly = interval([0.0001] + [0.0] * 79, task="math_calc")
    assert nearly.high > 1


@pytest.mark.parametrize("questions", [20, 60])
@pytest.mark.parametrize("last", [0.4, 0.4001])
def test_nearly_equal_partial_scores_have_the_interval_of_wilson(
    questions: int, last: float
) -> None:
    from statsmodels.stats.proportion import proportion_confint

    scores = [0.4] * (questions - 1) + [last]
    found = interval(scores, Design(list(range(questions))), "longbook_qa_eng")
    ends = proportion_confint(sum(scores), questions, method="wilson")
    assert found[:2] == pytest.approx([100 * end for end in ends])


def test_as_many_strata_as_texts_are_no_design() -> None:
    texts, strata = [0, 1] * 10, [index % 5 for index in range(20)]
    found = interval([float(index % 3 == 0) for index in range(20)], Design(texts, strata))
    assert 0 <= found.low < 35 < found.high <= 100


def test_a_single_text_says_nothing() -> None:
    assert estimated([0.25, 0.5, 1.0, 0.75, 0.3], Design(["a"] * 5), FRACTIONAL.id).interval is None
    assert estimate(SHARE, [], UNKNOWN_DESIGN) is None


def clustered(
    random: Random, texts: int, questions: int, alike: float, share: float
) -> list[float]:
    """Beta-binomial scores; ``alike`` says how much texts differ."""
    spread = (1 - alike) / alike if alike else math.inf
    of_texts = [
        random.betavariate(share * spread, (1 - share) * spread) if alike else share
        for _ in range(texts)
    ]
    return [float(random.random() < one) for one in of_texts for _ in range(questions)]


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0, 0.1, 0.3])
@pytest.mark.parametrize(("texts", "questions"), [(25, 8), (60, 6)])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9, 0.98])
def test_the_interval_covers_the_truth(
    texts: int, questions: int, alike: float, share: float
) -> None:
    random, runs = Random(20261122), 1_000
    design = Design([text for text in range(texts) for _ in range(questions)])
    covered = 0
    for _ in range(runs):
        found = interval(clustered(random, texts, questions, alike, share), design)
        covered += found.low <= 100 * share <= found.high
    wanted = 0.93 if 0.1 <= share <= 0.9 else 0.91
    luck = 2 * math.sqrt(wanted * (1 - wanted) / runs)
    assert covered / runs >= wanted - luck


@pytest.mark.slow
def test_the_interval_of_few_texts_covers_the_truth() -> None:
    random, runs = Random(20261122), 120
    design = Design([text for text in range(20) for _ in range(5)])
    covered = 0
    for _ in range(runs):
        centres = [random.betavariate(2, 3) for _ in range(20)]
        scores = [random.betavariate(4 * one, 4 * (1 - one)) for one in centres for _ in range(5)]
        found = interval(scores, design, FRACTIONAL.id)
        assert found.method == "cluster-bootstrap-t"
        covered += found.low <= 40 <= found.high
    assert covered / runs >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / runs)


tables = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 12)), min_size=12, max_size=60
)


@given(tables, st.sampled_from(["passkey", "longbook_qa_eng"]), st.randoms(use_true_random=False))
def test_neither_order_nor_names_matter(
    table: list[tuple[float, int]], task: str, random: Random
) -> None:
    scores = [score if task != "passkey" else float(score == 1) for score, _ in table]
    found = estimated(scores, Design([text for _, text in table]), task)
    order = random.sample(range(len(table)), len(table))
    renamed = Design([f"text {-table[index][1]}" for index in order])
    again = estimated([scores[index] for index in order], renamed, task)
    assert found.interval == again.interval  # to the last digit
    assert found.interval is None or (
        0 <= found.interval.low <= found.mean + 1e-9
        and found.mean - 1e-9 <= found.interval.high <= 100
    )


def test_a_mean_over_certain_tasks_is_not_certain() -> None:
    tasks = ("passkey", "number_string", "kv_retrieval")
    found = mean_interval([estimated([1.0] * 500, task=task) for task in tasks])
    assert found
    assert (found.high, found.method) == (100, "mover")
    assert 99 < found.low < 99.9


def test_tasks_on_the_same_texts_are_not_independent() -> None:
    texts = [text for text in range(40) for _ in range(5)]
    scores = [(text % 4) / 3 for text in texts]
    same = [estimated(scores, Design(texts), FRACTIONAL.id) for _ in range(2)]
    other = [
        estimated(scores, Design([(task, text) for text in texts]), FRACTIONAL.id)
        for task in range(2)
    ]
    assert covariance(*same) == pytest.approx(same[0].variance)
    assert covariance(*other) == 0
    shared, apart = mean_interval(same), mean_interval(other)
    assert shared
    assert apart
    assert shared.high - shared.low == pytest.approx(math.sqrt(2) * (apart.high - apart.low))
    assert shared[:2] == pytest.approx(same[0].interval[:2])  # type: ignore[index]


def test_the_interval_of_a_weighted_mean_is_that_of_its_formula_with_matrices() -> None:
    random = np.random.default_rng(1)
    means, weights = random.uniform(5, 95, 12), random.uniform(0, 3, 12)
    weights[4] = 0
    low, high = (random.uniform(1, 5, 12) for _ in range(2))
    roots = random.normal(size=(12, 20))
    covariances = roots @ roots.T
    covariances[3, :] = covariances[:, 3] = 0  # all answers right
    deviations = np.sqrt(np.maximum(1e-9, covariances.diagonal()))
    correlations = covariances / np.outer(deviations, deviations)
    np.fill_diagonal(correlations, 1.0)
    shares = weights / weights.sum()
    down, up = (np.sqrt(shares * reach @ correlations @ (shares * reach)) for reach in (low, high))
    intervals = [Interval(*ends, "t") for ends in zip(means - low, means + high, strict=True)]
    found = interval_of_mean(means.tolist(), intervals, covariances.tolist(), weights.tolist())
    mean = float(means @ shares)
    assert found[:2] == pytest.approx((mean - down, mean + up))


def test_the_interval_of_one_task_is_its_own_whatever_its_weight() -> None:
    one = estimated([1.0, 0.0, 1.0, 1.0])
    assert one.interval
    found = interval_of_mean([one.mean], [one.interval], [[one.variance]], [3.0])
    assert found == pytest.approx(one.interval)
