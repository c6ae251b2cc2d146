"""Differences of scores: paired by question, or to a number that somebody reported."""

import pytest

from portal.models import Evaluation, Example, ExampleResult, Release, TaskDataSet, User
from portal.scores.differences import (
    Difference,
    differences_to_evaluation,
    differences_to_reported,
    mean_difference,
    paired,
    signed,
)
from portal.scores.scores import Score
from tests.support.factories import published, reported

SET = "official-2024-06"


def test_pairs_have_a_smaller_error_than_two_means() -> None:
    old = [0.0, 1.0] * 50
    new = [*old[:-1], 1.0]
    new[0] = 1.0
    difference = paired(new, old)
    assert difference
    assert (difference.points, difference.questions) == (1.0, 100)
    assert difference.stderr == pytest.approx(1.0)
    assert difference.sign == "none"


@pytest.mark.parametrize(
    ("points", "stderr", "sign", "interval"),
    [
        (2.0, 1.0, "better", "0.0 … +4.0"),
        (-2.0, 1.0, "worse", "−4.0 … 0.0"),
        (1.9, 1.0, "none", "−0.1 … +3.9"),
        (5.0, None, "none", ""),
        (0.0, 0.0, "none", "0.0 … 0.0"),
    ],
)
def test_a_difference_counts_if_its_interval_excludes_zero(
    points: float, stderr: float | None, sign: str, interval: str
) -> None:
    difference = Difference(points, stderr)
    assert (difference.sign, difference.interval_text) == (sign, interval)


@pytest.mark.parametrize(
    ("points", "text"),
    [(1.25, "+1.2"), (-0.34, "−0.3"), (0.04, "0.0"), (-0.04, "0.0"), (0, "0.0")],
)
def test_differences_have_a_sign(points: float, text: str) -> None:
    assert signed(points) == text


def test_nothing_in_common_is_no_difference() -> None:
    assert paired([], []) is None


def test_the_mean_of_differences_has_the_error_of_independent_tasks() -> None:
    mean = mean_difference([Difference(1.0, 3.0, 10), Difference(3.0, 4.0, 20)])
    assert mean == Difference(2.0, 2.5, 30)


def test_a_reported_number_adds_no_uncertainty(db: None) -> None:
    entry = reported("A", {"passkey": 60.0, "code_run": 10.0})
    found = differences_to_reported({"passkey": Score(62.0, 1.5)}, entry)
    assert found == {"passkey": Difference(2.0, 1.5)}


def data_set(labels: list[str], first: int = 0) -> TaskDataSet:
    """Passkey, with questions that are numbered from ``first``."""
    made = TaskDataSet.objects.create(
        task="passkey", size=len(labels), labels_hash="-".join(labels), questions_hash=""
    )
    Example.objects.bulk_create(
        Example(
            data_set=made, index=index, key=str(index), label=[label], question_number=index + first
        )
        for index, label in enumerate(labels)
    )
    return made


def evaluation(owner: User, name: str, data: TaskDataSet, scores: list[float | None]) -> Evaluation:
    release = Release.objects.create(slug=name, title=name)
    release.data_sets.add(data)
    made = published(owner, release, name, {"passkey": 50.0}).evaluations.get()
    for result, score in zip(made.example_results.order_by("index"), scores, strict=True):
        ExampleResult.objects.filter(pk=result.pk).update(official_2024_06=score)
    return made


def test_the_same_data_are_compared_by_row(alice: User) -> None:
    data = data_set(["1", "2", "3", "4"])
    new = evaluation(alice, "new", data, [1, 1, 1, None])
    old = evaluation(alice, "old", data, [1, 0, None, 0])
    assert differences_to_evaluation(new, old, SET)["passkey"][::2] == (50.0, 4)


def test_other_data_are_compared_on_equal_questions_with_equal_labels(alice: User) -> None:
    new = evaluation(alice, "new", data_set(["1", "2", "3", "4"]), [1, 1, 0, 0])
    old = evaluation(alice, "old", data_set(["2", "9", "4", "5"], first=1), [0, 1, 0, 1])
    # the questions 1 (label 2) and 3 (label 4); that of 2 differs, 0 and 4 are in one only
    assert differences_to_evaluation(new, old, SET)["passkey"][::2] == (50.0, 2)


def test_data_without_a_common_question_are_not_compared(alice: User) -> None:
    new = evaluation(alice, "new", data_set(["1", "2"]), [1, 1])
    old = evaluation(alice, "old", data_set(["3", "4"], first=2), [0, 1])
    assert differences_to_evaluation(new, old, SET) == {}
