"""Results move from rows into blocks and back while the previous version reads and writes."""

from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command
from django.db import connection

from portal.models import Evaluation, Release, ResultBlock, User
from tests.support.factories import as_if_scored, make_submission

BEFORE, BOTH, AFTER = "0053_scope_of_teams", "0054_result_blocks", "0055_move_results"
SIZE = 35  # two blocks and part of a third
_COLUMNS = "evaluation_id, task, index, prediction, official_2024_06, official_2024_09, strict"
Row = tuple[object, ...]


@pytest.fixture
def evaluation(transactional_db: None, alice: User, release: Release) -> Iterator[Evaluation]:
    submission = as_if_scored(make_submission(alice, release, b"{}", name="passkey.jsonl"))
    made = submission.evaluations.get()
    made.result_blocks.all().delete()
    yield made
    call_command("migrate", verbosity=0)


def migrate(name: str) -> None:
    call_command("migrate", "portal", name, verbosity=0)


def rows_of(evaluation: Evaluation, task: str) -> list[Row]:
    known = [None, "", "an answer", "b" * 300_000, "他的书"]
    return [
        (evaluation.pk, task, index, known[index % 5], *scores)
        for index in range(SIZE)
        for scores in [(None,) * 3 if index % 5 == 0 else (1.0, 1 / (index + 1), 0.0)]
    ]


# What the previous version does


def store(evaluation: Evaluation, task: str) -> list[Row]:
    rows = rows_of(evaluation, task)
    copy = f"COPY portal_exampleresult ({_COLUMNS}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(copy) as to:
        for row in rows:
            to.write_row(row)
    return rows


def stored() -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_COLUMNS} FROM portal_exampleresult ORDER BY task, index")
        return list(cursor.fetchall())


def delete(evaluation: Evaluation) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM portal_exampleresult WHERE evaluation_id IN (%s)", [evaluation.pk]
        )


def test_results_are_moved_and_moved_back(evaluation: Evaluation) -> None:
    migrate(BEFORE)
    rows = store(evaluation, "passkey")
    migrate(AFTER)
    assert stored() == rows
    assert ResultBlock.objects.filter(evaluation=evaluation).count() == 3
    migrate(BEFORE)
    assert stored() == rows


@pytest.mark.parametrize("steps", [(BEFORE, BOTH, AFTER), (AFTER, BOTH, BEFORE)])
def test_the_version_before_stores_and_reads_at_every_step(
    evaluation: Evaluation, steps: tuple[str, ...]
) -> None:
    rows: list[Row] = []
    for name, task in zip(steps, ("code_run", "kv_retrieval", "passkey"), strict=True):
        migrate(name)
        rows += store(evaluation, task)
        assert stored() == rows


def _to_blocks(evaluation: Evaluation) -> None:
    migrate(BEFORE)
    store(evaluation, "passkey")
    migrate(BOTH)
    store(evaluation, "kv_retrieval")


def _all_in_blocks(evaluation: Evaluation) -> None:
    _to_blocks(evaluation)
    migrate(AFTER)


@pytest.mark.parametrize("state", [_to_blocks, _all_in_blocks])
def test_the_version_before_deletes_all_of_an_evaluation(
    evaluation: Evaluation, state: Callable[[Evaluation], None]
) -> None:
    state(evaluation)
    delete(evaluation)
    assert stored() == []
    migrate(AFTER)
    assert stored() == []
