"""Scores that say little: made for other data, or matched as their labels do not fit."""

from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from operator import or_

from django.db.models import Q
from django.utils.translation import ngettext

from portal.models import Evaluation
from portal.scores.findings import DOUBTS, findings_of
from portal.scores.marks import marks_of
from scoring.catalog import TASKS

SIGN = "†"  # in front of such a score, and of every mean that takes it in

Doubts = Mapping[str, str]  # by task: why its score says little, in the reader's language


def doubts_of(evaluations: Iterable[int]) -> dict[int, Doubts]:
    """Of those that have any, in one query. Of a hidden release nothing is told, since it would
    tell how many labels in a file are right."""
    doubtful = reduce(or_, (Q(problems__contains=[{"code": code}]) for code in sorted(DOUBTS)))
    public = Evaluation.objects.filter(pk__in=evaluations, submission__release__hidden=False)
    found = public.filter(doubtful).only("problems").order_by()
    return {one.pk: marks_of(findings_of(one, with_agreement=True)).doubts for one in found}


def doubt_about(tasks: Collection[str], doubts: Doubts) -> str:
    """Why the mean of these tasks says little; empty where it does not."""
    found = [task for task in tasks if task in doubts]
    if not found or len(tasks) == 1:
        return "".join(doubts[task] for task in found)
    said = ngettext(
        "the score of %(n)s task says little", "the scores of %(n)s tasks say little", len(found)
    )
    titles = ", ".join(TASKS[task].title for task in found)
    return f"{said % {'n': len(found)}}: {titles}"
