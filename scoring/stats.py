"""Means and their uncertainty, in percent and percentage points."""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal


def rounded(percent: float, places: int) -> Decimal:
    """With so many decimal places, as scores are printed and compared: half a unit goes up.

    Of the shortest decimal that means this float, as a reader of it would round: 23.25 is 23.3,
    which is 23.2 where floats are rounded to even.
    """
    return Decimal(repr(percent)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def mean_percent(scores: Sequence[float]) -> float | None:
    """The mean of scores from 0 to 1, in percent; None of nothing.

    ``fsum`` makes the result independent of the order and of the platform.
    """
    return 100.0 * math.fsum(scores) / len(scores) if scores else None


def standard_error(scores: Sequence[float]) -> float | None:
    """The standard error of ``mean_percent``, in percentage points; None of fewer than two scores.

    Sample standard deviation (n−1) over √n: the examples are taken as a sample of such questions.
    """
    n = len(scores)
    if n < 2:
        return None
    mean = math.fsum(scores) / n
    variance = math.fsum((score - mean) ** 2 for score in scores) / (n - 1)
    return 100.0 * math.sqrt(variance / n)


def mean_of_means(means: Sequence[float | None]) -> float | None:
    """The unweighted mean of percentages; None where one of them is missing."""
    known = [mean for mean in means if mean is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(means) else None


def error_of_mean(errors: Sequence[float | None]) -> float | None:
    """The standard error of the unweighted mean of independent means; None where one is missing.

    √(Σ seᵢ²) / k: the tasks have no example in common. JCGM 100:2008 (GUM), 5.1.2, equation 10.
    """
    known = [error for error in errors if error is not None]
    return math.hypot(*known) / len(known) if known and len(known) == len(errors) else None


_LEAST_GAIN = 1.0  # percentage points
_ERRORS = 3


def beats(scores: Sequence[float], best: Sequence[float]) -> bool:
    """Whether the mean of ``scores`` is above that of ``best`` by more than chance.

    Both are from 0 to 1, of the same examples in the same order. By a point at least, and by three
    standard errors of the paired difference: A. Blum and M. Hardt, “The Ladder: A Reliable
    Leaderboard for Machine Learning Competitions” (ICML 2015), take one. But where one of n answers
    is changed for the better, the difference is 1/n, and so is its error: whoever changes one
    answer after another would be told of each. The error is that of examples whose differences
    have a mean of 0, √Σd² / n, as in McNemar's test: that of the sample is too small where few
    differ. Raises ``ValueError`` where the lengths differ.
    """
    differences = [new - old for new, old in zip(scores, best, strict=True)]
    gain = mean_percent(differences) or 0.0
    error = 100.0 * math.hypot(*differences) / max(1, len(differences))
    return gain >= max(_LEAST_GAIN, _ERRORS * error)
