"""How many questions it takes to distinguish two entries."""

import math
from collections.abc import Mapping
from statistics import NormalDist

from scoring.comparison.pairs import Comparison

# Between 0 and a difference that a two-sided test at 5 % finds in 80 % of all runs; 2.80.
STANDARD_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


def questions_needed(deviation: float, difference: float) -> int | None:
    """How many questions tell two entries apart with a power of 80 %, at a p of 5 %.

    ((1.96 + 0.84) · deviation / difference)², where ``deviation`` is the standard deviation of the
    paired differences of questions, in the unit of ``difference``: J. M. Bland, “An Introduction to
    Medical Statistics”, 18.4. None without a difference.
    """
    if not difference:
        return None
    return max(2, math.ceil((STANDARD_ERRORS * deviation / difference) ** 2))


def questions_to_separate(comparison: Comparison) -> int | None:
    """How many questions like those compared it takes, if the two differ as they do here.

    The deviation is that of independent questions with the same standard error, so that questions
    about one text count for less. None where the two are equal or have no question in common.
    """
    if not comparison.n:
        return None
    return questions_needed(comparison.error * math.sqrt(comparison.n), comparison.difference)


def cheapest_questions(
    deviations: Mapping[str, float], costs: Mapping[str, float], difference: float
) -> dict[str, int] | None:
    """How many questions of each task show a difference of their mean at the least cost.

    With a power of 80 %, at a p of 5 %. By task: ``deviations`` of the paired differences of its
    questions, in the unit of ``difference``, and the ``costs`` of one question, in any unit. The
    numbers are proportional to deviation / √cost: W. G. Cochran, “Sampling Techniques”, 5.5. At
    least two of each task, without which no deviation is known. None without a difference.
    """
    if not difference:
        return None
    weighted = {task: deviation / len(deviations) for task, deviation in deviations.items()}
    variance = (difference / STANDARD_ERRORS) ** 2
    factor = math.fsum(one * math.sqrt(costs[task]) for task, one in weighted.items()) / variance
    return {
        task: max(2, math.ceil(factor * one / math.sqrt(costs[task])))
        for task, one in weighted.items()
    }
