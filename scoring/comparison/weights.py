"""The mean of tasks with weights that a reader chooses, for all entries of a board at once."""

import numpy as np

from scoring.comparison.vectors import Floats


def weighted_means(
    means: Floats, lows: Floats, highs: Floats, covariances: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """The weighted mean of T tasks and its 95 % interval, for k entries, each (k,).

    ``means``, ``lows`` and ``highs`` are (k, T) and ``covariances`` (k, T, T), of percent as the
    results are; ``weights`` are (T,), scaled here to a sum of 1. Tasks of weight 0 are not looked
    at, and NaN in another makes NaN. MOVER for correlated estimates: from the mean down,
    √(Σ wᵢwⱼρᵢⱼ(θᵢ−lᵢ)(θⱼ−lⱼ)), and up likewise; G. Y. Zou and A. Donner, “Construction of
    confidence limits about effect measures: A general approach” (Statistics in Medicine, 2008). ρ
    is 0 where a variance is. The plain twin is ``scoring.intervals.interval_of_mean``. Raises
    ``ValueError`` where a weight is below 0 or none is above.
    """
    total = weights.sum()
    if not np.all(np.isfinite(weights)) or np.any(weights < 0) or total <= 0:
        raise ValueError("weights need to be 0 or more, and one of them above 0")
    used = np.flatnonzero(weights)
    shares = weights[used] / total
    centres = means[:, used]
    covariances = covariances[:, used[:, None], used]
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    scales = deviations[:, :, None] * deviations[:, None, :]
    correlations = np.divide(covariances, scales, out=np.zeros_like(scales), where=scales > 0)
    correlations[:, np.arange(len(used)), np.arange(len(used))] = 1.0
    mean = centres @ shares
    down, up = (
        np.sqrt(np.maximum(0.0, np.einsum("ki,kij,kj->k", reach, correlations, reach)))
        for reach in ((centres - lows[:, used]) * shares, (highs[:, used] - centres) * shares)
    )
    return mean, np.maximum(0.0, mean - down), np.minimum(100.0, mean + up)
