"""Unreliable scores: the files were made for other data, or their labels refute how they were
matched."""

from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Case, F, Q, When

from portal.scores.documents.findings import UNRELIABLE, finding_of
from portal.scores.documents.table import task_notes
from scoring.catalog import TASKS
from scoring.text.plurals import plural

CAVEAT_SIGN = "†"  # in front of an unreliable score, and of every mean that includes one

Caveats = Mapping[str, str]  # by task: why its score is unreliable, in the reader's language


_IS_UNRELIABLE = reduce(
    or_, (Q(problems__contains=[{"code": code}]) for code in sorted(UNRELIABLE))
)
_IS_PUBLIC = Q(submission__release__hidden=False)
# The problems of an evaluation with unreliable scores; null for all others. For hidden releases
# nothing is reported: it would disclose how many labels in a file are right.
UNRELIABLE_PROBLEMS = Case(When(_IS_UNRELIABLE & _IS_PUBLIC, then=F("problems")))


def caveats_in(problems: Iterable[Mapping[str, Any]]) -> Caveats:
    return task_notes(map(finding_of, problems)).caveats


def caveat_of_mean(tasks: Collection[str], caveats: Caveats) -> str:
    """Why the mean of these tasks is unreliable; empty if it is not."""
    if not caveats:
        return ""
    found = [task for task in tasks if task in caveats]
    if not found or len(tasks) == 1:
        return "".join(caveats[task] for task in found)
    scores = plural(len(found), "task score is", "task scores are")
    titles = ", ".join(TASKS[task].title for task in found)
    return f"{len(found)} {scores} unreliable: {titles}"
