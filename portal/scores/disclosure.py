"""What is disclosed of a hidden release, whose answers must stay secret.

One row with one prediction would disclose its verdict through the score of its task: 1 of 30 is
3.33. So the score of a task is disclosed only if nearly all of it is answered, and in whole points.
``disclose`` decides what an admitted account sees of it before it is published
(``portal.evaluations.ladder``).

The same for facets of an example, since some of them reveal its answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scoring.stats import is_significantly_better, mean_percent, rounded

# Facets that reveal an answer, or help to find it. Examples of one ladder have the same answer.
ANSWER_REVEALING_FACETS = frozenset(("evidence", "depth", "hops", "kind", "ladder", "facts"))

MIN_COVERAGE = 90  # percent of the examples of a task
DIGITS = 0  # of the score of a task
DIGITS_OF_MEANS = 1
BAND = 10  # percentage points

# The only metric set disclosed before publication: under two, one prediction can carry two guesses,
# of which each set takes another. ``strict`` takes one answer from a prediction, by fixed rules.
DISCLOSED_SET = "strict"

Column = Sequence[float]  # 0 to 1, of every example of a task


class Disclosure(NamedTuple):
    """A score as an admitted account sees it, in percent: a value, or a band from there."""

    percent: float
    width: int = 0  # of a band, in percentage points
    is_step: bool = False  # it differs by more than chance from all that was disclosed before


def disclose(scores: Column, *, best: Column, steps: Sequence[Column]) -> Disclosure | None:
    """What an account sees of a new score; None: its best so far again.

    ``best`` is behind the best score that the account has seen, empty if it has seen none;
    ``steps`` are behind everything that any account has seen on this task.

    The first score of an account is a band of ``BAND`` points: that of the first step from which it
    does not differ by more than chance, and its own only if it differs from all of them. So files
    that were made without knowledge of the labels look the same, from however many accounts they
    come; where each showed a band of its own, 60 random files would decode 80 % of 20 questions
    with four options. A later score is disclosed only if it beats by more than chance whatever has
    been disclosed to anyone.
    """
    if not best:
        same = next((step for step in steps if not differ(scores, step)), None)
        percent = mean_percent(scores if same is None else same) or 0.0
        return Disclosure(min(percent // BAND * BAND, 100 - BAND), BAND, is_step=same is None)
    if all(is_significantly_better(scores, known) for known in (best, *steps)):
        return Disclosure(float(rounded(mean_percent(scores) or 0.0, DIGITS)), is_step=True)
    return None


def differ(scores: Column, others: Column) -> bool:
    """Whether their means differ by more than chance."""
    return is_significantly_better(scores, others) or is_significantly_better(others, scores)


def enough_answered(*, answered: int, size: int) -> bool:
    return 100 * answered >= MIN_COVERAGE * size


def rounded_score(percent: float, *, answered: int, size: int) -> float | None:
    """The score in the precision that may be disclosed; None if too few examples are answered."""
    if not enough_answered(answered=answered, size=size):
        return None
    return float(rounded(percent, DIGITS))


def visible_facets(facets: Mapping[str, Any], *, hidden: bool, reviews: bool) -> dict[str, Any]:
    """The facets of an example that may be shown: of a hidden release, those that point at its
    answer only to reviewers."""
    concealed = ANSWER_REVEALING_FACETS if hidden and not reviews else frozenset()
    return {name: value for name, value in facets.items() if name not in concealed}
