"""Differences of scores: paired by question, or between two scores without further details."""

import pytest

from portal.models import Example, Release, TaskDataSet, User
from portal.scores.comparison.differences import (
    Difference,
    Verdict,
    differences_to_reported,
    paired_difference,
    signed,
    unpaired_difference,
)
from portal.scores.scores import Score
from portal.scores.vectors import read_vectors
from scoring.intervals import Interval
from tests.support.factories import published, reported

SET = "official-2024-06"


@pytest.mark.parametrize(
    ("difference", "verdict", "interval"),
    [
        (Difference(2.0, 0.0, 4.0, 0.04), Verdict.BETTER, "0.0 … +4.0"),
        (Difference(-2.0, -4.0, -0.1, 0.01), Verdict.WORSE, "−4.0 … −0.1"),
        (Difference(1.9, -0.1, 3.9, 0.06), Verdict.OPEN, "−0.1 … +3.9"),
        (Difference(5.0, 1.0, 9.0), Verdict.BETTER, "+1.0 … +9.0"),
        (Difference(5.0), Verdict.UNTESTED, ""),
        (Difference(0.0, 0.0, 0.0, 1.0), Verdict.OPEN, "0.0 … 0.0"),
    ],
)
def test_a_test_decides_or_else_the_interval(
    difference: Difference, verdict: Verdict, interval: str
) -> None:
    assert (difference.verdict, difference.interval_text) == (verdict, interval)


@pytest.mark.parametrize(
    ("points", "text"),
    [(1.25, "+1.2"), (-0.34, "−0.3"), (0.04, "0.0"), (-0.04, "0.0"), (0, "0.0")],
)
def test_differences_have_a_sign(points: float, text: str) -> None:
    assert signed(points) == text


def test_two_scores_count_as_independent() -> None:
    a = Score(60.0, interval=Interval(56.0, 63.0, "wilson"))
    b = Score(50.0, interval=Interval(47.0, 54.0, "wilson"))
    found = unpaired_difference(a, b)
    assert (found.points, found.low, found.high) == (10.0, 10 - 32**0.5, 10 + 18**0.5)
    assert (found.p, found.verdict) == (None, Verdict.BETTER)
    assert unpaired_difference(a, Score(50.0)).verdict is Verdict.UNTESTED


def test_a_reported_number_counts_with_the_doubt_of_so_many_questions(db: None) -> None:
    entry = reported("A", {"passkey": 60.0, "code_run": 10.0})
    scores = {"passkey": Score(62.0, interval=Interval(58.0, 66.0, "wilson"))}
    by_task, overall = differences_to_reported(["passkey"], scores, entry)
    assert list(by_task) == ["passkey"]
    assert by_task["passkey"] == overall
    assert by_task["passkey"].verdict is Verdict.OPEN
    assert differences_to_reported(["passkey", "code_run"], scores, entry)[1] is None


def data_set(labels: list[str], first: int = 0) -> TaskDataSet:
    """A data set of Retrieve.PassKey, with questions numbered from ``first``."""
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


def difference(
    owner: User, new: TaskDataSet, old: TaskDataSet, percents: tuple[float, float]
) -> Difference | None:
    """The difference of two submissions with these scores, whose right answers come first."""
    numbers = []
    for name, data, percent in zip(("new", "old"), (new, old), percents, strict=True):
        release = Release.objects.create(slug=name, title=name)
        release.data_sets.add(data)
        made = published(owner, release, name, {"passkey": percent})
        numbers.append(made.evaluations.get().pk)
    vectors = read_vectors(numbers, SET)
    new_vectors, old_vectors = (vectors[number] for number in numbers)
    return paired_difference(new_vectors, old_vectors, ["passkey"])


def test_the_same_data_are_compared_question_by_question(alice: User) -> None:
    data = data_set(["1", "2", "3", "4"])
    found = difference(alice, data, data, (75.0, 25.0))
    assert found
    assert (found.points, found.n, found.unpaired) == (50.0, 4, 0)
    assert found.parts == {"both": 1, "only_a": 2, "only_b": 0, "none": 1}
    assert (found.test, found.p) == ("mcnemar-exact", 0.5)


def test_other_data_are_paired_on_equal_questions_with_equal_labels(alice: User) -> None:
    new, old = data_set(["1", "2", "3", "4"]), data_set(["2", "9", "4", "5"], first=1)
    # questions 1 (label 2) and 3 (label 4); 2 has another label, 0 and 4 are in one only
    found = difference(alice, new, old, (50.0, 25.0))
    assert found
    assert (found.points, found.n, found.unpaired) == (25.0, 2, 4)
    assert found.parts == {"both": 1, "only_a": 0, "only_b": 0, "none": 1}


def test_data_without_a_common_question_count_as_independent(alice: User) -> None:
    new, old = data_set(["1", "2"]), data_set(["3", "4"], first=2)
    found = difference(alice, new, old, (100.0, 50.0))
    assert found
    assert (found.points, found.n, found.unpaired) == (50.0, 0, 4)


def test_without_a_task_there_is_no_difference() -> None:
    assert paired_difference({}, {}, ["passkey"]) is None
    assert paired_difference({}, {}, []) is None
