"""Means with weights that a reader chooses, held against the plain twin."""

import numpy as np
import pytest

from scoring.comparison.vectors import Floats
from scoring.comparison.weights import weighted_means
from scoring.intervals import Interval, interval_of_mean


def stored(seed: int, entries: int) -> tuple[Floats, Floats, Floats, Floats]:
    random = np.random.default_rng(seed)
    means = random.uniform(5, 95, (entries, 12))
    lows, highs = (
        means - random.uniform(1, 5, means.shape),
        means + random.uniform(1, 5, means.shape),
    )
    roots = random.normal(size=(entries, 12, 20))
    covariances = roots @ roots.swapaxes(1, 2) / 20
    covariances[0, 3, :] = covariances[0, :, 3] = 0  # all answers right
    return means, lows, highs, covariances


def test_the_means_are_those_of_the_plain_twin() -> None:
    means, lows, highs, covariances = stored(1, entries=20)
    weights = np.random.default_rng(2).uniform(0, 3, 12)
    weights[4] = 0
    mean, low, high = weighted_means(means, lows, highs, covariances, weights)
    for k in range(20):
        intervals = [Interval(*ends, "t") for ends in zip(lows[k], highs[k], strict=True)]
        twin = interval_of_mean(
            means[k].tolist(), intervals, covariances[k].tolist(), weights.tolist()
        )
        assert (low[k], high[k]) == pytest.approx((twin.low, twin.high), abs=1e-9)
        assert mean[k] == pytest.approx(np.average(means[k], weights=weights), abs=1e-9)


def test_one_task_keeps_its_interval() -> None:
    means, lows, highs, covariances = stored(3, entries=5)
    weights = np.zeros(12)
    weights[7] = 2
    found = weighted_means(means, lows, highs, covariances, weights)
    for one, expected in zip(found, (means, lows, highs), strict=True):
        assert one == pytest.approx(expected[:, 7])


def test_a_task_without_weight_is_not_looked_at() -> None:
    means, lows, highs, covariances = stored(4, entries=5)
    weights = np.ones(12)
    weights[2] = 0
    before = weighted_means(means, lows, highs, covariances, weights)
    for array in (means, lows, highs, covariances):
        array[:, 2] = np.nan
    after = weighted_means(means, lows, highs, covariances, weights)
    assert np.array_equal(before, after)
    weights[2] = 1
    assert np.isnan(weighted_means(means, lows, highs, covariances, weights)[0]).all()


@pytest.mark.parametrize("weights", [np.zeros(12), -np.ones(12), np.full(12, np.nan)])
def test_weights_below_0_are_refused(weights: Floats) -> None:
    with pytest.raises(ValueError, match="weights"):
        weighted_means(*stored(5, entries=1), weights)
