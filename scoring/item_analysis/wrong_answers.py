"""Wrong answers in a normal form, so that those of different entries can be compared."""

from scoring.labels import Label
from scoring.metrics import Question, rule_of, scored_part
from scoring.metrics.strict.answers import normal_answer

SOLVED = 0.5  # the least score of a question that counts as solved


def wrong_answer(task: str, prediction: str, label: Label, question: Question) -> str | None:
    """What a prediction gives instead of the label, as ``strict`` reads it; None where it is right,
    where nothing is read, and in En.Sum.

    In the normal form of ``normal_answer``. A score of ``SOLVED`` or more is right, of Math.Calc
    only a full one; where its values are right and end too early there is no wrong one.
    """
    text, _ = scored_part("strict", task, prediction)
    verdict = rule_of("strict", task, question)(text, label, question)
    if verdict.score >= (1 if task == "math_calc" else SOLVED):
        return None
    if task == "math_calc" and verdict.extracted is None:
        return None
    return normal_answer(task, text, verdict, question)
