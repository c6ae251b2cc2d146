"""The metric set ``strict``: one documented guess per example, the same rule for every model.

A guess is read from the prediction alone, then compared with the label; ``docs/strict.md`` explains
every rule. Where the official rule already is one guess, it is used unchanged.
"""

import re

from scoring.labels import NUMBER, Integers
from scoring.metrics import official_2024_06 as official
from scoring.metrics.rule import Question, Rule
from scoring.metrics.strict.choice import code_debug, multiple_choice
from scoring.metrics.strict.names import dialogue
from scoring.metrics.strict.values import code_run, key_value, number
from scoring.metrics.verdict import Verdict

# A minus sign belongs to the digits it touches, unless it joins them to what is before: in 76-79
# and 5 - 3 it does not, in [1, -3] it does.
SIGNED = re.compile(r"(?:(?<![\w)\]}.\-−–])[-−])?[0-9]+")


def math_find(prediction: str, label: int | float, question: Question) -> Verdict:
    """Math.Find: the first number, without its sign; 48.0 is 48."""
    found = official.FIRST_NUMBER.search(prediction)
    if not found:
        return official.nothing("a number")
    whole, _, fraction = found[0].partition(".")
    if len(whole) > official.LONGEST_INTEGER:
        return official.judged(False, found[0])
    return official.judged((float(found[0]) if fraction else int(whole)) == label, found[0])


def math_calc(prediction: str, label: Integers, question: Question) -> Verdict:
    """Math.Calc: the share of the label's values that are right before the first wrong one."""
    runs: list[str] = SIGNED.findall(prediction)[question.drop_first :][: len(label)]
    values: list[int] = []
    for run in runs:
        if len(run) > official.LONGEST_INTEGER:  # Python reads no longer ones: the list ends here
            break
        values.append(int(run.replace("−", "-")))
    return official.correct_prefix(values, label)


__all__ = ["RULES", "number", "strict_rule"]

_WITH_NUMBERS = ("longbook_qa_eng", "longbook_qa_chn")
RULES: dict[str, Rule] = {
    "passkey": official.first_digits,
    "number_string": official.first_digits,
    "kv_retrieval": key_value,
    "longbook_sum_eng": official.summary,
    "longbook_qa_eng": official.qa_english,
    "longbook_choice_eng": multiple_choice,
    "longbook_qa_chn": official.qa_chinese,
    "longdialogue_qa_eng": dialogue,
    "code_debug": code_debug,
    "code_run": code_run,
    "math_calc": math_calc,
    "math_find": math_find,
}


def strict_rule(task: str, question: Question) -> Rule:
    """The rule for a question: an answer that the release calls a number is compared as one."""
    if question.answer_type == NUMBER and task in _WITH_NUMBERS:
        return number
    return RULES[task]
