"""How far a score can be trusted: 95 % intervals for the score of a task and for means of tasks.

The unit of sampling is the text, not the question: questions on one novel succeed and fail
together. Where a task was designed with so many questions of each kind, length or depth, those
shares are fixed and not sampled. docs/statistics.md has the reasons, and
the simulations behind them.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from scoring.catalog import Task
from scoring.distributions import t_quantile
from scoring.stats import Z_95, mean_percent, rounded, standard_error

FEW_TEXTS = 15  # with fewer than these an interval is only a rough one
_BOOTSTRAP_BELOW = 30  # texts
RESAMPLES = 2_000
ROUNDING = 1e-12  # errors below, of shares, are 0
_FEW_SCORES = 5
_NARROW = 0.1  # percentage points
_GAIN_OF_DESIGN = 2.0
_UPPER = 0.975  # of a two-sided interval of 95 %


class Interval(NamedTuple):
    """95 %, in percent, within 0 to 100."""

    low: float
    high: float
    method: str  # a word for exports: ``wilson``, ``wilson-cluster-t``, …

    def __str__(self) -> str:
        """As it is printed everywhere: ``44.6–46.7``, ``99.4–100``, and ``0.01–0.02`` where one
        decimal place would show no difference."""
        places = 1 if round(self.high - self.low, 6) >= _NARROW else 2
        ends = (rounded(end, places) for end in self[:2])
        return "–".join(str(int(end)) if end in (0, 100) else str(end) for end in ends)


class Design(NamedTuple):
    """How the questions of a task were chosen, in order."""

    # Of each question, its text: equal ones share it, also between tasks. None: not known.
    texts: Sequence[Hashable] | None = None
    strata: Sequence[Hashable] | None = None  # None: nothing was fixed by design


UNKNOWN_DESIGN = Design()


class Estimate(NamedTuple):
    """The score of a task, in percent and percentage points."""

    mean: float
    interval: Interval | None  # None: from a single text nothing can be said
    # How far each text moves the mean: the sum of its deviations over n, with the factor for a
    # small sample. The sum of their squares is the variance of the mean.
    influence: Mapping[Hashable, float]
    texts: int | None  # how many; None: not known

    @property
    def variance(self) -> float:
        return math.fsum(value * value for value in self.influence.values())


Cluster = tuple[float, int]  # of a text: the sum of its scores, and how many


def estimate(
    task: Task,
    scores: Sequence[float],
    design: Design,
    *,
    ratios_of: Callable[[Sequence[Cluster], float], Sequence[float]] | None = None,
) -> Estimate | None:
    """The mean of a task with its interval; None without any question. ``scores`` are from 0 to 1.

    The variance is CR1, G/(G−1)·Σ_g(Σ_{i∈g} (y_i − ȳ))²/n² for G texts, with deviations from the
    mean of the stratum and G − H in place of G − 1 for H strata: A. C. Cameron and D. L. Miller, “A
    Practitioner's Guide to Cluster-Robust Inference” (2015); E. Miller, arXiv 2411.00640.

    Right-or-wrong scores get the interval of Wilson (1927) with the effective number of questions
    n / max(1, V/V_iid) and the quantile of t with as many degrees of freedom as the variance has.
    Fractional ones get mean ± t·√V, or with few texts a bootstrap-t of whole texts, for which
    ``ratios_of`` is a faster ``bootstrap_ratios``.
    """
    mean = mean_percent(scores)
    if mean is None:
        return None
    n = len(scores)
    texts = design.texts or [(task.id, index) for index in range(n)]
    count = len(set(texts))
    strata = _usable_strata(design.strata, texts)
    df = count - len(set(strata))
    sums = _deviation_sums(scores, texts, strata)
    factor = 100.0 / n * math.sqrt(count / df) if df else 0.0
    influence = {text: factor * total for text, total in sums.items()}
    found = Estimate(mean, None, influence, None if design.texts is None else count)
    designed = design.strata is not None
    # Where nearly all scores are equal the few others say nothing of the spread, which is at most
    # that of right-or-wrong scores.
    others = n - max(Counter(scores).values())
    if not task.fractional or others < _FEW_SCORES:
        interval = _interval_of_share(found, n, df, designed=designed)
    elif df < 1:
        interval = None
    elif count < _BOOTSTRAP_BELOW:
        error = _error_of_mean(scores, found, designed=designed)
        interval = _bootstrap_interval(scores, texts, mean, error, ratios_of or bootstrap_ratios)
    else:
        reach = t_quantile(_UPPER, df) * _error_of_mean(scores, found, designed=designed)
        method = "stratified-t" if designed else "t" if count == n else "cluster-t"
        interval = Interval(max(0.0, mean - reach), min(100.0, mean + reach), method)
    return found._replace(interval=interval)


def covariance(one: Estimate, other: Estimate) -> float:
    """Between two means of the same entry, in squared percentage points: from the texts that both
    have."""
    small, large = sorted((one.influence, other.influence), key=len)
    return math.fsum(value * large[text] for text, value in small.items() if text in large)


def interval_of_mean(
    means: Sequence[float],
    intervals: Sequence[Interval],
    covariances: Sequence[Sequence[float]],
    weights: Sequence[float],
) -> Interval:
    """The interval of a weighted mean of tasks of one entry; all sequences are in the same order.

    From the intervals of the tasks, so that a task with nothing but right answers is not taken for
    certain: L = θ − √ΣᵢΣⱼ wᵢwⱼ rᵢⱼ (θᵢ − lᵢ)(θⱼ − lⱼ), and U likewise, where r is the correlation
    of the means: G. Y. Zou and A. Donner, “Construction of confidence limits about effect measures:
    A general approach” (Statistics in Medicine, 2008). Where all intervals are symmetric it is
    mean ± t·√V of the weighted mean. ``covariances`` are those of ``covariance``, with the
    variances on the diagonal.
    """
    total = math.fsum(weights)
    shares = [weight / total for weight in weights]
    mean = math.fsum(weight * one for weight, one in zip(weights, means, strict=True)) / total
    together = [  # tasks on texts of their own, which most are, have no covariance
        (i, j, _correlation(covariances, i, j))
        for i, j in combinations(range(len(means)), 2)
        if covariances[i][j]
    ]
    sides = []
    for ends in ([one.low for one in intervals], [one.high for one in intervals]):
        reach = [share * (one - end) for share, one, end in zip(shares, means, ends, strict=True)]
        squares = (one * one for one in reach)
        products = (2 * reach[i] * reach[j] * correlation for i, j, correlation in together)
        sides.append(math.sqrt(max(0.0, math.fsum((*squares, *products)))))
    methods = {one.method for one in intervals}
    method = methods.pop() if len(intervals) == 1 else "mover"
    return Interval(max(0.0, mean - sides[0]), min(100.0, mean + sides[1]), method)


def _correlation(covariances: Sequence[Sequence[float]], i: int, j: int) -> float:
    product_of_variances = covariances[i][i] * covariances[j][j]
    return covariances[i][j] / math.sqrt(product_of_variances) if product_of_variances else 0.0


def mean_interval(estimates: Sequence[Estimate]) -> Interval | None:
    """The interval of the unweighted mean of these tasks of one entry; None where one has none."""
    intervals = [one.interval for one in estimates if one.interval]
    if len(intervals) < len(estimates):
        return None
    covariances = [[covariance(one, other) for other in estimates] for one in estimates]
    means = [one.mean for one in estimates]
    return interval_of_mean(means, intervals, covariances, [1.0] * len(means))


def wilson(share: float, n: float, critical: float) -> tuple[float, float]:
    """Both ends of Wilson's interval, in percent, for a share from 0 to 1 of n questions."""
    square = critical * critical / n
    centre = (share + square / 2) / (1 + square)
    reach = critical / (1 + square) * math.sqrt(share * (1 - share) / n + square / (4 * n))
    low = 0.0 if share == 0 else max(0.0, centre - reach)
    high = 1.0 if share == 1 else min(1.0, centre + reach)
    return 100.0 * low, 100.0 * high


