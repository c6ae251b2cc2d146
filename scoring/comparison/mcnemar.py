"""Paired right and wrong answers, where few questions tell two entries apart."""

import math
from functools import lru_cache

import numpy as np

from scoring.comparison.vectors import Floats
from scoring.distributions import binomial_two_sided, t_quantile
from scoring.stats import Z_95

FEW_DISCORDANT = 25  # from here on Student's t is used
_HALVINGS = 60


def exact_interval(only_a: int, only_b: int, n: int) -> tuple[float, float]:
    """The 95 % interval of the difference, from −1 to 1, beside the exact test of McNemar.

    The score interval of T. Tango, “Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design” (Statistics in Medicine, 1998), found by halving; it
    has a width even where no question tells the two apart. Where the exact p is above 5 % it is
    extended to 0, so that interval and test agree.
    """
    difference = (only_a - only_b) / n
    bounds = []
    for edge, sign in ((-1.0, 1.0), (1.0, -1.0)):
        inside, outside = difference, edge
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            if sign * _tango_score(middle, only_a, only_b, n) < Z_95:
                inside = middle
            else:
                outside = middle
        bounds.append(inside)
    low, high = bounds
    if binomial_two_sided(only_a, only_a + only_b) > 0.05:
        return min(low, 0.0), max(high, 0.0)
    return low, high


def _tango_score(difference: float, only_a: int, only_b: int, n: int) -> float:
    """Standard errors between the observed difference and this one; equations 9 and 10 of Tango."""
    b = (2 * n - only_a + only_b) * difference - only_a - only_b
    c = -only_b * difference * (1 - difference)
    share_b = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (
        4 * n
    )  # of questions only B has right
    variance = n * (2 * share_b + difference * (1 - difference))
    gap = only_a - only_b - n * difference
    return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)


@lru_cache(maxsize=256)
def equivalent_t(df: float) -> Floats:
    """By ``[only_a, only_b]``, each below ``FEW_DISCORDANT``: the t with the exact p as its p.

    It makes exact tests comparable with the t tests of other pairs.
    """
    table = np.zeros((FEW_DISCORDANT, FEW_DISCORDANT))
    for a in range(FEW_DISCORDANT):
        for b in range(FEW_DISCORDANT - a):
            p = binomial_two_sided(a, a + b)
            table[a, b] = math.copysign(t_quantile(1 - p / 2, df), a - b) if p < 1 else 0.0
    return table
