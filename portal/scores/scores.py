"""Scores as readers may see them: of a task, and the mean of several.

What is withheld of a hidden release is decided here, for every page and file.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from portal.models import TaskScore
from portal.models.release import is_partial
from portal.scores.disclosure import DIGITS, DIGITS_OF_MEANS
from scoring.metrics import METRIC_SETS
from scoring.stats import Z_95, macro_mean, macro_standard_error

_EXACT = 2  # decimal places of a score that is disclosed in full


class Score(NamedTuple):
    """Percent and percentage points; a score that was only reported has no counts."""

    percent: float
    stderr: float | None = None
    size: int | None = None  # examples
    answered: int | None = None
    digits: int = _EXACT  # decimal places, at most; fewer for most readers of a hidden release
    is_previous_best: bool = False  # not the score itself, but the best disclosed before
    width: float = 0  # of a band, which starts at ``percent``; in percentage points

    @property
    def exact(self) -> bool:
        return self.digits == _EXACT

    @property
    def end(self) -> float:
        """Of a band."""
        return self.percent + self.width

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %, within 0 to 100."""
        if self.stderr is None:
            return None
        reach = Z_95 * self.stderr
        return max(0.0, self.percent - reach), min(100.0, self.percent + reach)


ByTask = Mapping[str, Score]
BySet = Mapping[str, ByTask]  # by metric set


def partial_tasks(scores: ByTask, least: int) -> list[str]:
    """The tasks with fewer answers than publication needs; ``least`` in percent."""
    return [
        task
        for task, score in scores.items()
        if score.answered is not None
        and score.size is not None
        and is_partial(answered=score.answered, size=score.size, least=least)
    ]


def disclosed(
    score: Score, percent: float | None, *, width: float, is_previous_best: bool, exact: bool
) -> Score | None:
    """The score itself, or the disclosed one that was stored with it; None if it is withheld.

    ``portal.evaluations.ladder`` decides.
    """
    if exact:
        return score
    if percent is None:
        return None
    return score._replace(
        percent=percent,
        stderr=None,
        digits=DIGITS,
        is_previous_best=is_previous_best,
        width=width,
    )


def scores_by_set(rows: Iterable[TaskScore], *, exact: bool) -> BySet:
    """The scores that may be shown. ``exact``: to a reader who may see verdicts."""
    found: dict[str, dict[str, Score]] = {name: {} for name in METRIC_SETS}
    for row in rows:
        shown = disclosed(
            Score(row.mean, row.stderr, row.size, row.answered),
            row.public_percent,
            width=row.public_width,
            is_previous_best=row.is_previous_best,
            exact=exact,
        )
        if shown:
            found[row.metric_set][row.task] = shown
    return found


def percent_of(tasks: Collection[str], scores: ByTask) -> float | None:
    """The unweighted mean of these tasks as far as ranks need it; None unless every one has a
    score."""
    found = [scores[task] for task in tasks if task in scores]
    if len(found) == 1 == len(tasks):
        return found[0].percent
    percent = macro_mean([score.percent for score in found])
    if percent is None or len(found) < len(tasks):
        return None
    return percent if all(score.exact for score in found) else round(percent, DIGITS_OF_MEANS)


def mean_of(tasks: Collection[str], scores: ByTask) -> Score | None:
    """The unweighted mean of these tasks; None unless every one has a score."""
    percent = percent_of(tasks, scores)
    if percent is None:
        return None
    found = [scores[task] for task in tasks]
    if len(found) == 1:
        return found[0]
    mean = Score(
        percent,
        macro_standard_error([score.stderr for score in found]),
        _sum([score.size for score in found]),
        _sum([score.answered for score in found]),
    )
    if all(score.exact for score in found):
        return mean
    return mean._replace(
        stderr=None,
        digits=DIGITS_OF_MEANS,
        is_previous_best=any(score.is_previous_best for score in found),
        width=round(sum(score.width for score in found) / len(found), DIGITS_OF_MEANS),
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
