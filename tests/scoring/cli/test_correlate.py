"""Rank correlation between two releases: over the models on both, with ties and an interval."""

from random import Random

import pytest
from scipy.stats import kendalltau

from scoring.catalog import OVERALL
from scoring.cli.site.correlate import correlation, kendall, scores_of


@pytest.mark.parametrize("seed", range(20))
def test_tau_is_that_of_scipy(seed: int) -> None:
    random = Random(seed)
    pairs = [(random.randint(0, 9), random.randint(0, 9)) for _ in range(random.randint(3, 30))]
    expected = kendalltau(*zip(*pairs, strict=True)).statistic
    assert kendall(pairs) == pytest.approx(expected)


def test_equal_scores_have_no_order() -> None:
    assert kendall([(1, 1), (1, 2), (1, 3)]) is None


def test_only_models_with_both_scores_count() -> None:
    one = {name: {"passkey": float(at)} for at, name in enumerate("abcdef")}
    other = {name: {"passkey": float(-at)} for at, name in enumerate("abcd")}
    found = correlation(one, other | {"e": {}}, "passkey")
    assert (found.models, found.tau, found.low, found.high) == (4, -1, -1, -1)
    assert correlation(one, other, OVERALL) == (0, None, None, None)
    assert correlation(one, {"a": {"passkey": 1.0}}, "passkey") == (1, None, None, None)


def test_the_same_scores_have_the_same_interval() -> None:
    one = {str(at): {OVERALL: at % 7.0} for at in range(12)}
    other = {str(at): {OVERALL: at % 5.0} for at in range(12)}
    found = correlation(one, other, OVERALL)
    assert found == correlation(one, other, OVERALL)
    assert (found.low or 0) < (found.tau or 0) < (found.high or 0)


def test_the_first_entry_of_a_model_and_method_counts() -> None:
    def entry(method: str | None, mean: float | None) -> dict[str, object]:
        overall = None if mean is None else {"mean": mean}
        return {"model": "m", "method": method, "overall": overall, "scores": {"passkey": None}}

    found = scores_of([entry(None, 5.0), entry(None, 4.0), entry("rag", None)])
    assert found == {"m\n": {OVERALL: 5.0}, "m\nrag": {}}