def _usable_strata(
    strata: Sequence[Hashable] | None, texts: Sequence[Hashable]
) -> Sequence[Hashable]:
    """The stratum of each question: those with a single text are one together, since nothing can
    be said about the spread inside one. So are all where there are as many strata as texts."""
    if strata is None or len(set(strata)) >= len(set(texts)):
        return [0] * len(texts)
    of_stratum: dict[Hashable, set[Hashable]] = {}
    for stratum, text in zip(strata, texts, strict=True):
        of_stratum.setdefault(stratum, set()).add(text)
    return [stratum if len(of_stratum[stratum]) > 1 else None for stratum in strata]


def _deviation_sums(
    scores: Sequence[float], texts: Sequence[Hashable], strata: Sequence[Hashable]
) -> dict[Hashable, float]:
    """By text: the sum of its scores' deviations from the means of their strata."""
    by_stratum: dict[Hashable, list[float]] = {}
    for stratum, score in zip(strata, scores, strict=True):
        by_stratum.setdefault(stratum, []).append(score)
    means = {stratum: math.fsum(found) / len(found) for stratum, found in by_stratum.items()}
    deviations: dict[Hashable, list[float]] = {}
    for text, stratum, score in zip(texts, strata, scores, strict=True):
        deviations.setdefault(text, []).append(score - means[stratum])
    return {text: math.fsum(found) for text, found in deviations.items()}


