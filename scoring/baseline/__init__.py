"""The baseline: a rule-based reader that answers every task from the prompt alone.

It exists to be measured. It understands everything that it reads, but of a prompt longer than its
window it reads only the first and the last part, so its errors depend on length and depth as a
model's do. It never raises and never executes anything from the prompt.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from scoring.baseline.code import returned
from scoring.baseline.debug import broken_function
from scoring.baseline.dialogue import masked_speaker
from scoring.baseline.mathematics import number_of_list, values_on_the_way
from scoring.baseline.novel import answer_in_chinese, answer_in_english, chosen_option
from scoring.baseline.retrieval import hidden_digits, value_of_key
from scoring.baseline.summary import summary_of_book
from scoring.baseline.truncation import VisiblePrompt, truncate_prompt


class Rule(NamedTuple):
    asked: re.Pattern[str]  # identifies the task by its question
    answer: Callable[[VisiblePrompt], str]


# The first match wins.
RULES: tuple[Rule, ...] = (
    Rule(re.compile(r"func_\d+\(-?\d+\)"), returned),
    Rule(re.compile(r"\bfunc?tions?\b.{0,80}\b(?:broken|errors?|bugs?)\b"), broken_function),
    Rule(re.compile(r"\$\$MASK\$\$"), masked_speaker),
    Rule(re.compile(r"JSON object|specified key"), value_of_key),
    Rule(re.compile(r"(?:largest|smallest|biggest|median)\b.*\blist"), number_of_list),
    Rule(re.compile(r"pass key|hidden number|sequence of digits"), hidden_digits),
    Rule(re.compile(r"left to right|intermediate values"), values_on_the_way),
    Rule(re.compile(r"^A[.:)] .+\nB[.:)] ", re.MULTILINE), chosen_option),
    Rule(re.compile(r"\b[Ss]ummar(?:y|ize)\b"), summary_of_book),
    Rule(re.compile(r"问题|[？。]\s*\Z"), answer_in_chinese),
    Rule(re.compile(r""), answer_in_english),
)


def read(prompt: str, window: int | None = None) -> str:
    """The answer to a prompt. ``window`` is the number of tokens that are read; None: all of
    them."""
    seen = truncate_prompt(prompt, window)
    rule = next(rule for rule in RULES if rule.asked.search(seen.asked))
    return rule.answer(seen)
