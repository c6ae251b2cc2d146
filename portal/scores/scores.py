"""Scores as people may read them: of a task, and the mean of several.

What is kept back of a hidden release is decided here, for every page and file.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from portal.models import TaskScore
from portal.scores.disclosure import DIGITS, DIGITS_OF_MEANS
from scoring.metrics import METRIC_SETS
from scoring.stats import macro_mean, macro_standard_error

_EXACT = 2  # decimal places of a score of which all may be told
_Z_95 = 1.959964  # a 95 % interval reaches so many standard errors to each side


class Score(NamedTuple):
    """Percent and percentage points; counts are not known of what was only reported."""

    percent: float
    stderr: float | None = None
    size: int | None = None  # examples
    answered: int | None = None
    digits: int = _EXACT  # decimal places, at most; of a hidden release fewer, to most
    again: bool = False  # not the score itself, but the best that was told before

    @property
    def exact(self) -> bool:
        return self.digits == _EXACT

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %; within what a score can be."""
        if self.stderr is None:
            return None
        reach = _Z_95 * self.stderr
        return max(0.0, self.percent - reach), min(100.0, self.percent + reach)


ByTask = Mapping[str, Score]
BySet = Mapping[str, ByTask]  # by metric set


def told(score: Score, percent: float | None, *, again: bool, exact: bool) -> Score | None:
    """What may be told of a score: all of it, or else what was decided when it was stored
    (``portal.evaluations.ladder``); None: it is kept back."""
    if exact:
        return score
    rough = score._replace(stderr=None, digits=DIGITS, again=again)
    return None if percent is None else rough._replace(percent=percent)


def scores_by_set(rows: Iterable[TaskScore], *, exact: bool) -> BySet:
    """The scores that may be shown: all of them, ``exact``, to those who may see verdicts."""
    found: dict[str, dict[str, Score]] = {name: {} for name in METRIC_SETS}
    for row in rows:
        score = Score(row.mean, row.stderr, row.size, row.answered)
        if known := told(score, row.public_percent, again=row.is_previous_best, exact=exact):
            found[row.metric_set][row.task] = known
    return found


def mean_of(tasks: Collection[str], scores: ByTask) -> Score | None:
    """The unweighted mean of these tasks; None unless there is every one of them."""
    found = [scores[task] for task in tasks if task in scores]
    percent = macro_mean([score.percent for score in found])
    if percent is None or len(found) < len(tasks):
        return None
    if len(found) == 1:
        return found[0]
    mean = Score(
        percent,
        macro_standard_error([score.stderr for score in found]),
        _sum([score.size for score in found]),
        _sum([score.answered for score in found]),
    )
    return mean if all(score.exact for score in found) else _rough(mean, found)


def _rough(mean: Score, told: Iterable[Score]) -> Score:
    return mean._replace(
        percent=round(mean.percent, DIGITS_OF_MEANS),
        stderr=None,
        digits=DIGITS_OF_MEANS,
        again=any(score.again for score in told),
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
