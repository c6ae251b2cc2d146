"""Student's t, the normal and the binomial distribution, in plain Python.

numpy and scipy would cost the command more time at its start than all of its scoring. The tests
hold these functions against scipy.
"""

import math
from functools import lru_cache
from statistics import NormalDist

_PRECISION = 1e-15
_QUANTILE_PRECISION = 1e-11
_ITERATIONS = 1_000


def normal_two_sided(z: float) -> float:
    """The probability that a standard normal variable is at least as far from 0 as ``z``."""
    return math.erfc(abs(z) / math.sqrt(2))


def t_two_sided(t: float, df: float) -> float:
    """The probability that a variable with Student's t distribution is at least as far from 0.

    ``df`` are its degrees of freedom, greater than 0, whole or not; with infinitely many it is
    normal. I(df / (df + t²); df/2, 1/2): Abramowitz and Stegun, 26.7.1 and 26.5.
    """
    if math.isinf(df):
        return normal_two_sided(t)
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(df / 2, 0.5, df / (df + t * t))


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """Where the distribution function of Student's t has this value, from above 0 to below 1.

    Found by Newton's method on the tail, from the left: the tail is convex there, so that no step
    goes too far.
    """
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    t = NormalDist().inv_cdf(probability)
    if math.isinf(df) or probability == 0.5:
        return t
    tail = 2 * (1 - probability)
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(_ITERATIONS):
        log_density = log_scale - (df + 1) / 2 * math.log1p(t * t / df)
        step = (t_two_sided(t, df) - tail) / (2 * math.exp(log_density))
        t += step
        if step <= _QUANTILE_PRECISION * t:
            break
    return t


def binomial_two_sided(successes: int, trials: int) -> float:
    """The p-value of so many successes if both outcomes are equally likely.

    Twice the smaller tail, at most 1: with the discordant pairs as trials the exact test of
    Q. McNemar, “Note on the sampling error of the difference between correlated proportions”
    (Psychometrika, 1947). Exact: the sum is of whole numbers.
    """
    smaller = min(successes, trials - successes)
    term = total = 1
    for k in range(smaller):
        term = term * (trials - k) // (k + 1)
        total += term
    return min(1.0, 2 * total / 2**trials) if trials < 1_000 else _large_tail(total, trials)


def _large_tail(total: int, trials: int) -> float:
    """Twice ``total`` over 2**trials, where the power is too large for a float."""
    shift = max(0, total.bit_length() - 64)
    return min(1.0, math.ldexp(float(total >> shift), shift + 1 - trials))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I(x; a, b), by its continued fraction (Abramowitz
    and Stegun, 26.5.8), with Lentz's method on the side where it converges quickly."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, 1 - x)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _ITERATIONS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = fraction
        for coefficient in (even, odd):
            d = 1 / (1 + coefficient * d)
            c = 1 + coefficient / c
            fraction *= c * d
        if abs(fraction - before) <= _PRECISION * abs(fraction):
            break
    return math.exp(log_front) * fraction / a
