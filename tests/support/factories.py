"""Submissions, entries and releases in the database, made in one line each."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.db.models.functions import Now

from leaderboard.entries import Entry, Mark, Model
from portal.entry_slugs import assign_slug
from portal.evaluations.leases import claim_evaluation
from portal.evaluations.results import store_outcome
from portal.models import (
    AnswerCheck,
    EndpointRun,
    Evaluation,
    EvaluationState,
    LanguageModel,
    Original,
    Release,
    ReportedEntry,
    ReportedScore,
    RunFailure,
    RunQuestion,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.models import Example as ReleaseExample
from portal.review.services import request_publication
from portal.scores.estimates import BySet, estimate_scores
from portal.scores.samples import Settled
from portal.scores.scores import Score
from portal.submissions.files.originals import KeptFile, Upload
from portal.submissions.services import SubmissionSettings, submit_predictions
from scoring.catalog import TASKS
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.settings_file import settings_text
from scoring.metrics import METRIC_SETS
from scoring.predictions.reader import Predictions
from scoring.report import report_json
from scoring.sandbox.results_file import Example, read_examples, write_examples
from scoring.score import score
from tests.support.example_results import add_results
from tests.support.sandbox import files_in
from tests.support.worlds import file_of, gold_of, row


def packed(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def packed_folder(folder: Path) -> bytes:
    return packed({name: file.read_bytes() for name, file in files_in(folder).items()})


def model_of(owner: User) -> LanguageModel:
    return LanguageModel.objects.get_or_create(
        slug=f"model-of-{owner.username}", defaults={"name": "Model", "owner": owner}
    )[0]


def make_submission(
    owner: User,
    release: Release,
    upload: "bytes | File[bytes]",
    name: str = "preds.zip",
) -> Submission:
    return submit_predictions(
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=SubmissionSettings(prompt_strategy="as published"),
        upload=Upload(ContentFile(upload) if isinstance(upload, bytes) else upload, name),
    )


def make_version(
    previous: Submission, kept: list[str], upload: bytes | None = None, name: str = "new.zip"
) -> Submission:
    """A new version of a submission with one file, from which these tasks are kept."""
    assert previous.owner
    return submit_predictions(
        owner=previous.owner,
        language_model=previous.language_model,
        release=previous.release,
        settings=SubmissionSettings(),
        upload=None if upload is None else Upload(ContentFile(upload), name),
        kept=[KeptFile(original_of(previous), kept)],
        previous=previous,
    )


def original_of(submission: Submission) -> Original:
    """The only original of the submission."""
    return submission.files.get().original


def only_evaluation(submission: Submission) -> Evaluation:
    return submission.evaluations.get()


class Outcome(NamedTuple):
    document: dict[str, Any]
    examples: list[Example]


def outcome() -> Outcome:
    """The sandbox's result for a right answer to the only Code.Run example of the small release."""
    gold = {"code_run": gold_of("code_run", {0: 4})}
    predictions = Predictions({"code_run": file_of("code_run", [row(0, "4")])}, [], "0" * 64)
    report = score(predictions, gold)
    stream = io.BytesIO()
    write_examples(report, predictions, gold, stream)
    stream.seek(0)
    document = json.loads(json.dumps(report_json(report)))
    return Outcome(document, list(read_examples(stream)))


def as_if_scored(submission: Submission) -> Submission:
    waiting = submission.evaluations.get(state=EvaluationState.QUEUED)
    lease = claim_evaluation(waiting.pk)
    assert lease
    store_outcome(lease, *outcome(), level="strong")
    return submission


def requested(submission: Submission, *, by: User) -> Submission:
    """Request its publication, as an author who does not know the settings."""
    return request_publication(submission, by=by, unknown_confirmed=True)


def checked(submission: Submission) -> Submission:
    """As if its newest answers had been compared, and nothing stood out."""
    newest = submission.evaluations.scored()[:1].get()
    AnswerCheck.objects.update_or_create({"compared": 0}, evaluation=newest)
    return submission


ALL = dict.fromkeys(TASKS, 50.0)  # percent
_Named = TypeVar("_Named", Submission, ReportedEntry)


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


def with_slug(entry: _Named) -> _Named:
    """As the services leave it: with a slug if it is or was public."""
    if isinstance(entry, ReportedEntry) or entry.state in ("published", "hidden"):
        with transaction.atomic():
            assign_slug(entry)
    return entry


def judged(
    owner: User | None,
    release: Release,
    scores: Mapping[str, float] = ALL,
    name: str = "Model",
    **columns: object,
) -> Submission:
    """A private submission with one evaluation; ``columns`` belong to the submission."""
    submission = Submission.objects.create(
        owner=owner,
        origin="uploaded" if owner else "historical",
        language_model=language_model(name, owner),
        release=release,
        **columns,
    )
    with_slug(submission)
    judge(submission, scores)
    return submission


def judge(
    submission: Submission, scores: Mapping[str, float], *, predictions_hash: str = ""
) -> Evaluation:
    """Add an evaluation; its predictions are unique unless their hash is given."""
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
        add_results(evaluation, dict.fromkeys(scores, 1), "")
    return evaluation


def _signature(submission: Submission, scores: Iterable[str], digest: str) -> dict[str, object]:
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
            public_percent=round(percent),  # used where the release is hidden
        )
        for task, percent in scores.items()
        for name in METRIC_SETS
    ]


SIZE = 4  # examples in each task


