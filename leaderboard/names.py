"""Texts on the public pages: marks, what each task asks, kinds of answers."""

from typing import NamedTuple

from leaderboard.entries import Entry
from portal.scores.controls import meaning_of, title_of
from portal.scores.trust import TRUST
from scoring.catalog import Kind


class MarkTitle(NamedTuple):
    title: str
    meaning: str


_BASELINE = MarkTitle("Rule-based", "Answers by rules from what fits its window.")


def mark_of(entry: Entry) -> MarkTitle:
    """That it is a control or goes by rules, or how far the site can vouch for it."""
    if entry.control:
        return MarkTitle(title_of(entry.control), meaning_of(entry.control))
    if entry.model.baseline:
        return _BASELINE
    return MarkTitle(*TRUST[entry.trust])


def asked_note(entry: Entry) -> str:
    """Shown beside its score everywhere: that not everything was asked. Empty if it was."""
    if entry.sample is None:
        return ""
    return f"{entry.sample.percent} % asked"


QUESTIONS: dict[str, str] = {  # what each task asks
    "passkey": "Find a five-digit number hidden in noise.",
    "number_string": "Find a ten-digit number (with repeated digits) hidden in noise.",
    "kv_retrieval": "Find the value of one key among the 2,500 key–value pairs of a JSON object.",
    "longbook_sum_eng": "Summarise an English novel.",
    "longbook_qa_eng": "Answer a question about an English novel in a few words.",
    "longbook_choice_eng": "Choose one of four answers to a question about an English novel.",
    "longbook_qa_chn": "Answer a question about a Chinese novel in a few words.",
    "longdialogue_qa_eng": "Name the masked speaker in an English script.",
    "code_debug": "Find which of four functions in a large codebase contains an injected bug.",
    "code_run": "Work out the return value of a chain of function calls in a long file.",
    "math_calc": "Compute every intermediate result of a very long arithmetic expression.",
    "math_find": "Find the largest, smallest or median number in a long list.",
}
ANSWERS: dict[Kind, str] = {  # what an answer is
    Kind.TEXT: "one string, exact match",
    Kind.TEXTS: "one or more texts, any of which is correct",
    Kind.CHOICE: "one of four options, by its text or letter",
    Kind.INTEGER: "a whole number",
    Kind.NUMBER: "a number",
    Kind.INTEGERS: "a list of whole numbers",
}