def _interval_of_share(found: Estimate, n: int, df: int, *, designed: bool) -> Interval | None:
    """Wilson's, of right-or-wrong scores."""
    share = found.mean / 100.0
    if len(found.influence) == n and not designed:
        return Interval(*wilson(share, n, Z_95), "wilson")
    if df < 1:
        return None
    questions = _effective_questions(share, n, found.variance, designed=designed)
    method = "wilson-stratified-t" if designed else "wilson-cluster-t"
    return Interval(*wilson(share, questions, t_quantile(_UPPER, df)), method)


def _effective_questions(share: float, n: int, variance: float, *, designed: bool) -> float:
    """As many independent questions as would say as much as these n; ``variance`` in squared
    percentage points.

    Only a design can make it more than n, and at most ``_GAIN_OF_DESIGN`` times: in a stratum that
    happens to be all right or all wrong nothing seems to vary.
    """
    spread = share * (1 - share) * 10_000
    if not spread:
        return float(n)
    if designed:
        return min(spread / variance, _GAIN_OF_DESIGN * n) if variance else float(n)
    return n / max(1.0, variance * (n - 1) / spread)


def _error_of_mean(scores: Sequence[float], found: Estimate, *, designed: bool) -> float:
    """For fractional scores, in percentage points. A design makes the variance at most
    ``_GAIN_OF_DESIGN`` times smaller than without one: see ``_effective_questions``."""
    least = 0.0
    if designed and (error := standard_error(scores)) is not None:
        least = error**2 / _GAIN_OF_DESIGN
    return math.sqrt(max(found.variance, least))


def _bootstrap_interval(
    scores: Sequence[float],
    texts: Sequence[Hashable],
    mean: float,
    error: float,
    ratios_of: Callable[[Sequence[Cluster], float], Sequence[float]],
) -> Interval:
    """Bootstrap-t: texts are drawn with replacement, and the quantiles of (mean* − mean)/error*
    take the place of those of t.

    A. C. Cameron, J. B. Gelbach and D. L. Miller, “Bootstrap-Based Improvements for Inference with
    Clustered Errors” (2008).
    """
    by_text: dict[Hashable, list[float]] = {}
    for text, score in zip(texts, scores, strict=True):
        by_text.setdefault(text, []).append(score)
    clusters = sorted((math.fsum(values), len(values)) for values in by_text.values())
    ratios = ratios_of(clusters, mean / 100.0)
    cut = round(RESAMPLES * (1 - _UPPER))
    low, high = mean - ratios[-cut] * error, mean - ratios[cut - 1] * error
    return Interval(max(0.0, low), min(100.0, high), "cluster-bootstrap-t")


def bootstrap_ratios(clusters: Sequence[Cluster], mean: float) -> list[float]:
    """(mean* − mean)/error* of each resample, ascending; 0 to 1. ``scoring.breakdowns.resampling``
    has the same with numpy."""
    random = seeded_by(clusters)
    count = len(clusters)
    ratios = []
    for _ in range(RESAMPLES):
        drawn = random.choices(clusters, k=count)
        questions = sum(size for _, size in drawn)
        mean_drawn = math.fsum(total for total, _ in drawn) / questions
        square = math.fsum((total - size * mean_drawn) ** 2 for total, size in drawn)
        error = math.sqrt(square * count / (count - 1)) / questions
        difference = mean_drawn - mean
        if error > ROUNDING:
            ratios.append(difference / error)
        else:  # texts that score alike
            is_other = abs(difference) > ROUNDING
            ratios.append(math.copysign(math.inf, difference) if is_other else 0.0)
    return sorted(ratios)


def seeded_by(clusters: Sequence[Cluster]) -> Random:
    """By the data, so that equal data have equal intervals."""
    return Random(hashlib.sha256(repr(clusters).encode()).digest())  # noqa: S311 - no secret
