"""Why one prediction got its score: which of its characters decided, rule by rule.

A rule gives a score and a reason; this room finds again what it found, in the prediction as it was
written, and never judges anew. It costs about as much as the verdict itself, so that explanations
are made when a prediction is opened, and not stored.
"""

from collections.abc import Callable

from scoring.explanations import calculation, choices, overlap, values
from scoring.explanations.explanation import (
    Calculation,
    Explanation,
    FirstError,
    Judged,
    Span,
    TokenMatch,
)
from scoring.labels import Label
from scoring.metrics import METRIC_SETS, Question, rule_of, scored_part
from scoring.metrics import official_2024_06 as june
from scoring.metrics import official_2024_09 as september
from scoring.metrics.rule import Rule
from scoring.metrics.strict import choice as strict_choice
from scoring.metrics.strict import names as strict_names
from scoring.metrics.strict import rules as strict
from scoring.metrics.strict import values as strict_values

__all__ = [
    "Calculation", "Explanation", "FirstError", "Span", "TokenMatch", "explain", "explain_all",
]  # fmt: skip

_EXPLAINED: dict[Rule, Callable[[Judged], Explanation]] = {
    june.first_digits: values.first_digits,
    june.key_value: values.equal_word,
    june.code_run: values.last_word,
    june.math_find: values.first_number,
    june.math_calc: calculation.unsigned,
    june.code_debug: choices.code_debug,
    june.multiple_choice: choices.multiple_choice,
    june.dialogue: values.equal_name,
    june.qa_english: overlap.qa_english,
    june.qa_chinese: overlap.qa_chinese,
    june.summary: overlap.summary,
    september.key_value: values.equal_word,
    september.code_debug: choices.code_debug,
    september.multiple_choice: choices.multiple_choice,
    september.dialogue: values.contained_name,
    strict.math_find: values.first_number,
    strict.math_calc: calculation.signed,
    strict_values.key_value: values.guess,
    strict_values.code_run: values.guess,
    strict_values.number: values.guess,
    strict_choice.code_debug: values.guess,
    strict_choice.multiple_choice: values.guess,
    strict_names.dialogue: values.guess,
}


def explain(
    metric_set: str, task: str, prediction: str, label: Label, question: Question
) -> Explanation:
    """The verdict of ``judge`` on one prediction under one metric set, and what decided it.

    ``label`` is as ``canonical_label`` returns it. No text and no such label raises; ``KeyError``
    for an unknown metric set or task.
    """
    part = scored_part(metric_set, task, prediction)
    rule = rule_of(metric_set, task, question)
    return _explained(rule, part.text, label, question).moved(part.start)


def explain_all(
    task: str, prediction: str, label: Label, question: Question
) -> dict[str, Explanation]:
    """The results of ``explain`` for all metric sets, by name; rules that several share run
    once."""
    inputs = {
        name: (rule_of(name, task, question), scored_part(name, task, prediction))
        for name in METRIC_SETS
    }
    found = {
        (rule, part): _explained(rule, part.text, label, question).moved(part.start)
        for rule, part in set(inputs.values())
    }
    return {name: found[both] for name, both in inputs.items()}


def _explained(rule: Rule, text: str, label: Label, question: Question) -> Explanation:
    return _EXPLAINED[rule](Judged(text, label, question, rule(text, label, question)))
