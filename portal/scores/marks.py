"""What a table of scores says beside the scores of a task, or in their place."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.scores.findings import DOUBTS, Finding
from portal.scores.messages import filled

_DOUBTS: dict[str, str | Promise] = {
    "labels_of_other_data": _(
        "made for other data: {differ} of {labelled} labels in the file differ; the score says "
        "little"
    ),
    "labels_fit_otherwise": _(
        "matched by {method}, but by {other} {better} of {labelled} labels would fit; the score "
        "says little"
    ),
}
_NEITHER: dict[str, str | Promise] = {"two_files_for_task": _("two files: neither counts")}


class Marks(NamedTuple):
    """By task."""

    doubts: Mapping[str, str]  # why its score says little
    unread: Mapping[str, str | Promise]  # why it has no score, although it was handed in


NO_MARKS = Marks({}, {})


def marks_of(findings: Iterable[Finding]) -> Marks:
    """Of every task that has a doubt or an error. What is wrong with the rows of two files does
    not matter, where neither counts."""
    doubts: dict[str, str] = {}
    unread: dict[str, str | Promise] = {}
    for finding in findings:
        task, code = finding["task"], finding["code"]
        if code in DOUBTS:
            doubts.setdefault(task, filled(_DOUBTS[code], finding) or finding["message"])
        elif code in _NEITHER:
            unread[task] = _NEITHER[code]
        elif finding["severity"] == "error":
            unread.setdefault(task, _("could not be read"))
    return Marks(doubts, unread)
