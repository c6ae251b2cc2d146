"""What is disclosed of a hidden release, whose answers must stay secret.

One row with one prediction would disclose its verdict through the score of its task: 1 of 30 is
3.33. So the score of a task is disclosed only if nearly all of it is answered, and in whole points.
``portal.evaluations.ladder`` decides whether it is disclosed at all, or the best so far again.

The same for facets of an example, since some of them reveal its answer.
"""

from collections.abc import Mapping
from typing import Any

from scoring.stats import rounded

# Facets that reveal an answer, or help to find it. Examples of one ladder have the same answer.
ANSWER_REVEALING_FACETS = frozenset(("evidence", "depth", "hops", "kind", "ladder"))

MIN_COVERAGE = 90  # percent of the examples of a task
DIGITS = 0  # of the score of a task
DIGITS_OF_MEANS = 1


def rounded_score(percent: float, *, answered: int, size: int) -> float | None:
    """The score in the precision that may be disclosed; None if too few examples are answered."""
    return None if 100 * answered < MIN_COVERAGE * size else float(rounded(percent, DIGITS))


def visible_facets(facets: Mapping[str, Any], *, hidden: bool, reviews: bool) -> dict[str, Any]:
    """The facets of an example that may be shown: of a hidden release, those that point at its
    answer only to reviewers."""
    concealed = ANSWER_REVEALING_FACETS if hidden and not reviews else frozenset()
    return {name: value for name, value in facets.items() if name not in concealed}
