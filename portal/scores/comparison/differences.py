"""How far one entry is ahead of another, by the scores of single questions or by two total scores.

Only for readers who may see the verdicts of both: a difference reveals how many answers are right.
"""

import math
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import partial
from typing import NamedTuple, Self

from portal.models import ReportedEntry
from portal.scores.samples import Sample
from portal.scores.scores import ByTask, Score, mean_of, reported_score
from portal.scores.vectors import Vectors, on_shared_questions
from scoring.comparison.pairs import Comparison, compare
from scoring.comparison.power import STANDARD_ERRORS, questions_to_separate

ALPHA = 0.05
FEWEST_SHARED = 5  # questions: with fewer, no sign test can be significant
# Decimal places of percentage points, and significant digits of p, so that the same data give the
# same figures on every machine.
PLACES = 6
BY_INTERVALS = "intervals"  # instead of a test: by the intervals of two independent scores


def p_text(p: float) -> str:
    """“p = 0.034”, with no-break spaces."""
    text = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


Compare = Callable[[Vectors, Vectors, Collection[str]], "Difference | None"]


class Verdict(StrEnum):
    """About A, as far as chance allows one."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "open"  # the difference may be chance
    UNTESTED = "untested"  # nothing is known but the scores


class Difference(NamedTuple):
    """A − B, in percentage points."""

    points: float
    low: float | None = None  # of the 95 % interval
    high: float | None = None
    p: float | None = None  # that two equally good entries differ as much; None: not tested
    test: str = ""  # empty: only the points are known
    n: int = 0  # questions that both have, with equal labels
    unpaired: int = 0  # questions that only one of the two has, which count as independent
    # How many of the n, by who answers better: ``both``, ``only_a``, …; empty for several tasks.
    parts: Mapping[str, int] = {}
    # The difference that a test on these questions finds in four of five cases; None: not known.
    smallest: float | None = None
    needed: int | None = None  # how many such questions would tell the two apart

    @property
    def mirrored(self) -> Self:
        """B − A; without ``parts``."""
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return self._replace(points=-self.points, low=low, high=high, parts={})

    @property
    def decimals(self) -> int:
        """Enough for a small difference not to be shown as zero."""
        return 2 if 0 < abs(self.points) < 0.1 else 1

    def __str__(self) -> str:
        return signed(self.points, self.decimals)

    @property
    def deviation(self) -> float:
        """The standard deviation of the differences per question, as if each had its own text."""
        return (self.smallest or 0.0) / STANDARD_ERRORS * math.sqrt(self.n)

    @property
    def interval_text(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return f"{signed(self.low, self.decimals)} … {signed(self.high, self.decimals)}"

    @property
    def p_text(self) -> str:
        """Empty if there is no test."""
        return "" if self.p is None else p_text(self.p)

    @property
    def is_paired(self) -> bool:
        return self.p is not None

    @property
    def verdict(self) -> Verdict:
        if self.p is not None:
            apart = self.p < ALPHA
        elif self.low is not None and self.high is not None:
            apart = self.low > 0 or self.high < 0
        else:
            return Verdict.UNTESTED
        if not apart or not self.points:
            return Verdict.OPEN
        return Verdict.BETTER if self.points > 0 else Verdict.WORSE


def signed(points: float, decimals: int = 1) -> str:
    """With a minus sign that is as wide as the plus."""
    text = f"{points:+.{decimals}f}"
    return text.replace("-", "−") if float(text) else f"{0:.{decimals}f}"


def paired_difference(a: Vectors, b: Vectors, tasks: Collection[str]) -> Difference | None:
    """The difference of the unweighted means of these tasks, compared question by question; None if
    one of the two lacks a task."""
    if not tasks or not all(task in a and task in b for task in tasks):
        return None
    return rounded_difference(compare(a, b, dict.fromkeys(tasks, 1.0)), is_task=len(tasks) == 1)


def difference_of_samples(
    a: Vectors, b: Vectors, tasks: Collection[str], *, is_random: bool
) -> Difference | None:
    """The same on the questions that both have: if one of the two is a run that has not asked
    everything, the other questions say nothing about the difference.

    There is no test if a task has too few of them, or if they are no random sample.
    """
    shared_a, shared_b = on_shared_questions(a, b)
    found = paired_difference(shared_a, shared_b, tasks)
    if found is None:
        return None
    if is_random and min(len(shared_a[task].scores) for task in tasks) >= FEWEST_SHARED:
        return found
    return Difference(found.points, n=found.n, parts=found.parts)


def comparison_among(samples: Collection[Sample]) -> Compare:
    """How to compare entries, given the samples among them."""
    if not samples:
        return paired_difference
    return partial(difference_of_samples, is_random=all(one.is_random for one in samples))


def rounded_difference(found: Comparison, *, is_task: bool) -> Difference:
    """``is_task``: it is about a single task, so the counts of answers make sense."""
    answers = {
        "both": found.both,
        "only_a": found.only_a,
        "only_b": found.only_b,
        "none": found.none,
        "a_higher": found.a_higher,
        "b_higher": found.b_higher,
        "equal": found.equal,
    }
    parts = {name: count for name, count in answers.items() if count is not None}
    # Rounded, so that the same data give the same digits on every machine and in either order.
    return Difference(
        points=round(found.difference, PLACES),
        low=round(found.low, PLACES),
        high=round(found.high, PLACES),
        p=float(f"{found.p:.{PLACES}g}"),
        test=found.test,
        n=found.n,
        unpaired=found.unpaired,
        parts=parts if is_task else {},
        smallest=STANDARD_ERRORS * found.error or None,
        needed=questions_to_separate(found),
    )


def unpaired_difference(a: Score, b: Score) -> Difference:
    """The difference of two scores about which nothing else is known: they count as independent.

    The interval is that of R. G. Newcombe, “Interval Estimation for the Difference Between
    Independent Proportions” (Statistics in Medicine, 1998), method 10, from the intervals of both;
    without one of these there is none.
    """
    points = a.percent - b.percent
    if a.interval is None or b.interval is None:
        return Difference(points)
    low = points - math.hypot(a.percent - a.interval.low, b.interval.high - b.percent)
    high = points + math.hypot(a.interval.high - a.percent, b.percent - b.interval.low)
    return Difference(points, max(-100.0, low), min(100.0, high), test=BY_INTERVALS)


def differences_to_reported(
    tasks: Collection[str], scores: ByTask, entry: ReportedEntry
) -> tuple[dict[str, Difference], Difference | None]:
    """By each task that both have, and of the mean of ``tasks``."""
    reported = {one.task: reported_score(one.task, one.percent) for one in entry.scores.all()}
    by_task = {
        task: unpaired_difference(scores[task], score)
        for task, score in reported.items()
        if task in scores
    }
    own, other = mean_of(tasks, scores), mean_of(tasks, reported)
    return by_task, unpaired_difference(own, other) if own and other else None
