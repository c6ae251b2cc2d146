"""Texts of the public pages: marks, what each task asks, kinds of answers."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.entries import Mark
from scoring.catalog import Kind


class MarkTitle(NamedTuple):
    glyph: str  # with the title or alone
    title: str | Promise
    meaning: str | Promise


MARKS: dict[Mark, MarkTitle] = {
    Mark.SCORED: MarkTitle(
        "●", _("scored here"), _("Predictions scored here against the labels of this release.")
    ),
    Mark.HISTORICAL: MarkTitle(
        "◐",
        _("historical"),
        _("Released files, scored here against the labels that they carry: data of their own."),
    ),
    Mark.REPORTED: MarkTitle(
        "○",
        _("reported"),
        _("Numbers typed from a paper or a model card, with their source. Nobody checked them."),
    ),
}

QUESTIONS: dict[str, str | Promise] = {  # what each task asks
    "passkey": _("Find a number of five digits that is hidden in noise."),
    "number_string": _("Find a number of ten digits, with repeated ones, that is hidden in noise."),
    "kv_retrieval": _("Find the value of one key among 2,500 pairs of a JSON object."),
    "longbook_sum_eng": _("Summarise an English novel."),
    "longbook_qa_eng": _("Answer a question about an English novel in a few words."),
    "longbook_choice_eng": _("Choose one of four answers to a question about an English novel."),
    "longbook_qa_chn": _("Answer a question about a Chinese novel in a few words."),
    "longdialogue_qa_eng": _("Say who the speaker is whose name was masked in an English script."),
    "code_debug": _("Choose which of four functions of a large code base has a bug put into it."),
    "code_run": _("Work out what a chain of function calls in a long file returns."),
    "math_calc": _("Give every intermediate value of a very long sum."),
    "math_find": _("Find the largest, smallest or middle one among many numbers."),
}
KINDS: dict[Kind, str | Promise] = {  # what an answer is
    Kind.TEXT: _("one string, compared exactly"),
    Kind.TEXTS: _("one or more texts, any of which is right"),
    Kind.CHOICE: _("one of four options, by its text or letter"),
    Kind.INTEGER: _("a whole number"),
    Kind.NUMBER: _("a number"),
    Kind.INTEGERS: _("a list of whole numbers"),
}
