"""Runs by this site that have not asked everything: their scores are estimates from what was asked.

The questions that a run has asked are a random sample of all, by texts
(``scoring.endpoint.order``). So questions that it has not asked, or that have failed through our
fault, are left out of its scores: a question that was not asked has no wrong answer. If uploaded
files leave questions out, the official rules count these as 0.

``TaskScore.asked``, which is stored with the scores, alone decides what is a sample.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, F, Max, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from portal.models import (
    Evaluation,
    QuestionState,
    RunQuestion,
    ScoreVector,
    Submission,
    TaskScore,
)
from portal.scores.vectors import unpack_scores
from scoring.intervals import Design
from scoring.metrics import PAPER_SET

_RUN = "evaluation__submission__endpoint_run"
_FIXED = "smoke"  # a subset that is always the same


def percent_asked(asked: int, of: int) -> int:
    """Rounded down: 100 means all."""
    return 100 * asked // of if of else 0


class Sample(NamedTuple):
    """How many of its questions a run has asked."""

    asked: int
    size: int  # questions of all its tasks, also of tasks that it never reached
    is_random: bool = True  # else tests and intervals say nothing about the other questions

    @property
    def percent(self) -> int:
        return percent_asked(self.asked, self.size)


def samples_among(evaluations: Collection[int]) -> dict[int, Sample]:
    """The evaluations that are estimates from a part of the questions. One query."""
    partly = TaskScore.objects.filter(evaluation__in=evaluations, asked__isnull=False)
    rows = TaskScore.objects.filter(evaluation__in=partly.values("evaluation"))
    counts = (
        rows.filter(metric_set=PAPER_SET)  # the counts are the same under all
        .order_by()
        .values_list("evaluation")
        .annotate(
            n=Sum(Coalesce("asked", F("size"))),
            of=Coalesce(Max(f"{_RUN}__size"), Sum("size")),
            subset=Max(KeyTextTransform("subset", f"{_RUN}__settings")),
        )
    )
    return {
        evaluation: Sample(asked, size, is_random=subset != _FIXED)
        for evaluation, asked, size, subset in counts
    }


class Settled(NamedTuple):
    """The questions of a run by this site that say something about the model."""

    places: Mapping[str, Sequence[int]]  # by task, their indices in the data set, ascending
    is_random: bool  # else intervals say nothing about the other questions


def settled_questions(submission: Submission) -> Settled | None:
    """The questions that count, whether or not they have an answer; None: all, as for files."""
    run = getattr(submission, "endpoint_run", None)
    if run is None:
        return None
    counted = RunQuestion.objects.counted().filter(run=run)
    places: dict[str, list[int]] = {}
    rows = counted.order_by("task", "example__index").values_list("task", "example__index")
    for task, place in rows:
        places.setdefault(task, []).append(place)
    return Settled(places, is_random=run.settings.get("subset") != _FIXED)


def unasked_tasks(submissions: Collection[UUID]) -> dict[UUID, frozenset[str]]:
    """By submission, the tasks that its run was to ask but never reached. One query."""
    found: dict[UUID, set[str]] = {}
    questions = RunQuestion.objects.filter(run__submission__in=submissions).order_by()
    counts = questions.values_list("run__submission", "task").annotate(
        ended=Count("pk", filter=Q(state=QuestionState.ENDED))
    )
    for submission, task, ended in counts:
        if not ended:
            found.setdefault(submission, set()).add(task)
    return {submission: frozenset(tasks) for submission, tasks in found.items()}


def asked_flags(evaluation: Evaluation) -> dict[str, list[bool]]:
    """For each task that was asked in part, whether each question of the data set was asked."""
    rows = ScoreVector.objects.filter(
        task_score__evaluation=evaluation,
        task_score__metric_set=PAPER_SET,
        task_score__asked__isnull=False,
    )
    return {
        task: [not math.isnan(score) for score in unpack_scores(packed).tolist()]
        for task, packed in rows.values_list("task_score__task", "scores")
    }


def part_of_design(design: Design, places: Sequence[int]) -> Design:
    """The design of these questions only. Their shares by stratum are not those of the whole task,
    so the strata are dropped: intervals are a little wider than they could be, but valid."""
    return Design(texts=design.texts and [design.texts[place] for place in places])
