"""``python -m tests.bench.results.fill ENTRIES``: so many scored submissions, each with the 3,946
predictions of real models, in the database of the settings.

By COPY, in two processes, before the index of words is built.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import django

django.setup()  # before any model can be imported

from django.db import connection, transaction  # noqa: E402

from portal.models import (  # noqa: E402
    SCORE_COLUMNS,
    Evaluation,
    LanguageModel,
    Release,
    Submission,
    TaskDataSet,
    User,
)
from scoring.catalog import TASKS  # noqa: E402
from tests.bench.results.predictions import Entries  # noqa: E402
from tests.bench.results.word_index import INDEX  # noqa: E402

SLUG = "hf"
_COPY = (
    "COPY portal_resultblock (evaluation_id, task, block, predictions, "
    f"{', '.join(SCORE_COLUMNS.values())}) FROM STDIN"
)
_PROCESSES = 2
_TOGETHER = 50  # entries in a transaction


def main(count: int) -> None:
    first = make_entries(count)
    start = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX result_blocks_words")
    connection.close()
    share = -(-count // _PROCESSES)
    parts = [
        range(first + begin, first + min(begin + share, count)) for begin in range(0, count, share)
    ]
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        size = sum(pool.map(copy, parts))
    copied = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        cursor.execute(INDEX)
        indexed = time.monotonic()
        cursor.execute("VACUUM ANALYZE portal_resultblock")
    print(
        f"{count:,} entries with {count * sum(task.examples for task in TASKS.values()):,} results:"
        f" {copied - start:.0f} s by COPY, {indexed - copied:.0f} s for the index of words"
    )
    print(f"predictions {size}")


def make_entries(count: int) -> int:
    """Returns the number of the first evaluation."""
    with transaction.atomic():
        owner, _ = User.objects.get_or_create(username="alice")
        release, is_new = Release.objects.get_or_create(slug=SLUG, title="All tasks")
        if is_new:
            sets = (
                TaskDataSet(task=one.id, size=one.examples, labels_hash=one.id, questions_hash="")
                for one in TASKS.values()
            )
            release.data_sets.set(TaskDataSet.objects.bulk_create(sets))
        model, _ = LanguageModel.objects.get_or_create(slug="model", name="Model")
        submissions = [
            Submission(owner=owner, language_model=model, release=release) for _ in range(count)
        ]
        Submission.objects.bulk_create(submissions, batch_size=1_000)
        evaluations = [
            Evaluation(submission=one, state="failed", failure="worker_lost") for one in submissions
        ]
        Evaluation.objects.bulk_create(evaluations, batch_size=1_000)
        return evaluations[0].pk


def copy(evaluations: range) -> int:
    """Returns the bytes of the predictions."""
    entries = Entries(evaluations.start)
    for start in range(evaluations.start, evaluations.stop, _TOGETHER):
        with transaction.atomic(), connection.cursor() as cursor, cursor.copy(_COPY) as lines:
            for evaluation in range(start, min(start + _TOGETHER, evaluations.stop)):
                for line in entries.lines(evaluation):
                    lines.write(line)
    return entries.size


if __name__ == "__main__":
    main(int(sys.argv[1]))
