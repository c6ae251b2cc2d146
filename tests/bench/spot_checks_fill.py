"""1,000 published entries in the database of the settings, and a spot check of one of them that has
asked as many questions as usual.

``python -m tests.bench.spot_checks_fill`` prints how many seconds of processor it takes to find
which of the others comes nearest. Every entry has the predictions of one real model, each for
another example of the task. No two of one example are the same, which is the slowest case.
"""

import json
import time

import django

django.setup()  # before any model can be imported

from django.db import connection, transaction  # noqa: E402

from portal.endpoint_runs.spot_checks.checks import _draw, _nearest  # noqa: E402
from portal.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    Example,
    LanguageModel,
    Release,
    SpotCheck,
    SpotCheckQuestion,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.releases.importer import import_release  # noqa: E402
from scoring.endpoint.spot_check import COMPARED  # noqa: E402
from tests.support.contexts import store_context  # noqa: E402
from tests.support.paths import DATA  # noqa: E402

_OWNER = "carol"
_ENTRIES = 1_000
_ASKED = 25
_EXAMPLES = 12  # of each task, with which the check can be drawn
_COPY = (
    "COPY portal_resultblock (evaluation_id, task, block, predictions, strict, official_2024_06, "
    "official_2024_09) FROM STDIN"
)


def seconds_to_find_the_nearest() -> float:
    release = import_release(DATA / "gold" / "hf", slug="hf", title="Labels")
    context = store_context("A text.")
    Example.objects.filter(data_set__releases=release).update(context=context)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE portal_evaluation DISABLE TRIGGER scored_means_scores")
        with transaction.atomic():
            entry = _fill(release)
        cursor.execute("ALTER TABLE portal_evaluation ENABLE TRIGGER scored_means_scores")
        cursor.execute("VACUUM ANALYZE")
    check = _check(entry)
    begun = time.process_time()
    nearest, agreed = _nearest(check)
    seconds = time.process_time() - begun
    if nearest is None or not agreed:
        raise ValueError("no entry was compared")
    return seconds


def _fill(release: Release) -> Submission:
    """Returns the first entry."""
    owner = User.objects.create(username=_OWNER)
    models = LanguageModel.objects.bulk_create(
        [LanguageModel(slug=f"model-{n}", name=f"Model {n}") for n in range(_ENTRIES)]
    )
    entries = Submission.objects.bulk_create(
        [
            Submission(
                owner=owner, language_model=one, release=release, state=SubmissionState.PUBLISHED
            )
            for one in models
        ]
    )
    evaluations = Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=one,
                state=EvaluationState.SCORED,
                signature={"scorer": "0", "metric_sets": ["strict"]},
                finished=one.created,
                predictions_hash=one.pk.hex * 2,
            )
            for one in entries
        ]
    )
    sets = [one for one in release.data_sets.all() if one.task in COMPARED]
    TaskScore.objects.bulk_create(
        [_score(evaluation, one) for evaluation in evaluations for one in sets], batch_size=5_000
    )
    with connection.cursor() as cursor, cursor.copy(_COPY) as rows:
        for one in sets:
            texts = _predictions(one.task)
            for shift, evaluation in enumerate(evaluations):
                found = []
                for index in range(min(_EXAMPLES, one.size)):
                    turn, place = divmod(index + shift, len(texts))
                    found.append(texts[place] + turn * " ")
                nothing = [0.0] * len(found)
                rows.write_row((evaluation.pk, one.task, 0, found, nothing, nothing, nothing))
    return entries[0]


def _score(evaluation: Evaluation, data_set: TaskDataSet) -> TaskScore:
    return TaskScore(
        evaluation=evaluation,
        task=data_set.task,
        metric_set="strict",
        data_set=data_set,
        mean=50.0,
        size=data_set.size,
        answered=data_set.size,
        unknown=0,
    )


def _predictions(task: str) -> list[str]:
    file = DATA / "results" / "gpt4" / f"preds_{task}.jsonl"
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return [str(row["prediction"]) for row in rows]


def _check(entry: Submission) -> SpotCheck:
    by = User.objects.get(username=_OWNER)
    check = SpotCheck.objects.create(submission=entry, requested_by=by, settings={}, seed="seed")
    asked = _draw(check)[:_ASKED]
    for one in asked:
        one.agrees = True
    SpotCheckQuestion.objects.bulk_create(asked)
    return check


if __name__ == "__main__":
    print(seconds_to_find_the_nearest())
