"""10,000 submissions of 1,000 language models for the database of the settings.

``python -m tests.bench.boards.fill PUBLISHED`` in its own process; the published ones are scattered
among the others, at most one of each model.
"""

import json
import sys
from datetime import UTC, datetime, timedelta
from random import Random

import django

django.setup()  # before any model can be imported

from django.db import connection, transaction  # noqa: E402

from portal.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    LanguageModel,
    Release,
    Submission,
    SubmissionState,
    User,
)
from scoring.catalog import TASKS  # noqa: E402
from scoring.intervals import wilson  # noqa: E402
from scoring.metrics import METRIC_SETS  # noqa: E402
from scoring.stats import Z_95  # noqa: E402
from tests.support.factories import release_of_all_tasks  # noqa: E402

MODELS, OF_EACH_MODEL = 1_000, 10
_SEED = 20_251
_FAMILIES = (  # invented, so that no number can be mistaken for a real one
    "Alder", "Basalt", "Cormorant", "Dunlin", "Ember Long", "Fathom", "Garnet", "Heron",
    "Iris Context", "Juniper",
)  # fmt: skip
_VARIANTS = ("Instruct 128K", "Chat 1M", "Base", "Reasoning")
_EXAMPLES = 300  # of a task; the released ones have 103 to 750
_COPY = (
    "COPY portal_taskscore (evaluation_id, task, metric_set, data_set_id, mean, stderr, low, high, "
    "interval_method, covariances, size, answered, unknown, public_width, is_previous_best) "
    "FROM STDIN"
)
_CORRELATION = 0.1  # of the scores of two tasks, whose examples share texts


def fill(published: int) -> None:
    """Without the result of a single example, which the database would not accept otherwise."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE portal_evaluation DISABLE TRIGGER scored_means_scores")
        with transaction.atomic():
            _fill(published)
        cursor.execute("ALTER TABLE portal_evaluation ENABLE TRIGGER scored_means_scores")
        cursor.execute("VACUUM ANALYZE")


def _fill(published: int) -> None:
    random = Random(_SEED)
    release = release_of_all_tasks()
    submissions = _submissions(_models(random), release, published, random)
    evaluations = Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=one,
                state=EvaluationState.SCORED,
                signature=_signature(one),
                problems=[_note(number) for number in range(5)],
                created=one.created,
                finished=one.created,
                predictions_hash=one.pk.hex * 2,
            )
            for one in submissions
        ],
        batch_size=2_000,
    )
    _copy_scores(release, [one.pk for one in evaluations], random)


def _models(random: Random) -> list[LanguageModel]:
    found = []
    for number in range(MODELS):
        family, variant = _FAMILIES[number % 10], _VARIANTS[number // 10 % 4]
        name = f"{family} {number // 40 + 1}B {variant}"
        found.append(
            LanguageModel(
                slug=name.lower().replace(" ", "-"),
                name=name,
                organisation=f"{family} Research",
                weights=random.choice(("open", "closed", "")),
                parameters=f"{number // 40 + 1}B",
                context_window=random.choice((None, 131_072, 1_048_576)),
            )
        )
    return LanguageModel.objects.bulk_create(found)


def _submissions(
    models: list[LanguageModel], release: Release, published: int, random: Random
) -> list[Submission]:
    """In random order, so that the published ones are not next to each other in the tables."""
    owners = User.objects.bulk_create([User(username=f"author-{n}") for n in range(100)])
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    found = [
        Submission(
            owner=owners[number % len(owners)],
            language_model=models[number % MODELS],
            release=release,
            state=SubmissionState.PUBLISHED if number < published else SubmissionState.PRIVATE,
            slug=f"entry-{number}" if number < published else None,
            prompt_strategy="as published",
            truncation=Submission.Truncation.MIDDLE,
            input_limit=random.choice((None, 128_000)),
        )
        for number in range(MODELS * OF_EACH_MODEL)
    ]
    random.shuffle(found)
    Submission.objects.bulk_create(found, batch_size=2_000)
    for number, one in enumerate(found):
        one.created = begun + timedelta(minutes=number)
    Submission.objects.bulk_update(found, ["created"], batch_size=2_000)
    return found


def _signature(submission: Submission) -> dict[str, object]:
    """As a scorer leaves it: the page and the report of an entry show its hashes."""
    return {
        "scorer": "0",
        "metric_sets": list(METRIC_SETS),
        "input": submission.pk.hex * 2,
        "gold": {task: {"labels": "0" * 64, "questions": "0" * 64} for task in TASKS},
        "aligned": dict.fromkeys(TASKS, "id"),
        "drop_first": False,
    }


def _note(number: int) -> dict[str, object]:
    """As every file has a few: nothing that makes its score unreliable."""
    return {
        "code": "unknown_column", "severity": "note", "task": None, "file": f"preds_{number}.jsonl",
        "line": None, "message": "A column that no metric reads is ignored.", "fix": "",
        "params": {"column": "logprobs"},
    }  # fmt: skip


def _copy_scores(release: Release, evaluations: list[int], random: Random) -> None:
    sets = {data_set.task: data_set.pk for data_set in release.data_sets.all()}
    with connection.cursor() as cursor, cursor.copy(_COPY) as rows:
        for evaluation in evaluations:
            skill = random.uniform(15, 80)  # a better model is better in most tasks
            means = {task: min(100.0, max(0.0, random.gauss(skill, 12))) for task in TASKS}
            errors = {
                task: (mean * (100 - mean) / _EXAMPLES) ** 0.5 for task, mean in means.items()
            }
            for task, mean in means.items():
                interval = (errors[task], *wilson(mean / 100, _EXAMPLES, Z_95), "wilson-cluster-t")
                covariances = json.dumps(
                    {
                        other: round(error * errors[task] * (task == other or _CORRELATION), 9)
                        for other, error in errors.items()
                    }
                )
                others = (covariances, _EXAMPLES, _EXAMPLES, 0, 0, False)
                for name in METRIC_SETS:
                    rows.write_row((evaluation, task, name, sets[task], mean, *interval, *others))


if __name__ == "__main__":
    fill(int(sys.argv[1]))
