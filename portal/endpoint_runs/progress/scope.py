"""Which of the questions a run asks, and so what its score says."""

from enum import StrEnum

from django.db.models import Sum

from portal.models import EndpointRun


class Scope(StrEnum):
    ALL = "all"  # questions of its tasks
    SAMPLE = "sample"  # drawn at random
    FIXED = "fixed"  # the smoke test: always the same, so they say nothing about the others


def has_fixed_questions(run: EndpointRun) -> bool:
    return bool(run.settings.get("subset") == "smoke")


def scope_of(run: EndpointRun) -> Scope:
    """``run`` has started. A sample may turn out to be all questions. Two queries."""
    tasks = run.settings.get("tasks", [])
    sizes = run.release.data_sets.filter(task__in=tasks).aggregate(total=Sum("size"))
    if run.questions.count() >= (sizes["total"] or 0):
        return Scope.ALL
    return Scope.FIXED if has_fixed_questions(run) else Scope.SAMPLE
