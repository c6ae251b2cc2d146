"""What of a score may be told where nobody may learn which answers are right.

On a hidden release, one row with one prediction would tell its verdict through the score of its
task: 1 of 30 is 3.33. So the score of a task is told only where nearly all of it is answered, and
in whole points. ``portal.evaluations.ladder`` says whether it is told at all, or the best so far
again.

And what of an example's facets, which say where its answer stands.
"""

from collections.abc import Mapping
from typing import Any

from scoring.stats import rounded

# Facets that point at an answer, or come near it. Those that belong together (a ladder) tell that
# what is right in a short text is right in a long one.
POINTING = frozenset(("evidence", "depth", "hops", "kind", "ladder"))

COVERAGE = 90  # percent of the examples of a task
DIGITS = 0  # of the score of a task
DIGITS_OF_MEANS = 1


def guarded(percent: float, *, answered: int, size: int) -> float | None:
    """The score as it may be told; None where too few of the examples are answered."""
    return None if 100 * answered < COVERAGE * size else float(rounded(percent, DIGITS))


def told_facets(facets: Mapping[str, Any], *, hidden: bool, reviews: bool) -> dict[str, Any]:
    """The facets of an example that may be told; those that point at its answer in a hidden release
    are for reviewers."""
    closed = POINTING if hidden and not reviews else frozenset()
    return {name: value for name, value in facets.items() if name not in closed}
