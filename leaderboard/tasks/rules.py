"""How each metric set judges each task, in words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.metrics import METRIC_SETS

_PAPER, _NEWEST, _STRICT = METRIC_SETS

_DIGITS = "The first run of digits in the answer must be the number, digit for digit."
_OPTION = (
    "One option is read from the answer: the letter or text that is announced as the answer or "
    "stands alone. Several letters are no answer."
)
# By task: the rule of a metric set, which also holds for those after it that are not listed.
RULES: Mapping[str, Mapping[str, str]] = {
    "passkey": {_PAPER: _DIGITS},
    "number_string": {_PAPER: _DIGITS},
    "kv_retrieval": {
        _PAPER: (
            "Punctuation becomes spaces; then one of the words must be the value, however many "
            "others there are. A label that comes in a list never matches."
        ),
        _NEWEST: (
            "Punctuation becomes spaces; then one of the words must be the value, however many "
            "others there are."
        ),
        _STRICT: (
            "One UUID is read from the answer: the one announced as the answer, or else the first "
            "that is not the key. It must be the value."
        ),
    },
    "longbook_sum_eng": {
        _PAPER: (
            "ROUGE-Lsum: the share of words that summary and reference have in common in the "
            "same order (F-measure)."
        )
    },
    "longbook_qa_eng": {
        _PAPER: (
            "The words that answer and label have in common (F1), without articles, case and "
            "punctuation; of several labels the most similar one counts."
        )
    },
    "longbook_choice_eng": {
        _PAPER: (
            "The first character decides if it is A, B, C or D, even in “Based on …”. Otherwise "
            "the option after a phrase such as “answer is”, or the first word of these letters."
        ),
        _NEWEST: (
            "It is enough that the last single letter on the first line that has one is right. "
            "Otherwise the first character decides, then a phrase such as “answer is”."
        ),
        _STRICT: _OPTION,
    },
    "longbook_qa_chn": {
        _PAPER: (
            "The characters that answer and label have in common (F1), without punctuation; of "
            "several labels the most similar one counts."
        )
    },
    "longdialogue_qa_eng": {
        _PAPER: (
            "One of the words must be the first of the right names, in capitals or not. Names of "
            "two words never match."
        ),
        _NEWEST: (
            "The answer must contain one of the right names anywhere, so that a list of all "
            "names is right."
        ),
        _STRICT: (
            "One name is read from the answer: the one announced as the answer, or on a first line "
            "of its own. It must be one of the right names."
        ),
    },
    "code_debug": {
        _PAPER: (
            "The answer must start with the letter and a full stop or colon, or a phrase such as "
            "“answer is:” must be followed by the letter or the name. A letter alone is wrong."
        ),
        _NEWEST: (
            "It is enough that the last single letter on the first line that has one is right, "
            "that the answer starts with the letter or the name, or that a phrase such as “answer "
            "is:” is followed by one of them."
        ),
        _STRICT: _OPTION,
    },
    "code_run": {
        _PAPER: "The last word of the answer must be the number.",
        _STRICT: (
            "One whole number is read from the answer: the one announced as the result, or else "
            "one that stands alone, at the start or at the end."
        ),
    },
    "math_calc": {
        _PAPER: (
            "The numbers of the answer, without signs, are compared with the values from the "
            "first on. The score is the share of the values before the first wrong one."
        ),
        _STRICT: (
            "The numbers of the answer, with signs, are compared with the values from the first "
            "on. The score is the share of the values before the first wrong one."
        ),
    },
    "math_find": {
        _PAPER: (
            "The first number of the answer, without its sign, must be the value. Where a whole "
            "number is expected, 48.0 is wrong."
        ),
        _STRICT: "The first number of the answer, without its sign, must be the value; 48.0 is 48.",
    },
}


class RuleInWords(NamedTuple):
    metric_sets: Sequence[MetricSetTitle]  # that share the rule
    text: str


def rules_of(task: str) -> list[RuleInWords]:
    """In the order of the metric sets."""
    found: list[RuleInWords] = []
    for name, title in METRIC_SET_TITLES.items():
        if name in RULES[task]:
            found.append(RuleInWords([title], RULES[task][name]))
        else:
            found[-1] = RuleInWords([*found[-1].metric_sets, title], found[-1].text)
    return found
