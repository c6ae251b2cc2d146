"""1,020 entries with 4,024,920 answers to all tasks, for the database of the settings.

``python -m tests.bench.examples_fill`` in its own process. Words of the answers by how often they
occur: ``the`` and ``answer``, 他的; ``sometimes`` (1 in 100); ``topic3`` in every answer to a tenth
of the questions; ``question17`` in every answer to one; ``seldom7`` (1 in 5,000).
"""

from random import Random

import django

django.setup()  # before any model can be imported

from django.db import connection, transaction  # noqa: E402
from django.utils.timezone import now  # noqa: E402

from portal.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    Example,
    LanguageModel,
    Release,
    ScoreVector,
    Submission,
    SubmissionState,
    TaskDataSet,
    TaskScore,
    User,
)
from portal.scores.estimates import pack_scores  # noqa: E402
from scoring.catalog import TASKS  # noqa: E402
from scoring.metrics import METRIC_SETS  # noqa: E402

ENTRIES = 1_020
WITH_SCORES = ("longbook_qa_eng", "longbook_qa_chn", "passkey")  # of single examples
_ENGLISH = """
    CASE WHEN random() < 0.6 THEN 'The ' ELSE 'A ' END
    || CASE WHEN random() < 0.4 THEN 'answer' ELSE 'reply' END || ' to this is topic'
    || mod(question, 10) || ', as chapter question' || question || ' says'
    || CASE WHEN random() < 0.01 THEN ' sometimes' ELSE '' END
    || ' about seldom' || (random() * 5000)::int || ': ' || md5(random()::text)
"""
_CHINESE = """
    CASE WHEN random() < 0.3 THEN '这是他的书' ELSE '她说了很多话' END || '，第' || question
    || '章里有' || md5(random()::text)
"""
_ANSWERS = """
INSERT INTO portal_resultblock
    (evaluation_id, task, block, predictions, official_2024_06, official_2024_09, strict)
SELECT evaluation, task, question / 16, array_agg(prediction ORDER BY question),
    array_agg(score ORDER BY question), array_agg(score ORDER BY question),
    array_agg(score ORDER BY question)
FROM (
    SELECT evaluation, task, question,
        CASE WHEN random() < 0.003 THEN NULL WHEN random() < 0.003 THEN ''
        WHEN task LIKE '%%chn' THEN {chinese} ELSE {english} END AS prediction,
        CASE WHEN fractional THEN random() ELSE round(random()) END AS score
    FROM unnest(%(evaluations)s::bigint[]) AS evaluation
    CROSS JOIN unnest(%(tasks)s::text[], %(sizes)s::int[], %(fractional)s::bool[])
        AS tasks(task, size, fractional)
    CROSS JOIN LATERAL generate_series(0, size - 1) AS question
) AS answers
GROUP BY evaluation, task, question / 16
ORDER BY evaluation, task, question / 16
"""
_SIGNATURE = {
    "scorer": "0",
    "metric_sets": list(METRIC_SETS),
    "input": "",
    "gold": {task: {"labels": task, "questions": task} for task in TASKS},
    "aligned": dict.fromkeys(TASKS, "id"),
    "drop_first": False,
}
_TOGETHER = 30  # entries whose answers are made in one statement


def fill(entries: int = ENTRIES) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE portal_evaluation DISABLE TRIGGER scored_means_scores")
        cursor.execute("DROP INDEX result_blocks_words")  # which the bench builds
        with transaction.atomic():
            _fill(entries)
            cursor.execute("SELECT setseed(0.5)")
            evaluations = list(Evaluation.objects.order_by("pk").values_list("pk", flat=True))
            for start in range(0, entries, _TOGETHER):
                values: dict[str, list[int] | list[str] | list[bool]] = {
                    "evaluations": evaluations[start : start + _TOGETHER],
                    "tasks": list(TASKS),
                    "sizes": [task.examples for task in TASKS.values()],
                    "fractional": [task.fractional for task in TASKS.values()],
                }
                cursor.execute(_ANSWERS.format(chinese=_CHINESE, english=_ENGLISH), values)
        cursor.execute("ALTER TABLE portal_evaluation ENABLE TRIGGER scored_means_scores")


def _fill(entries: int) -> None:
    random = Random(1)
    release = Release.objects.create(slug="hf", title="All tasks", official=True)
    sets = [
        TaskDataSet(task=task.id, size=task.examples, labels_hash=task.id, questions_hash=task.id)
        for task in TASKS.values()
    ]
    release.data_sets.set(TaskDataSet.objects.bulk_create(sets))
    Example.objects.bulk_create(
        Example(
            data_set=data_set, index=index, key=f"{data_set.task}/{index}", label=["a label"],
            question=f"What does chapter {index} say about a stone?",
            tokens=random.randrange(20_000, 200_000), depth=random.random(), kind=f"k{index % 5}",
        )
        for data_set in sets
        for index in range(data_set.size)
    )  # fmt: skip
    owner = User.objects.create(username="alice")
    models = LanguageModel.objects.bulk_create(
        LanguageModel(slug=f"model-{number}", name=f"Model {number}") for number in range(entries)
    )
    submissions = Submission.objects.bulk_create(
        Submission(
            owner=owner,
            language_model=one,
            release=release,
            state=SubmissionState.PUBLISHED,
            slug=one.slug,
        )
        for one in models
    )
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            submission=one, state=EvaluationState.SCORED, signature=_SIGNATURE, finished=now()
        )
        for one in submissions
    )
    for data_set in sets:
        _add_scores(evaluations, data_set, random)


def _add_scores(evaluations: list[Evaluation], data_set: TaskDataSet, random: Random) -> None:
    size = data_set.size
    for evaluation in evaluations:
        skill = random.random()
        scores = [float(random.random() < skill) for _ in range(size)]
        mean = 100 * sum(scores) / size
        rows = TaskScore.objects.bulk_create(
            TaskScore(
                evaluation=evaluation, task=data_set.task, metric_set=name, data_set=data_set,
                mean=mean, size=size, answered=size, unknown=0,
            )
            for name in METRIC_SETS
        )  # fmt: skip
        if data_set.task in WITH_SCORES:
            packed = pack_scores(scores)
            ScoreVector.objects.bulk_create(
                ScoreVector(task_score=one, scores=packed) for one in rows
            )


if __name__ == "__main__":
    fill()
