"""The signature that all rules of all metric sets share."""

from collections.abc import Callable
from typing import Any, NamedTuple

from scoring.metrics.verdict import Verdict


class Question(NamedTuple):
    """Input of a rule besides the prediction and the label."""

    options: tuple[str, ...] = ()
    drop_first: bool = False  # Math.Calc: the answers repeat the first operand
    answer_type: str = ""  # of a row of En.QA or Zh.QA: ``NUMBER``, or nothing


# Prediction, label, question → verdict. The label has the type that ``canonical_label`` returns for
# the task; each rule names that type in its own signature.
Rule = Callable[[str, Any, Question], Verdict]
