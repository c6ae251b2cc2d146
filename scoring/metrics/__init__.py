"""The metric sets: complete rules for all twelve tasks, and the score of one example under one."""

from collections.abc import Sequence

from scoring.catalog import TASKS
from scoring.labels import Label, LabelError, canonical_label
from scoring.metrics import official_2024_06, official_2024_09
from scoring.metrics.rule import Question, Rule
from scoring.metrics.strict import rules as strict
from scoring.metrics.verdict import REASONS, Parameters, Verdict, moved
from scoring.reasoning import Answer, answer_part

__all__ = [
    "METRIC_SETS", "PAPER_SET", "REASONS", "Parameters", "Question", "Verdict", "judge",
    "rule_of", "score_example", "scored_part", "verdict_under",
]  # fmt: skip

METRIC_SETS: dict[str, dict[str, Rule]] = {
    "official-2024-06": official_2024_06.RULES,
    "official-2024-09": official_2024_09.RULES,
    "strict": strict.RULES,
}

PAPER_SET = "official-2024-06"  # that of the paper: boards open with it

# For each task its different rules, each with the metric sets that share it.
_DISTINCT_RULES: dict[str, dict[Rule, list[str]]] = {
    task: {
        rule: [name for name, rules in METRIC_SETS.items() if rules[task] is rule]
        for rule in (rules[task] for rules in METRIC_SETS.values())
    }
    for task in TASKS
}


def score_example(
    metric_set: str,
    task: str,
    prediction: str,
    answer: object,
    *,
    options: Sequence[str] = (),
    drop_first: bool = False,
    answer_type: str = "",
) -> Verdict:
    """The verdict on one prediction under one metric set.

    ``answer`` is a label in the release's own type or as a released file carries it (scalar,
    one-element list, nested list, number as text). ``drop_first`` is for Math.Calc only, and
    ``answer_type`` is that of the row: under ``strict`` a number is compared as one. Returns a
    ``Verdict`` with ``score`` from 0 to 1; an unusable label scores 0, no text or label raises.
    """
    try:
        label = canonical_label(TASKS[task], answer, options)
    except LabelError as error:
        return Verdict(0.0, None, "label_unusable", {"why": str(error)})
    question = Question(tuple(options), drop_first, answer_type)
    return verdict_under(metric_set, task, prediction, label, question)


def verdict_under(
    metric_set: str, task: str, prediction: str, label: Label, question: Question
) -> Verdict:
    """The verdict of ``judge`` under one metric set."""
    part = scored_part(metric_set, task, prediction)
    return moved(rule_of(metric_set, task, question)(part.text, label, question), part.start)


def scored_part(metric_set: str, task: str, prediction: str) -> Answer:
    """What the rule of a metric set reads of a prediction: under ``strict`` the answer after the
    reasoning, if there is any."""
    text = capped(task, prediction)
    is_strict = METRIC_SETS[metric_set] is strict.RULES
    return (answer_part(text) if is_strict else None) or Answer(text, 0)


def rule_of(metric_set: str, task: str, question: Question) -> Rule:
    """The rule for a question of the task: only ``strict`` has another for answers of a type."""
    rules = METRIC_SETS[metric_set]
    return strict.strict_rule(task, question) if rules is strict.RULES else rules[task]


def judge(task: str, prediction: str, label: Label, question: Question) -> dict[str, Verdict]:
    """The verdict under each metric set, by name; rules that several sets share run once."""
    text = capped(task, prediction)
    verdicts: dict[str, Verdict] = {}
    for rule, names in _DISTINCT_RULES[task].items():
        verdicts |= dict.fromkeys(names, rule(text, label, question))
    own, part = strict.strict_rule(task, question), answer_part(text)
    if part:
        verdicts["strict"] = moved(own(part.text, label, question), part.start)
    elif own is not strict.RULES[task]:
        verdicts["strict"] = own(text, label, question)
    return verdicts


def capped(task: str, prediction: str) -> str:
    """The prediction up to its task's cap (characters); the rest is never scored."""
    return prediction[: TASKS[task].prediction_cap]
