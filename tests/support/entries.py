"""Entries for tests: in the database, and as plain values."""

from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import transaction
from django.db.models.functions import Now

from leaderboard.entries import Entry, Mark, Model
from portal.models import (
    Evaluation,
    EvaluationState,
    ExampleResult,
    LanguageModel,
    Release,
    ReportedEntry,
    ReportedScore,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.scores.scores import Score
from scoring.catalog import TASKS
from scoring.metrics import METRIC_SETS

ALL = dict.fromkeys(TASKS, 50.0)  # percent
SIZE = 4  # examples of a task


def release_of_all_tasks(slug: str = "hf", *, official: bool = True) -> Release:
    """A release whose data sets say that they have a few examples each."""
    release = Release.objects.create(slug=slug, title=f"Release {slug}", official=official)
    release.data_sets.set(data_sets(slug))
    return release


def data_sets(name: str) -> list[TaskDataSet]:
    made = [
        TaskDataSet(task=task.id, size=SIZE, labels_hash=f"{name}-{task.id}", questions_hash="")
        for task in TASKS.values()
    ]
    return TaskDataSet.objects.bulk_create(made)


def model(name: str, **more: str) -> LanguageModel:
    """The language model of this name, also for a second time."""
    slug = name.lower().replace(" ", "-")
    return LanguageModel.objects.get_or_create(slug=slug, defaults={"name": name, **more})[0]


def published(
    owner: User | None,
    release: Release,
    name: str,
    scores: Mapping[str, float],
    *,
    state: SubmissionState = SubmissionState.PUBLISHED,
    origin: str = Submission.Origin.UPLOADED,
) -> Submission:
    """As it stands in the database after its way through scoring and review."""
    submission = Submission.objects.create(
        owner=owner,
        language_model=model(name),
        release=release,
        state=state,
        origin=origin,
        upload="none",
        upload_size=0,
    )
    score(submission, scores)
    return submission


@transaction.atomic
def score(submission: Submission, scores: Mapping[str, float]) -> Evaluation:
    """One more evaluation; under ``strict`` every score is half of what it is elsewhere."""
    evaluation = Evaluation.objects.create(
        submission=submission, state=EvaluationState.SCORED, signature={}, finished=Now()
    )
    sets = {data_set.task: data_set for data_set in submission.release.data_sets.all()}
    rows = [
        TaskScore(
            evaluation=evaluation,
            task=task,
            metric_set=name,
            data_set=sets[task],
            mean=percent / (2 if name == "strict" else 1),
            stderr=(percent * (100 - percent) / sets[task].size) ** 0.5,
            size=sets[task].size,
            answered=sets[task].size,
            unknown=0,
        )
        for task, percent in scores.items()
        for name in METRIC_SETS
    ]
    TaskScore.objects.bulk_create(rows)
    ExampleResult.objects.bulk_create(
        ExampleResult(evaluation=evaluation, task=task, index=index)
        for task in scores
        for index in range(sets[task].size)
    )
    return evaluation


def doubt(submission: Submission, task: str) -> None:
    """Its files of this task were made for other data."""
    problem = {
        "code": "labels_of_other_data", "severity": "warning", "task": task, "file": "preds.jsonl",
        "line": None, "message": "Other data.", "fix": "Find out.",
        "params": {"differ": SIZE, "labelled": SIZE},
    }  # fmt: skip
    submission.evaluations.update(problems=[problem])


def reported(name: str, scores: Mapping[str, float], source: str = "A paper") -> ReportedEntry:
    entry = ReportedEntry.objects.create(language_model=model(name), source=source)
    ReportedScore.objects.bulk_create(
        ReportedScore(entry=entry, task=task, percent=percent) for task, percent in scores.items()
    )
    return entry


def plain(name: str, scores: Mapping[str, float], mark: Mark = Mark.SCORED, id_: str = "") -> Entry:
    """An entry that no database knows."""
    return Entry(
        id=id_ or name,
        mark=mark,
        model=Model(name, name),
        scores={task: Score(percent, 1.0, 10, 10) for task, percent in scores.items()},
        created=datetime(2026, 1, 1, tzinfo=UTC),
    )
