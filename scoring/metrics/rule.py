"""What every rule of every metric set looks like."""

from collections.abc import Callable
from typing import Any, NamedTuple

from scoring.metrics.verdict import Verdict


class Question(NamedTuple):
    """What a rule may know beside the prediction and the label."""

    options: tuple[str, ...] = ()
    drop_first: bool = False  # Math.Calc: the answers repeat the first operand


# Prediction, label, question. The label is of the type that ``canonical_label`` gives for the task,
# which each rule names in its own signature.
Rule = Callable[[str, Any, Question], Verdict]
