"""How many questions it takes to tell two entries apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.comparison.pairs import compare
from scoring.comparison.power import cheapest_questions, questions_needed, questions_to_separate
from tests.scoring.comparison.entries import vector

ONE = {"task": 1.0}


def test_the_number_is_that_of_the_formula() -> None:
    assert questions_needed(deviation=50, difference=5) == 785
    assert questions_needed(deviation=50, difference=-5) == 785
    assert questions_needed(deviation=50, difference=0) is None


def test_questions_on_one_text_count_for_less() -> None:
    scores = np.random.default_rng(1).random((2, 90))
    alone = [vector(row, fractional=True) for row in scores]
    thrice = [
        vector(np.repeat(row, 3), np.repeat(np.arange(90), 3), fractional=True) for row in scores
    ]
    few, many = (
        questions_to_separate(compare({"task": a}, {"task": b}, ONE)) for a, b in (alone, thrice)
    )
    assert few is not None
    assert many is not None
    assert many == pytest.approx(3 * few, abs=3)


@pytest.mark.slow
@pytest.mark.parametrize(("only_a", "only_b"), [(0.2, 0.14), (0.3, 0.16)])
def test_the_recommended_number_finds_the_difference_in_80_percent_of_runs(
    only_a: float, only_b: float
) -> None:
    random = np.random.default_rng(2)
    difference = only_a - only_b
    n = questions_needed(np.sqrt(only_a + only_b - difference**2), difference)
    assert n is not None
    found = 0
    for _ in range(1_000):
        draws = random.random(n)
        a, b = (draws < only_a).astype(float), (draws > 1 - only_b).astype(float)
        found += compare({"task": vector(a)}, {"task": vector(b)}, ONE).p <= 0.05
    assert 750 <= found <= 850


TASKS = ("long", "short", "even")
POSITIVE = st.floats(0.1, 100)


@given(
    st.tuples(*[POSITIVE] * 3), st.tuples(*[POSITIVE] * 3), st.floats(0.01, 1), st.integers(0, 2)
)
def test_no_exchange_of_questions_of_the_cheapest_mix_is_cheaper(
    deviations: tuple[float, ...], costs: tuple[float, ...], difference: float, fewer: int
) -> None:
    """With fewer questions of one task, and as many more of the others as that requires."""
    of = dict(zip(TASKS, deviations, strict=True))
    at = dict(zip(TASKS, costs, strict=True))
    found = cheapest_questions(of, at, difference)
    assert found is not None

    def variance(questions: dict[str, float]) -> float:
        return math.fsum((of[task] / 3) ** 2 / n for task, n in questions.items())

    def cost(questions: dict[str, float]) -> float:
        return math.fsum(at[task] * n for task, n in questions.items())

    assert variance(dict(found)) <= (difference / 2.8) ** 2 * 1.001
    other = {task: n * (0.8 if task == TASKS[fewer] else 1) for task, n in found.items()}
    scale = variance(other) / (difference / 2.801) ** 2  # as precise as the cheapest mix
    assert cost({task: n * scale for task, n in other.items()}) > 0.99 * cost(
        dict(found)
    ) - 3 * sum(costs)


def test_equal_tasks_share_the_questions_equally() -> None:
    alike = dict.fromkeys(TASKS, 50.0)
    found = cheapest_questions(alike, dict.fromkeys(TASKS, 1_000.0), 5)
    assert found == dict.fromkeys(TASKS, 262)  # 785 in all
    assert cheapest_questions(alike, alike, 0) is None


@pytest.mark.slow
def test_the_cheapest_mix_finds_the_difference_in_80_percent_of_runs() -> None:
    random = np.random.default_rng(3)
    ahead = {"long": (0.3, 0.2), "short": (0.25, 0.21), "even": (0.3, 0.25)}  # only A, only B
    gains = {task: a - b for task, (a, b) in ahead.items()}
    deviations = {task: math.sqrt(a + b - gains[task] ** 2) for task, (a, b) in ahead.items()}
    costs = {"long": 2_000.0, "short": 40.0, "even": 100.0}
    mix = cheapest_questions(deviations, costs, math.fsum(gains.values()) / 3)
    assert mix is not None
    assert mix["long"] < mix["even"] < mix["short"]
    found = 0
    for _ in range(1_000):
        a, b = {}, {}
        for task, n in mix.items():
            draws = random.random(n)
            a[task] = vector((draws < ahead[task][0]).astype(float))
            b[task] = vector((draws > 1 - ahead[task][1]).astype(float))
        found += compare(a, b, dict.fromkeys(mix, 1.0)).p <= 0.05
    assert 750 <= found <= 850
