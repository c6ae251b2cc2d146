"""How many questions it takes to tell two entries apart."""

import numpy as np
import pytest

from scoring.comparison.pairs import compare
from scoring.comparison.power import questions_needed, questions_to_separate
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
