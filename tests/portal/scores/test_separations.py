"""Which entries of a board can be told apart: stored for exactly the entries on it."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from portal.board_version import board_version
from portal.models import Release, Separation, Submission, SubmissionState, User
from portal.scores.comparison import separations
from portal.scores.comparison.separations import (
    ColumnSeparation,
    columns_of_release,
    entry_key,
    read_separations,
    reported_key,
    update_separations,
)
from portal.scores.vectors import read_vectors, reported_vectors
from scoring.catalog import TASKS
from scoring.comparison.board import Board
from scoring.comparison.vectors import TaskVector
from scoring.metrics import METRIC_SETS
from tests.support.factories import (
    ALL,
    SIZE,
    add_examples,
    add_scores,
    published,
    release_of_all_tasks,
    reported,
)

pytestmark = pytest.mark.django_db

SET = "official-2024-06"


def key_of(submission: Submission) -> str:
    return entry_key(submission.evaluations.order_by("-created", "-pk")[0].pk)


def separation(*entries: Submission, column: str = "overall") -> ColumnSeparation | None:
    found = read_separations("hf", SET, column, map(key_of, entries))
    return found and found.column


@pytest.fixture
def official(db: None) -> Release:
    """An official release with its examples, whose questions and texts are compared."""
    found = release_of_all_tasks()
    add_examples(found)
    return found


@pytest.fixture
def three(alice: User, official: Release) -> list[Submission]:
    """Three entries, one of them far ahead of two equal ones."""
    scores = {"Ahead": 100.0, "One": 0.0, "Two": 0.0}
    return [
        published(alice, official, name, dict.fromkeys(TASKS, percent))
        for name, percent in scores.items()
    ]


def test_ranks_have_ranges_once_the_entries_are_compared(three: list[Submission]) -> None:
    assert separation(*three) is None  # pending
    before = board_version()
    assert update_separations()
    assert board_version() > before
    found = separation(*three)
    assert found
    ahead, one, two = keys = [key_of(submission) for submission in three]
    assert list(found.rank_ranges(keys).values()) == [(1, 1), (2, 3), (2, 3)]
    assert found.rank_ranges([one, two])[one] == (1, 2)  # among the entries that pass a filter
    assert found.indistinguishable_from(one, keys) == {one, two}
    assert found.indistinguishable_from(ahead, keys) == {ahead}
    assert "evaluation-0" not in found.rank_ranges([*keys, "evaluation-0"])


def test_the_same_entries_are_compared_once(three: list[Submission]) -> None:
    update_separations()
    rows = set(Separation.objects.values_list("pk", flat=True))
    before = board_version()
    assert update_separations() == 0
    assert (set(Separation.objects.values_list("pk", flat=True)), board_version()) == (rows, before)


def test_another_entry_makes_ranges_pending(
    three: list[Submission], alice: User, official: Release
) -> None:
    update_separations()
    fourth = published(alice, official, "Four", ALL)
    assert separation(*three, fourth) is None
    update_separations()
    assert separation(*three, fourth)
    assert separation(*three) is None
    add_scores(fourth, ALL)  # scored again
    assert separation(*three, fourth) is None


def test_a_board_without_entries_keeps_no_comparison(three: list[Submission]) -> None:
    update_separations()
    Submission.objects.update(state=SubmissionState.WITHDRAWN)
    update_separations()
    assert not Separation.objects.exclude(entries=[]).exists()


def test_nothing_is_compared_on_hidden_releases(three: list[Submission]) -> None:
    Release.objects.update(hidden=True)
    assert update_separations() == 0
    assert not Separation.objects.exists()


def test_reported_numbers_are_compared_too(three: list[Submission], official: Release) -> None:
    entry = reported("Reported", dict.fromkeys(TASKS, 50.0))
    update_separations()
    key = reported_key(entry.entry_id, dict.fromkeys(TASKS, 50.0))
    keys = [*map(key_of, three), key]
    found = read_separations("hf", SET, "overall", keys)
    assert found
    assert found.column
    assert found.column.rank_ranges(keys)[keys[-1]] == (2, 2)
    assert set(TASKS) < set(found.smallest_differences)
    assert read_separations("hf", "strict", "overall", keys) is None


def test_a_corrected_number_is_compared_again(three: list[Submission], official: Release) -> None:
    entry = reported("Reported", dict.fromkeys(TASKS, 50.0))
    update_separations()
    entry.scores.update(percent=25.0)
    assert update_separations() == 1


def test_two_sweepers_store_a_comparison_once(
    three: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second sweeper begins while the first one compares."""
    stored = []

    def board(*arguments: Any) -> Board[str]:
        monkeypatch.setattr(separations, "Board", Board)
        stored.append((update_separations(), board_version()))
        return Board(*arguments)

    monkeypatch.setattr(separations, "Board", board)
    first = update_separations()
    [(second, version)] = stored
    assert (first + second, board_version()) == (len(METRIC_SETS), version)


