"""Submissions with the scores that a test wants, as if their files had been scored."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models.functions import Now

from portal.models import (
    Evaluation,
    EvaluationState,
    ExampleResult,
    LanguageModel,
    Release,
    Submission,
    TaskDataSet,
    TaskScore,
    User,
)
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS

ALL = dict.fromkeys(TASKS, 50.0)  # percent


def whole_release(slug: str = "whole") -> Release:
    """A release of all tasks, with one example each."""
    release = Release.objects.create(slug=slug, title=f"Release {slug}")
    rows = [TaskDataSet(task=task, size=1, labels_hash=slug, questions_hash="") for task in TASKS]
    release.data_sets.set(TaskDataSet.objects.bulk_create(rows))
    return release


def language_model(name: str, owner: User | None) -> LanguageModel:
    slug = f"{name}-of-{owner.username if owner else 'site'}".lower().replace(" ", "-")
    found = {"name": name, "owner": owner}
    return LanguageModel.objects.get_or_create(slug=slug, defaults=found)[0]


def judged(
    owner: User | None,
    release: Release,
    scores: Mapping[str, float] = ALL,
    name: str = "Model",
    **columns: object,
) -> Submission:
    """Private, with one evaluation; ``columns`` are of the submission."""
    submission = Submission.objects.create(
        owner=owner,
        origin="uploaded" if owner else "historical",
        language_model=language_model(name, owner),
        release=release,
        upload="none",
        upload_name="preds.zip",
        upload_size=0,
        **columns,
    )
    judge(submission, scores)
    return submission


def judge(
    submission: Submission, scores: Mapping[str, float], *, predictions_hash: str = ""
) -> Evaluation:
    """One more evaluation; its predictions are like no others unless their hash is given."""
    digest = predictions_hash or submission.pk.hex * 2
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            submission=submission,
            state=EvaluationState.SCORED,
            signature=_signature(submission, scores, digest),
            finished=Now(),
            predictions_hash=digest,
            sandbox_level="strong",
        )
        TaskScore.objects.bulk_create(_task_scores(evaluation, scores))
        ExampleResult.objects.bulk_create(
            ExampleResult(evaluation=evaluation, task=task, index=0, prediction="")
            for task in scores
        )
    return evaluation


def _signature(
    submission: Submission, scores: Mapping[str, float], digest: str
) -> dict[str, object]:
    labels = {"labels": submission.release.slug, "questions": ""}
    return {
        "scorer": "0",
        "metric_sets": list(METRIC_SETS),
        "input": digest,
        "gold": dict.fromkeys(scores, labels),
        "aligned": dict.fromkeys(scores, "id"),
        "drop_first": submission.drop_first,
    }


def _task_scores(evaluation: Evaluation, scores: Mapping[str, float]) -> list[TaskScore]:
    sets = {data.task: data for data in evaluation.submission.release.data_sets.all()}
    return [
        TaskScore(
            evaluation=evaluation,
            task=task,
            metric_set=name,
            data_set=sets[task],
            mean=percent,
            size=1,
            answered=1,
            unknown=0,
            public_percent=round(percent),  # which counts where the release is hidden
        )
        for task, percent in scores.items()
        for name in METRIC_SETS
    ]
