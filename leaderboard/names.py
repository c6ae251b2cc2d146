"""Texts on the public pages: marks, what each task asks, kinds of answers."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.entries import Entry, Mark
from portal.scores.controls import meaning_of, title_of
from portal.scores.trust import TRUST, Trust
from scoring.catalog import Kind


class MarkTitle(NamedTuple):
    title: str | Promise
    meaning: str | Promise


MARKS: dict[Mark, MarkTitle] = {
    Mark.SCORED: MarkTitle(
        _("Scored here"), _("Predictions scored here against the labels of this release.")
    ),
    Mark.HISTORICAL: MarkTitle(
        _("Re-scored"),
        _("Previously released outputs, re-scored with the answers included in those files."),
    ),
    Mark.REPORTED: MarkTitle(
        _("Reported"),
        _("Copied from a paper or model card. Not verified."),
    ),
}

_BASELINE = MarkTitle("Rule-based", "Answers by rules from what fits its window.")
_CHIPS = {trust: MarkTitle(*TRUST[trust]) for trust in (Trust.SPOT_CHECKED, Trust.RUN)}


def mark_of(entry: Entry) -> MarkTitle:
    """The most important mark: that it is a control or goes by rules, how trustworthy it is, or
    otherwise where it comes from."""
    if entry.control:
        return MarkTitle(title_of(entry.control), meaning_of(entry.control))
    if entry.model.baseline:
        return _BASELINE
    return _CHIPS.get(entry.trust) or MARKS[entry.mark]


def asked_note(entry: Entry) -> str:
    """Shown beside its score everywhere: that not everything was asked. Empty if it was."""
    if entry.sample is None:
        return ""
    return gettext("%(percent)s %% asked") % {"percent": entry.sample.percent}


QUESTIONS: dict[str, str | Promise] = {  # what each task asks
    "passkey": _("Find a five-digit number hidden in noise."),
    "number_string": _("Find a ten-digit number (with repeated digits) hidden in noise."),
    "kv_retrieval": _(
        "Find the value of one key among the 2,500 key–value pairs of a JSON object."
    ),
    "longbook_sum_eng": _("Summarise an English novel."),
    "longbook_qa_eng": _("Answer a question about an English novel in a few words."),
    "longbook_choice_eng": _("Choose one of four answers to a question about an English novel."),
    "longbook_qa_chn": _("Answer a question about a Chinese novel in a few words."),
    "longdialogue_qa_eng": _("Name the masked speaker in an English script."),
    "code_debug": _("Find which of four functions in a large codebase contains an injected bug."),
    "code_run": _("Work out the return value of a chain of function calls in a long file."),
    "math_calc": _("Compute every intermediate result of a very long arithmetic expression."),
    "math_find": _("Find the largest, smallest or median number in a long list."),
}
ANSWERS: dict[Kind, str | Promise] = {  # what an answer is
    Kind.TEXT: _("one string, exact match"),
    Kind.TEXTS: _("one or more texts, any of which is correct"),
    Kind.CHOICE: _("one of four options, by its text or letter"),
    Kind.INTEGER: _("a whole number"),
    Kind.NUMBER: _("a number"),
    Kind.INTEGERS: _("a list of whole numbers"),
}
