"""What every rule of every metric set looks like."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoring.metrics.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """What a rule may know beside the prediction and the label."""

    options: tuple[str, ...] = ()
    drop_first: bool = False  # Math.Calc: the answers repeat the first operand


# Prediction, label, question. The label is of the type that ``canonical_label`` gives for the task,
# which each rule names in its own signature.
Rule = Callable[[str, Any, Question], Verdict]
