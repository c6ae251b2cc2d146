"""Scores as readers may see them: of a task, and the mean of several.

What is withheld on a hidden release is decided here, for every page and file.
"""

import math
import operator
from collections.abc import Collection, Mapping
from typing import NamedTuple

from portal.models import Evaluation
from portal.models.release import is_partial
from portal.scores.disclosure import DIGITS, DIGITS_OF_MEANS
from scoring.catalog import TASKS
from scoring.intervals import Interval, interval_of_mean, wilson
from scoring.metrics import METRIC_SETS, PAPER_SET
from scoring.stats import Z_95

REPORTED_UNDER = PAPER_SET  # the rules behind the reported numbers
FROM_N = "wilson-from-n"  # the method of a reported number's interval
_NONE: Mapping[str, float] = {}  # not a MappingProxyType, since scores are pickled
EQUAL_WEIGHTS = _NONE
_EXACT = 2  # decimal places of a score that is disclosed in full


class Score(NamedTuple):
    """In percent and percentage points. A reported score has no counts."""

    percent: float
    stderr: float | None = None  # as if every question had a text of its own
    size: int | None = None  # examples
    answered: int | None = None
    asked: int | None = None  # how many questions a sample's score is based on; None: all
    interval: Interval | None = None
    digits: int = _EXACT  # decimal places, at most; fewer for most readers of a hidden release
    is_previous_best: bool = False  # not the score itself, but the best disclosed earlier
    width: float = 0  # of a band, which starts at ``percent``; in percentage points
    # With the scores of this and other tasks of the same entry, in squared percentage points.
    covariances: Mapping[str, float] = _NONE
    # For a mean of repeated runs: the variance of one of them, in squared percentage points.
    run_variance: float | None = None

    @property
    def run_deviation(self) -> float | None:
        """The standard deviation of single runs, in percentage points; None: there is one run."""
        return None if self.run_variance is None else math.sqrt(self.run_variance)

    @property
    def exact(self) -> bool:
        return self.digits == _EXACT

    @property
    def end(self) -> float:
        """The upper end of a band."""
        return self.percent + self.width


ByTask = Mapping[str, Score]
Weights = Mapping[str, float]  # by task; 1 for a task that is not named
BySet = Mapping[str, ByTask]  # by metric set


def partial_tasks(scores: ByTask, least: int) -> list[str]:
    """The tasks with fewer answers than publication needs; ``least`` in percent."""
    return [
        task
        for task, score in scores.items()
        if score.answered is not None
        and score.size is not None
        and score.asked is None
        and is_partial(answered=score.answered, size=score.size, least=least)
    ]


def disclosed(
    score: Score, percent: float | None, *, width: float, is_previous_best: bool, exact: bool
) -> Score | None:
    """The score itself, or the disclosed one that is stored with it; None if it is withheld.

    ``portal.evaluations.ladder`` has decided what is disclosed.
    """
    if exact:
        return score
    if percent is None:
        return None
    return score._replace(
        percent=percent,
        stderr=None,
        interval=None,
        covariances={},
        digits=DIGITS,
        is_previous_best=is_previous_best,
        width=width,
    )


def scores_by_set(evaluation: Evaluation, *, exact: bool) -> BySet:
    """The scores that may be shown. ``exact``: the reader may see verdicts."""
    found: dict[str, dict[str, Score]] = {name: {} for name in METRIC_SETS}
    for row in evaluation.task_scores.all():
        shown = disclosed(
            Score(
                row.mean,
                row.stderr,
                row.size,
                row.answered,
                interval=interval_of(row.low, row.high, row.interval_method),
                asked=row.asked,
                covariances=row.covariances,
            ),
            row.public_percent,
            width=row.public_width,
            is_previous_best=row.is_previous_best,
            exact=exact,
        )
        if shown:
            found[row.metric_set][row.task] = shown
    return found


def interval_of(low: float | None, high: float | None, method: str) -> Interval | None:
    """From the columns of a task score."""
    return None if low is None or high is None else Interval(low, high, method)


def reported_score(task: str, percent: float) -> Score:
    """A number from a publication, with the uncertainty of a share of right answers to all official
    examples, which is the most that fractional scores can vary."""
    ends = wilson(percent / 100, TASKS[task].examples, Z_95)
    return Score(percent, interval=Interval(*ends, FROM_N))


def percent_of(
    tasks: Collection[str], scores: ByTask, weights: Weights = EQUAL_WEIGHTS
) -> float | None:
    """The mean of these tasks, as ranks need it; None unless every one has a score."""
    found = [scores[task] for task in tasks if task in scores]
    if not found or len(found) < len(tasks):
        return None
    if len(found) == 1:
        return found[0].percent
    percents = [score.percent for score in found]
    if weights:
        shares = [weights.get(task, 1.0) for task in tasks]
        products = map(operator.mul, shares, percents)
        percent = math.fsum(products) / math.fsum(shares)
    else:
        percent = math.fsum(percents) / len(percents)
    return percent if all(score.exact for score in found) else round(percent, DIGITS_OF_MEANS)


def mean_of(
    tasks: Collection[str], scores: ByTask, weights: Weights = EQUAL_WEIGHTS
) -> Score | None:
    """The mean of these tasks with its interval; None unless every one has a score."""
    if len(tasks) == 1:
        return scores.get(*tasks)
    percent = percent_of(tasks, scores, weights)
    if percent is None:
        return None
    found = [scores[task] for task in tasks]
    mean = Score(
        percent,
        size=_sum([score.size for score in found]),
        answered=_sum([score.answered for score in found]),
        asked=_asked(found),
    )
    if not all(score.exact for score in found):
        return mean._replace(
            digits=DIGITS_OF_MEANS,
            is_previous_best=any(score.is_previous_best for score in found),
            width=round(sum(score.width for score in found) / len(found), DIGITS_OF_MEANS),
        )
    shares = [weights.get(task, 1.0) for task in tasks]
    matrix = [[score.covariances.get(task, 0.0) for task in tasks] for score in found]
    variances = [score.run_variance for score in found if score.run_variance is not None]
    if len(variances) == len(found):
        parts = (a * a * variance for a, variance in zip(shares, variances, strict=True))
        mean = mean._replace(run_variance=math.fsum(parts) / math.fsum(shares) ** 2)
    intervals = [score.interval for score in found if score.interval]
    if all(score.covariances for score in found):
        products = (
            a * b * value
            for a, row in zip(shares, matrix, strict=True)
            for b, value in zip(shares, row, strict=True)
            if value
        )
        mean = mean._replace(stderr=math.sqrt(max(0.0, math.fsum(products))) / math.fsum(shares))
    if len(intervals) < len(found):
        return mean
    percents = [score.percent for score in found]
    return mean._replace(interval=interval_of_mean(percents, intervals, matrix, shares))


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _asked(scores: Collection[Score]) -> int | None:
    """How many questions these scores are based on together; None: none of them is a sample."""
    if all(score.asked is None for score in scores):
        return None
    return _sum([score.size if score.asked is None else score.asked for score in scores])
