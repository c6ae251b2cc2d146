"""``python -m tests.bench.results.store ROUNDS``: the seconds that it takes to store the results of
one submission more, each in a transaction of its own, and to merge the words of all of them."""

import sys
import time
from random import Random

import django

django.setup()  # before any model can be imported

from django.db import connection, transaction  # noqa: E402

from portal.evaluations.results import _copy_examples  # noqa: E402
from portal.evaluations.word_index import merge_words  # noqa: E402
from scoring.catalog import TASKS  # noqa: E402
from scoring.metrics import METRIC_SETS  # noqa: E402
from scoring.metrics.verdict import Verdict  # noqa: E402
from scoring.sandbox.results_file import Example  # noqa: E402
from tests.bench.results.fill import make_entries  # noqa: E402
from tests.bench.results.predictions import predictions_of  # noqa: E402


def examples(seed: int) -> list[Example]:
    """The predictions of a submission, each with a word of its own."""
    random, found = Random(seed), []
    for task in TASKS.values():
        texts = predictions_of(task)
        random.shuffle(texts)
        for index in range(task.examples):
            text = f"{texts[index % len(texts)]} {random.randrange(10**7)}".replace("\0", "")
            score = random.random() if task.fractional else float(random.random() < 0.6)
            verdicts = dict.fromkeys(METRIC_SETS, Verdict(score, None, "match"))
            found.append(Example(task.id, str(index), index, text, verdicts))
    return found


def main(rounds: int) -> None:
    first = make_entries(rounds)
    for evaluation in range(first, first + rounds):
        rows = examples(evaluation)
        start = time.perf_counter()
        with transaction.atomic():
            _copy_examples(evaluation, rows)
        print(f"stored {time.perf_counter() - start:.4f}")
    start = time.perf_counter()
    merge_words()
    print(f"merged {time.perf_counter() - start:.4f}")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('portal_resultblock')")
        print(f"size {cursor.fetchone()[0]}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
