"""How the database finds words: ``python -m tests.bench.examples_plans TASK QUERY …``.

And what the index of words costs when the answers of one submission are stored.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import django

django.setup()  # before any model can be imported

from django.contrib.auth.models import AnonymousUser  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.http import QueryDict  # noqa: E402

from leaderboard.examples.listing.forms import ExampleFilterForm  # noqa: E402
from leaderboard.examples.listing.rows import PAGE_ROWS  # noqa: E402
from leaderboard.examples.listing.search import find_words  # noqa: E402
from leaderboard.examples.queries import find_question_set  # noqa: E402

_WAYS = {"portal_result_words": "index", "LATERAL": "walk"}
_INSERT = """
INSERT INTO portal_resultblock
    (evaluation_id, task, block, predictions, official_2024_06, official_2024_09, strict)
SELECT (SELECT max(evaluation_id) + %s FROM portal_resultblock), task, block, predictions,
    official_2024_06, official_2024_09, strict
FROM portal_resultblock
WHERE evaluation_id = (SELECT min(evaluation_id) FROM portal_resultblock)
"""


@contextmanager
def explained() -> Iterator[list[str]]:
    """The plans of searches in answers, each before it is run."""
    plans: list[str] = []

    def explain(
        execute: Callable[..., object],
        sql: str,
        params: list[str] | None,
        many: bool,
        context: object,
    ) -> object:
        way = next((way for mark, way in _WAYS.items() if mark in sql), "")
        if way and not sql.startswith("EXPLAIN"):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF) {sql}", params)
                plans.append("\n".join([way, *(f"    {line}" for (line,) in cursor.fetchall())]))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def show_plans(task: str, query: str) -> None:
    reader = AnonymousUser()
    form = ExampleFilterForm(reader, find_question_set(reader, "hf", task), QueryDict(query))
    assert form.is_valid(), form.errors
    selection = form.selection
    size = len(selection.order), int(selection.answers.sum())  # reads the scores
    start = time.perf_counter()
    found = find_words(selection, 0, PAGE_ROWS)
    seconds = time.perf_counter() - start
    with explained() as plans:
        find_words(selection, 0, PAGE_ROWS)
    total = "more" if found.total is None else found.total
    print(f"{task}, {size[0]} questions with {size[1]:,} answers: {query}")
    print(f"  {len(found.hits)} of {total} in {1000 * seconds:.0f} ms")
    for plan in plans[:1]:
        print(f"  by {plan}")


def show_insert() -> None:
    """Within a transaction that is rolled back, with the index and without."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for name, number in (("with", 1), ("with", 2), ("without", 3), ("without", 4)):
            if number == 3:
                cursor.execute("DROP INDEX result_blocks_words")
            start = time.perf_counter()
            cursor.execute(_INSERT, [number])
            seconds = time.perf_counter() - start
            print(
                f"{cursor.rowcount:,} blocks of answers {name} the index of words: {seconds:.3f} s"
            )
        transaction.set_rollback(True)


if __name__ == "__main__":
    for place in range(1, len(sys.argv) - 1, 2):
        show_plans(sys.argv[place], sys.argv[place + 1])
    show_insert()
