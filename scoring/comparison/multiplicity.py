"""Many tests at once: how sure each must be, so that all together are wrong at most once in 20."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.comparison.vectors import ROUNDING, Floats
from scoring.distributions import t_quantile

ALPHA = 0.05
DRAWS = 2_000
FEW_TEXTS = 20
_PAIRS_AT_ONCE = 256
_WEBB = np.sqrt([0.5, 1.0, 1.5])

Singles = NDArray[np.float32]


def holm_level(statistics: Sequence[tuple[float, Singles]], tests: int) -> float:
    """The p at and below which all pairs are told apart, after S. Holm, “A Simple Sequentially
    Rejective Multiple Test Procedure” (Scandinavian Journal of Statistics, 1979).

    ``statistics`` are degrees of freedom with the |t| of tests that have them; those with a p above
    α may be left out. Holm compares the (r+1)-th smallest p with α / (tests − r). So where r tests
    are rejected, all with a p of at most α / (tests − r) are; the level rises until that adds none.
    Each step needs a quantile of t, and no p.
    """
    rejected = 0
    while rejected < tests:
        level = ALPHA / (tests - rejected)
        counts = (np.count_nonzero(values >= critical_t(level, df)) for df, values in statistics)
        now = int(sum(counts))
        if now == rejected:
            return level
        rejected = now
    return ALPHA


def critical_t(level: float, df: float) -> np.float32:
    """The |t| from which a two-sided p is at most ``level``; infinite if ``df`` is 0."""
    return np.float32(t_quantile(1 - level / 2, df) if df else np.inf)


def bootstrap_statistics(
    sums: Floats, shares: Floats, df: float, pairs: tuple[NDArray[np.intp], ...], seed: int
) -> Singles:
    """|t| of pairs of entries by chance, if all entries are equally good, (pairs, draws).

    ``sums`` is (k, texts): what each text contributes to the deviation of an entry's mean;
    ``shares`` (texts,) are the parts of the questions that are about each. In each draw the
    contributions of a text are multiplied by 1 or −1 (Rademacher), in all entries alike, which
    keeps how pairs depend on each other; with fewer than 20 texts by one of six values: M. D. Webb,
    “Reworking Wild Bootstrap Based Inference for Clustered Errors” (Canadian Journal of Economics,
    2023). Each draw's t has that draw's own standard error, of deviations from its own mean.
    """
    generator = np.random.default_rng(seed)
    texts = sums.shape[1]
    multipliers = 2.0 * generator.integers(0, 2, (texts, DRAWS), dtype=np.int8) - 1
    if texts < FEW_TEXTS:
        multipliers *= _WEBB[generator.integers(0, 3, multipliers.shape)]
    shifts = (sums @ multipliers).astype(np.float32)
    leverages = (sums * shares @ multipliers).astype(np.float32)
    own_leverage = np.float32(np.sum(shares**2))
    gram = sums @ sums.T
    squares = np.diag(gram)
    drawn = np.zeros((len(pairs[0]), DRAWS), dtype=np.float32)
    for start in range(0, len(drawn), _PAIRS_AT_ONCE):
        left, right = (side[start : start + _PAIRS_AT_ONCE] for side in pairs)
        total = squares[left] + squares[right]
        constant = total - 2 * gram[left, right] <= ROUNDING * total
        spread = (total - 2 * gram[left, right]).astype(np.float32)[:, None]
        if texts < FEW_TEXTS:
            spread = ((sums[left] - sums[right]) ** 2 @ multipliers**2).astype(np.float32)
        shift = shifts[left] - shifts[right]
        variance = shift * own_leverage
        variance -= 2 * (leverages[left] - leverages[right])
        variance *= shift
        variance += spread
        np.maximum(variance, np.float32(1e-6) * spread, out=variance)
        variance[constant] = np.inf
        np.abs(shift, out=shift)
        shift *= np.float32(math.sqrt(df / (df + 1)))
        np.divide(shift, np.sqrt(variance), out=drawn[start : start + _PAIRS_AT_ONCE])
    return drawn


def romano_wolf_critical(observed: Singles, drawn: Singles) -> float:
    """The |t| above which pairs are told apart, by the step-down of J. P. Romano and M. Wolf,
    “Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing” (JASA, 2005).

    In each step it is the 95th percentile of the largest drawn |t| of all pairs not yet told apart,
    whether they are told apart without correction or not.
    """
    # With the observed statistic as one more draw the test is never too bold.
    place = math.ceil((1 - ALPHA) * (DRAWS + 1)) - 1
    while True:
        critical = float(np.sort(drawn.max(axis=0))[place])
        left = observed <= critical
        if left.all() or not left.any():
            return critical
        observed, drawn = observed[left], drawn[left]
