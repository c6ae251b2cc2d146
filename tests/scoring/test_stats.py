"""How much single runs vary, and what choosing the best of them gains."""

import random
from statistics import fmean, variance

import pytest

from scoring.stats import expected_maximum, run_variance


def test_runs_with_equal_answers_do_not_vary() -> None:
    assert run_variance([[1.0, 0.0, 0.5]] * 3) == 0


def test_the_variance_of_a_run_is_the_mean_variance_of_a_question_over_their_number() -> None:
    assert run_variance([[1.0, 0.0], [0.0, 0.0]]) == pytest.approx(10_000 * 0.5 / 4)


@pytest.mark.parametrize("runs", [[], [[1.0]], [[], []], [[1.0], [1.0, 0.0]]])
def test_there_have_to_be_two_runs_of_the_same_questions(runs: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"two of them|argument"):
        run_variance(runs)


def test_it_is_the_variance_that_the_means_of_many_runs_have() -> None:
    """Questions of different difficulty do not make a run vary."""
    chance = random.Random(7)
    chances = [chance.random() for _ in range(60)]

    def run() -> list[float]:
        return [float(chance.random() < one) for one in chances]

    means = [100 * fmean(run()) for _ in range(4_000)]
    estimates = [run_variance([run(), run(), run()]) for _ in range(400)]
    assert fmean(estimates) == pytest.approx(variance(means), rel=0.1)


@pytest.mark.parametrize(
    ("n", "value"),
    # 0, 1/√π, 3/(2√π), then from tables of normal order statistics.
    [(1, 0.0), (2, 0.56419), (3, 0.84628), (5, 1.16296), (10, 1.53875), (100, 2.50759)],
)
def test_the_largest_of_n_normal_values(n: int, value: float) -> None:
    assert expected_maximum(n) == pytest.approx(value, abs=1e-5)


def test_there_is_no_largest_of_none() -> None:
    with pytest.raises(ValueError, match="0"):
        expected_maximum(0)