def test_one_entry_more_is_compared_as_if_all_were(
    alice: User, official: Release, three: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    reported("Reported", ALL)
    update_separations()
    newest = published(alice, official, "Newest", dict.fromkeys(TASKS, 75.0))
    reported("Reported too", ALL)
    read: set[int] = set()

    def read_only(evaluations: Collection[int], metric_set: str) -> Vectors:
        read.update(evaluations)
        return read_vectors(evaluations, metric_set)

    monkeypatch.setattr(separations, "read_vectors", read_only)
    update_separations()
    assert read == {newest.evaluations.get().pk}
    grown = list(Separation.objects.order_by("metric_set", "column").values(*STORED))
    separations.forget()
    Separation.objects.all().delete()
    update_separations()
    anew = list(Separation.objects.order_by("metric_set", "column").values(*STORED))
    assert [_apart(one) for one in grown] == [_apart(one) for one in anew]


STORED = ("metric_set", "column", "inputs", "entries", "better", "method", "smallest_difference")
Vectors = dict[int, dict[str, TaskVector]]


def _apart(stored: dict[str, Any]) -> tuple[Any, ...]:
    """What a separation says, regardless of the order of its entries."""
    entries = stored["entries"]
    bits = np.frombuffer(stored["better"], np.uint8).reshape(len(entries), -1)
    better = np.unpackbits(bits, axis=1, count=len(entries))
    pairs = {(entries[i], entries[j]) for i, j in zip(*np.nonzero(better), strict=True)}
    smallest = stored["smallest_difference"]
    rest = (stored["metric_set"], stored["column"], stored["inputs"], stored["method"])
    return (*rest, smallest and round(smallest, 4), set(entries), pairs)


def test_a_board_that_cannot_be_compared_stops_no_other(
    three: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(inputs: Any, keys: Any, metric_set: str) -> Any:
        if metric_set == SET:
            raise ArithmeticError
        return of_inputs(inputs, keys, metric_set)

    of_inputs = separations.Inputs.vectors
    monkeypatch.setattr(separations.Inputs, "vectors", broken)
    with pytest.raises(ExceptionGroup):
        update_separations()
    stored = set(Separation.objects.values_list("metric_set", flat=True))
    assert stored == set(METRIC_SETS) - {SET}


def test_reported_vectors_have_the_reported_mean_and_share_no_question() -> None:
    found = reported_vectors({"a": {"math_calc": 12.34}, "b": {"math_calc": 12.34}})
    one, two = found["a"]["math_calc"], found["b"]["math_calc"]
    assert 100 * one.scores.mean() == pytest.approx(12.34)
    assert not set(one.questions) & set(two.questions)


def test_vectors_are_the_scores_with_codes_of_questions(three: list[Submission]) -> None:
    evaluations = [one.evaluations.get().pk for one in three]
    found = read_vectors(evaluations, SET)
    assert set(found) == set(evaluations)
    passkey, other = (found[pk]["passkey"] for pk in evaluations[:2])
    assert list(passkey.scores) == [1.0] * SIZE
    assert list(other.scores) == [0.0] * SIZE
    assert list(passkey.questions) == list(other.questions)
    assert len(set(passkey.questions)) == SIZE


def test_a_board_has_ranges_for_its_mean_for_complete_domains_and_contexts() -> None:
    assert set(columns_of_release(["passkey", "code_run"])) == {"overall", "passkey", "code_run"}
    assert len(columns_of_release(list(TASKS))) == 1 + 5 + 2 + 12
    assert list(columns_of_release(["passkey", "code_debug"])["realistic"]) == ["code_debug"]
