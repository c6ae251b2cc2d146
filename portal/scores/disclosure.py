"""What is disclosed about a hidden release, whose answers must stay secret.

A file with a single prediction would disclose its verdict through the score of its task: 1 of 30 is
3.33. So the score of a task is disclosed only if nearly all of it is answered, and in whole points.
``disclose`` decides what an admitted account sees of it before publication
(``portal.evaluations.ladder``).

Facets of an example are covered too, since some of them reveal its answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scoring.stats import is_significantly_better, mean_percent, rounded

# Facets that reveal an answer, or help to find it. Examples of one ladder have the same answer.
ANSWER_REVEALING_FACETS = frozenset(("evidence", "depth", "hops", "kind", "ladder"))

MIN_COVERAGE = 90  # percent of the examples of a task
DIGITS = 0  # of the score of a task
DIGITS_OF_MEANS = 1
BAND = 10  # percentage points

# The only metric set disclosed before publication: with two, one prediction could carry two
# guesses, one for each set. ``strict`` takes one answer from a prediction, by fixed rules.
DISCLOSED_SET = "strict"

Column = Sequence[float]  # the scores, 0 to 1, of every example of a task


class Disclosure(NamedTuple):
    """A score as an admitted account sees it, in percent: a value, or the lower end of a band."""

    percent: float
    width: int = 0  # of a band, in percentage points
    is_step: bool = False  # it differs by more than chance from all earlier disclosures


def disclose(scores: Column, *, best: Column, steps: Sequence[Column]) -> Disclosure | None:
    """What an account sees of a new score; None: still its best so far.

    ``best`` are the scores behind the best one that the account has seen, empty if it has seen
    none; ``steps`` those behind everything that any account has seen on this task.

    The first score of an account is shown as a band of ``BAND`` points: the band of the first step
    from which it does not differ by more than chance, or its own if it differs from all steps. So
    files made without knowledge of the labels look the same, however many accounts they come from;
    if each had a band of its own, 60 random files would decode 80 % of 20 questions with four
    options. A later score is disclosed only if it beats, by more than chance, everything that has
    been disclosed to anybody.
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
    """The score as precisely as it may be disclosed; None if too few examples are answered."""
    if not enough_answered(answered=answered, size=size):
        return None
    return float(rounded(percent, DIGITS))


def visible_facets(facets: Mapping[str, Any], *, hidden: bool, reviews: bool) -> dict[str, Any]:
    """The facets of an example that may be shown. On a hidden release, only reviewers see those
    that reveal its answer."""
    concealed = ANSWER_REVEALING_FACETS if hidden and not reviews else frozenset()
    return {name: value for name, value in facets.items() if name not in concealed}
