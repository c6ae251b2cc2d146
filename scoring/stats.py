"""Means and their uncertainty, in percent and percentage points."""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

Z_95 = 1.959964  # standard errors to each side of a 95 % interval


def rounded(percent: float, places: int) -> Decimal:
    """The percentage to ``places`` decimal places, half up, as scores are printed and compared.

    It is the float's shortest decimal form that is rounded, as a reader of it would: 23.25 gives
    23.3, where Python's ``round`` (half to even) gives 23.2.
    """
    return Decimal(repr(percent)).quantize(_quantum(places), ROUND_HALF_UP)


@cache
def _quantum(places: int) -> Decimal:
    """One unit of the last of these decimal places."""
    return Decimal(1).scaleb(-places)


def mean_percent(scores: Sequence[float]) -> float | None:
    """The mean of scores from 0 to 1, in percent; None without any score.

    ``fsum`` makes the result independent of the order and of the platform.
    """
    return 100.0 * math.fsum(scores) / len(scores) if scores else None


def standard_error(scores: Sequence[float]) -> float | None:
    """The standard error of ``mean_percent``, in percentage points; None below two scores.

    The sample standard deviation (n − 1) over √n: the examples are taken as a sample of all such
    questions.
    """
    n = len(scores)
    if n < 2:
        return None
    mean = math.fsum(scores) / n
    variance = math.fsum((score - mean) ** 2 for score in scores) / (n - 1)
    return 100.0 * math.sqrt(variance / n)


def run_variance(runs: Sequence[Sequence[float]]) -> float:
    """How much the mean of a single run varies when the same questions are asked again, in squared
    percentage points: Σᵢ sᵢ² / n², where sᵢ² is the unbiased variance of question i between runs.

    ``runs`` are scores from 0 to 1 of the same questions in the same order; raises ``ValueError``
    for fewer than two runs, or of different lengths. It is the “prediction noise” of S. Wang,
    “Measuring all the noises of LLM evals” (arXiv 2512.21326): runs are independent of each other,
    and so are the answers of one.
    """
    questions = list(zip(*runs, strict=True))
    if len(runs) < 2 or not questions:
        raise ValueError("how much runs vary needs two of them, with questions")
    variances = []
    for scores in questions:
        mean = math.fsum(scores) / len(runs)
        variances.append(math.fsum((one - mean) ** 2 for one in scores) / (len(runs) - 1))
    return 10_000 * math.fsum(variances) / len(questions) ** 2


def macro_mean(means: Sequence[float | None]) -> float | None:
    """The unweighted mean of the means of several tasks, in percent; None where one is missing."""
    known = [mean for mean in means if mean is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(means) else None


_MIN_GAIN = 1.0  # percentage points
_CRITICAL_VALUE = 3  # standard errors of the paired difference


def is_significantly_better(scores: Sequence[float], best: Sequence[float]) -> bool:
    """Whether the mean of ``scores`` exceeds that of ``best`` by more than chance.

    Both are scores from 0 to 1 of the same examples in the same order. The gain must be at least
    one percentage point and three standard errors of the paired difference. A. Blum and M. Hardt,
    “The Ladder: A Reliable Leaderboard for Machine Learning Competitions” (ICML 2015), require one;
    but where one of n answers improves, the difference is 1/n and so is its standard error, so that
    someone who changes one answer after another would learn the result of each. The standard error
    is that under the null hypothesis of no difference, √Σd² / n, as in McNemar's test: the sample's
    own is too small where few answers differ. Raises ``ValueError`` where the lengths differ.
    """
    differences = [new - old for new, old in zip(scores, best, strict=True)]
    gain = mean_percent(differences) or 0.0
    null_error = 100.0 * math.hypot(*differences) / max(1, len(differences))
    return gain >= max(_MIN_GAIN, _CRITICAL_VALUE * null_error)


_REACH, _STEPS = 12.0, 2_400  # standard deviations on each side of 0; intervals of Simpson's rule


def expected_maximum(n: int) -> float:
    """The mean of the largest of ``n`` independent standard normal values: by how many standard
    errors the best of ``n`` equally good variants exceeds what they are worth, by luck alone.

    It is the integral of 1 − Φ(x)ⁿ − Φ(−x)ⁿ from 0 to ∞: H. A. David and H. N. Nagaraja, “Order
    Statistics”, 3rd edition (2003), section 3.1. Raises ``ValueError`` for less than one.
    """
    if n < 1:
        raise ValueError(f"there is no largest of {n} values")
    width = _REACH / _STEPS

    def excess(step: int) -> float:
        tail = math.erfc(step * width / math.sqrt(2.0)) / 2.0  # 1 − Φ(x)
        return -math.expm1(n * math.log1p(-tail)) - tail**n

    inner = math.fsum((4 if step % 2 else 2) * excess(step) for step in range(1, _STEPS))
    return (excess(0) + inner + excess(_STEPS)) * width / 3.0
