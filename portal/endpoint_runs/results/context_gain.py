"""What a model gains from the contexts: its scores compared with those of its closed-book entry."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from portal.models import EndpointRun, Evaluation, Submission
from portal.scores.comparison.differences import Difference, comparison_among
from portal.scores.controls import Control, submissions_of
from portal.scores.samples import samples_among
from portal.scores.vectors import on_shared_questions, read_vectors
from scoring.catalog import BOARD_ORDER, TASKS
from scoring.endpoint.templates import Strategy


class TaskGain(NamedTuple):
    task: str  # empty: the mean of all
    difference: Difference

    @property
    def title(self) -> str:
        return TASKS[self.task].title if self.task else ""


class TaskWithoutGain(NamedTuple):
    task: str
    own: int  # questions that are scored
    closed_book: int
    shared: int

    @property
    def title(self) -> str:
        return TASKS[self.task].title


class ContextGain(NamedTuple):
    closed_book: Submission
    is_run_by_us: bool
    rows: list[TaskGain]  # the mean first, where both have all tasks
    missing: list[TaskWithoutGain]


def context_gain(run: EndpointRun, evaluation: Evaluation, metric_set: str) -> ContextGain | None:
    """Compared on the questions that both were asked. None if the model has no published
    closed-book entry on the same release, or if the run is closed-book itself."""
    if run.settings.get("strategy") == Strategy.CLOSED_BOOK:
        return None
    other = _closed_book_of(evaluation.submission)
    if other is None:
        return None
    number = vars(other)["current_evaluation"]
    found = read_vectors([evaluation.pk, number], metric_set)
    is_run_by_us = EndpointRun.objects.filter(submission=other).exists()
    own = found.get(evaluation.pk, {})
    with_context, without = on_shared_questions(own, found.get(number, {}))
    shared = [task for task in BOARD_ORDER if task in with_context]
    compare = comparison_among(samples_among([evaluation.pk, number]).values())
    rows = [
        TaskGain(task, difference)
        for task in shared
        if (difference := compare(with_context, without, [task]))
    ]
    overall = compare(with_context, without, shared) if len(shared) > 1 else None
    if overall and len(shared) == len(own):
        rows.insert(0, TaskGain("", overall))
    compared = {row.task for row in rows}
    theirs = found.get(number, {})
    missing = [
        TaskWithoutGain(
            task,
            len(own[task].scores) if task in own else 0,
            len(theirs[task].scores) if task in theirs else 0,
            len(with_context[task].scores) if task in with_context else 0,
        )
        for task in BOARD_ORDER
        if (task in own or task in theirs) and task not in compared
    ]
    return ContextGain(other, is_run_by_us, rows, missing) if rows or missing else None


def _closed_book_of(submission: Submission) -> Submission | None:
    """The newest closed-book entry of the same model."""
    same = Submission.objects.published().filter(
        language_model=submission.language_model, release=submission.release
    )
    current = Evaluation.objects.current_of(OuterRef("pk"))
    found = same.filter(submissions_of(Control.NO_CONTEXT)).annotate(current_evaluation=current)
    return found.filter(current_evaluation__isnull=False).order_by("-created", "pk").first()


def evidence_only_of(evaluations: Collection[int]) -> dict[int, int]:
    """Maps each evaluation to that of the model's newest published entry on the same release which
    was given the evidence alone. One query."""
    control = Submission.objects.published().filter(
        submissions_of(Control.EVIDENCE_ONLY),
        language_model=OuterRef("submission__language_model"),
        release=OuterRef("submission__release"),
    )
    newest = control.order_by("-created", "pk").values("pk")[:1]
    current = Evaluation.objects.current_of(OuterRef("control"))
    found = Evaluation.objects.filter(pk__in=evaluations).annotate(control=Subquery(newest))
    rows = found.annotate(of_control=current).values_list("pk", "of_control").order_by()
    return {own: other for own, other in rows if other is not None and other != own}
