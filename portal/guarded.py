"""What of a score may be told where nobody may learn which answers are right.

On a hidden release, one row with one prediction would tell its verdict through the score of its
task: 1 of 30 is 3.33. So the score of a task is told only where nearly all of it is answered, and
no score more exactly than to a tenth of a percent.
"""

COVERAGE = 90  # percent of the examples of a task
DIGITS = 1


def guarded(percent: float | None, *, answered: int = 1, size: int = 1) -> float | None:
    """The score as it may be told; None where too few of the examples are answered."""
    if percent is None or 100 * answered < COVERAGE * size:
        return None
    return round(percent, DIGITS)
