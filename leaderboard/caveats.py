"""Unreliable scores: of files made for other data, or matched in a way that their labels refute."""

from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from operator import or_

from django.db.models import Q
from django.utils.translation import gettext, ngettext

from portal.models import Evaluation
from portal.scores.findings import UNRELIABLE, findings_of
from portal.scores.table import task_notes
from scoring.catalog import TASKS

CAVEAT_SIGN = "†"  # in front of an unreliable score, and of every mean that includes one

Caveats = Mapping[str, str]  # by task: why its score is unreliable, in the reader's language


def unreliable_scores(evaluations: Iterable[int]) -> dict[int, Caveats]:
    """By evaluation, only those that have any; in one query.

    Of hidden releases nothing is reported: it would disclose how many labels in a file are right.
    """
    unreliable = reduce(
        or_, (Q(problems__contains=[{"code": code}]) for code in sorted(UNRELIABLE))
    )
    public = Evaluation.objects.filter(pk__in=evaluations, submission__release__hidden=False)
    found = public.filter(unreliable).only("problems").order_by()
    return {one.pk: task_notes(findings_of(one, with_agreement=True)).caveats for one in found}


def caveat_of_mean(tasks: Collection[str], caveats: Caveats) -> str:
    """Why the mean of these tasks is unreliable; empty if it is not."""
    found = [task for task in tasks if task in caveats]
    if not found or len(tasks) == 1:
        return "".join(caveats[task] for task in found)
    sentence = ngettext(
        "%(n)s task score is unreliable", "%(n)s task scores are unreliable", len(found)
    )
    titles = gettext(", ").join(TASKS[task].title for task in found)
    return f"{sentence % {'n': len(found)}}: {titles}"
