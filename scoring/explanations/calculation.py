"""How far the numbers of a Math.Calc prediction follow the gold list, and where they leave it."""

import re
from itertools import islice

from scoring.explanations.explanation import Calculation, Explanation, FirstError, Judged
from scoring.metrics import official_2024_06 as official
from scoring.metrics.strict import rules as strict


def unsigned(judged: Judged) -> Explanation:
    """The official rule, which reads no signs. A number that its code cannot read decides all."""
    if judged.verdict.code == "official_crash_long_number":
        runs = official.DIGITS.finditer(judged.prediction)
        long = next(run for run in runs if len(run[0]) > official.LONGEST_INTEGER)
        return Explanation(judged.verdict, (long.span(),))
    return _calculation(judged, official.DIGITS)


def signed(judged: Judged) -> Explanation:
    """The strict rule; a number of too many digits is where its list ends."""
    return _calculation(judged, strict.SIGNED)


def _calculation(judged: Judged, number: re.Pattern[str]) -> Explanation:
    if "right" not in judged.verdict.params:
        return Explanation(judged.verdict)
    label, right = judged.label, int(judged.verdict.params["right"])
    dropped = judged.question.drop_first
    runs = list(islice(number.finditer(judged.prediction), dropped, dropped + right + 1))
    read = (runs[0].start(), runs[right - 1].end()) if right else None
    error = None
    if right < len(label):
        wrong = runs[right] if right < len(runs) else None
        error = FirstError(right, label[right], wrong and wrong[0], wrong and wrong.span())
    span = error.span if error and error.span else read
    return Explanation(
        judged.verdict,
        (span,) if span else (),
        calculation=Calculation(right, len(label), error),
    )