def release_of_all_tasks(slug: str = "hf", *, official: bool = True) -> Release:
    """A release whose data sets claim a few examples each; there are no rows for these."""
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
    """The language model of this name, made on first use."""
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
    **columns: object,
) -> Submission:
    """A submission as scoring and review leave it in the database; ``columns`` belong to the
    submission."""
    submission = Submission.objects.create(
        owner=owner,
        language_model=model(name),
        release=release,
        state=state,
        origin=origin,
        **columns,
    )
    with_slug(submission)
    add_scores(submission, scores)
    return submission


def add_scores(submission: Submission, scores: Mapping[str, float]) -> Evaluation:
    """Add an evaluation; under ``strict`` every score is half of that under other metric sets."""
    sizes = {data_set.task: data_set.size for data_set in submission.release.data_sets.all()}
    percents = {
        (task, name): percent / (2 if name == "strict" else 1)
        for task, percent in scores.items()
        for name in METRIC_SETS
    }
    columns = {
        task: {name: scores_with_mean(percents[task, name], sizes[task]) for name in METRIC_SETS}
        for task in scores
    }
    return add_answers(submission, columns, percents)


@transaction.atomic
def add_answers(
    submission: Submission,
    columns: Mapping[str, BySet],
    percents: Mapping[tuple[str, str], float] | None = None,
    asked: Mapping[str, Sequence[int]] | None = None,
) -> Evaluation:
    """Add an evaluation with these scores of its answers; ``percents`` are their exact means. If
    a run has ``asked`` only these questions, by task, the others do not count."""
    evaluation = Evaluation.objects.create(
        submission=submission,
        state=EvaluationState.SCORED,
        signature=_signature(submission, columns, ""),
        finished=Now(),
    )
    sets = {data_set.task: data_set for data_set in submission.release.data_sets.all()}
    settled = None if asked is None else Settled(asked, is_random=True)
    stored = estimate_scores(evaluation, columns, sets, dict.fromkeys(columns, 0), settled)
    if percents:
        for one in stored.task_scores:
            one.mean = percents[one.task, one.metric_set]
    stored.create()
    add_results(evaluation, {task: sets[task].size for task in columns})
    return evaluation


def add_examples(release: Release) -> None:
    """Add examples to its data sets: comparisons pair their questions."""
    ReleaseExample.objects.bulk_create(
        ReleaseExample(data_set=data_set, index=index, key=str(index), label=["x"])
        for data_set in release.data_sets.all()
        for index in range(data_set.size)
    )


def scores_with_mean(percent: float, size: int) -> list[float]:
    """Right answers first, then one that is partly right, then wrong ones."""
    right, rest = divmod(percent * size / 100, 1)
    return ([1.0] * int(right) + [rest] + [0.0] * size)[:size]


def endpoint_run(
    owner: User,
    release: Release,
    name: str = "Model",
    *,
    settings: Mapping[str, Any] | None = None,
    submission: Submission | None = None,
    **columns: object,
) -> EndpointRun:
    """A run with a question for each example of the release, in its order; ``settings`` override
    those of a small endpoint. With a submission, the run has ended and the answers are its."""
    chosen = RunSettings("https://endpoint.example/v1", "served-model", **(settings or {}))
    done = {"state": "ended", "ending": "finished", "ended": Now(), "handed_in": Now()}
    ended = done if submission else {}
    found = EndpointRun.objects.create(
        owner=owner,
        language_model=submission.language_model if submission else model(name),
        release=release,
        settings=yaml.safe_load(settings_text(chosen)),
        submission=submission,
        **{**ended, **columns},
    )
    examples = ReleaseExample.objects.filter(
        data_set__releases=release, data_set__task__in=chosen.tasks
    )
    ordered = examples.order_by("data_set", "index").select_related("data_set")
    EndpointRun.objects.filter(pk=found.pk).update(size=len(ordered))
    RunQuestion.objects.bulk_create(
        RunQuestion(run=found, place=place, example=one, task=one.data_set.task)
        for place, one in enumerate(ordered)
    )
    return found


def end_question(
    run: EndpointRun, place: int, outcome: str = "answered", text: str = "", **columns: object
) -> RunQuestion:
    """The question after its answer has arrived, or after it has got none."""
    values: dict[str, object] = {
        "state": "ended", "outcome": outcome, "text": text, "attempts": 1, "counted": 4_000,
        "sight": "whole", "ended_at": Now(), "first_token": 0.5, "seconds": 1.0,
    }  # fmt: skip
    run.questions.filter(place=place).update(**(values | columns))
    return run.questions.get(place=place)


def failed_attempt(question: RunQuestion, kind: str, detail: str = "") -> RunFailure:
    return RunFailure.objects.create(
        run=question.run, question=question, attempt=1, kind=kind, detail=detail
    )


def doubt(submission: Submission, task: str) -> None:
    """Mark its files of this task as made for other data."""
    problem = {
        "code": "labels_of_other_data", "severity": "warning", "task": task, "file": "preds.jsonl",
        "line": None, "message": "Other data.", "fix": "Find out.",
        "params": {"differ": SIZE, "labelled": SIZE},
    }  # fmt: skip
    submission.evaluations.update(problems=[problem])


def reported(name: str, scores: Mapping[str, float], source: str = "A paper") -> ReportedEntry:
    entry = with_slug(ReportedEntry.objects.create(language_model=model(name), source=source))
    ReportedScore.objects.bulk_create(
        ReportedScore(entry=entry, task=task, percent=percent) for task, percent in scores.items()
    )
    return entry


def plain(name: str, scores: Mapping[str, float], mark: Mark = Mark.SCORED, id_: str = "") -> Entry:
    """An entry that is not in the database."""
    return Entry(
        id=id_ or name,
        mark=mark,
        model=Model(name, name),
        scores={task: Score(percent, 1.0, 10, 10) for task, percent in scores.items()},
        created=datetime(2026, 1, 1, tzinfo=UTC),
    )
