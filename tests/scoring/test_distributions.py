"""The distributions, against scipy and where they coincide."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.distributions import binomial_two_sided, normal_two_sided, t_quantile, t_two_sided

degrees = st.floats(1, 5_000)


@given(st.floats(0, 60), degrees)
def test_the_tail_of_t_is_scipys(t: float, df: float) -> None:
    from scipy import stats

    assert t_two_sided(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-7, abs=1e-290)


@given(st.floats(0.55, 0.9999999), degrees)
def test_the_quantile_of_t_is_scipys(probability: float, df: float) -> None:
    from scipy import stats

    expected = stats.t.ppf(probability, df)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-9)
    assert t_quantile(1 - probability, df) == pytest.approx(-expected, rel=1e-6)


def test_with_infinitely_many_degrees_of_freedom_t_is_normal() -> None:
    assert t_quantile(0.975, math.inf) == pytest.approx(1.959963985, abs=1e-9)
    assert t_two_sided(1.96, math.inf) == normal_two_sided(1.96) == pytest.approx(0.04999579)
    assert t_two_sided(math.inf, 5) == 0


@given(st.data())
def test_the_exact_test_is_scipys(data: st.DataObject) -> None:
    from scipy import stats

    trials = data.draw(st.integers(1, 3_000))
    successes = data.draw(st.integers(0, trials))
    expected = stats.binomtest(successes, trials).pvalue
    assert binomial_two_sided(successes, trials) == pytest.approx(expected, rel=1e-9, abs=1e-290)


def test_without_a_discordant_pair_nothing_differs() -> None:
    assert binomial_two_sided(0, 0) == 1
