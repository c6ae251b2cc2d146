"""Rows are aligned with examples by id or by order, and never silently where that is doubtful."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.alignment import (
    AlignmentQuestion,
    Method,
    Placement,
    agreement,
    decide,
    place,
    report_coverage,
)
from scoring.predictions.reader import ABSENT, Row, TaskPredictions
from scoring.problems import Problem, ProblemLog
from tests.support.worlds import file_of, gold_of, row


def placed(file: TaskPredictions, method: Method = "id") -> tuple[Placement, list[Problem]]:
    log = ProblemLog()
    placement = place(GOLD, file, method, log)
    report_coverage(file, agreement(GOLD, file), placement, log)
    return placement, log.problems()


def decided(file: TaskPredictions, answer: Method | None = None) -> Method | AlignmentQuestion:
    return decide(GOLD, file, agreement(GOLD, file), answer)


TASK = "longbook_qa_eng"
GOLD = gold_of(TASK, {key: (f"label {key}",) for key in range(10)})


def test_rows_with_known_ids_are_matched_by_id_whatever_their_order() -> None:
    file = file_of(TASK, [row(key, f"answer {key}") for key in (3, 1, 2)])
    assert decided(file) == "id"
    assert placed(file)[0].predictions[1:4] == ["answer 1", "answer 2", "answer 3"]


def test_rows_without_ids_are_matched_by_order_when_there_is_one_for_every_example() -> None:
    file = file_of(TASK, [row(None, str(index)) for index in range(10)])
    assert decided(file) == "order"


@pytest.mark.parametrize("answer", ["id", "order"])
def test_rows_without_ids_and_with_gaps_need_an_answer(answer: Method) -> None:
    file = file_of(TASK, [row(None, str(index)) for index in range(9)])
    question = decided(file)
    assert isinstance(question, AlignmentQuestion)
    assert question.as_json()["has_ids"] is False
    assert decided(file, answer) == "order"


@given(
    st.lists(st.tuples(st.none() | st.integers(0, 20), st.booleans()), max_size=20),
    st.sampled_from(["id", "order"]),
)
def test_no_file_is_asked_about_twice(rows: list[tuple[int | None, bool]], answer: Method) -> None:
    file = file_of(TASK, [row(key, "x", ["label 0"] if has else ABSENT) for key, has in rows])
    assert decided(file, answer) in ("id", "order")


def test_an_unknown_id_is_a_question_when_the_counts_match() -> None:
    file = file_of(TASK, [row(key, "x") for key in (*range(9), 460)])
    question = decided(file)
    assert isinstance(question, AlignmentQuestion)
    assert "1 of 10 ids are unknown" in question.sentence
    assert decided(file, "id") == "id"


def test_an_unknown_id_in_a_partial_file_is_only_a_problem() -> None:
    file = file_of(TASK, [row(0, "x"), row(460, "y")])
    assert decided(file) == "id"
    placement, problems = placed(file)
    assert [problem.code for problem in problems] == ["id_unknown", "predictions_missing"]
    assert placement.unknown == 1


def test_labels_that_fit_by_order_but_not_by_id_are_a_question() -> None:
    rows = [row((index + 1) % 10, "x", [f"label {index}"]) for index in range(10)]
    question = decided(file_of(TASK, rows))
    assert isinstance(question, AlignmentQuestion)
    assert (question.agreement.by_id, question.agreement.by_order) == (0, 10)


def test_shuffled_rows_whose_labels_fit_by_id_are_no_question() -> None:
    rows = [row(key, "x", [f"label {key}"]) for key in reversed(range(10))]
    assert decided(file_of(TASK, rows)) == "id"


def test_labels_of_another_release_are_reported_but_not_asked_about() -> None:
    file = file_of(TASK, [row(key, "x", ["other"]) for key in range(10)])
    assert decided(file) == "id"
    _, problems = placed(file)
    assert [problem.code for problem in problems] == ["labels_of_other_data"]
    assert "10 of 10" in problems[0].message


BIG = gold_of(TASK, {key: (f"label {key}",) for key in range(100)})


def said_of(labels: list[str], method: Method = "id", shift: int = 0) -> list[Problem]:
    """The problem reported for a file with these labels, aligned with a hundred examples."""
    file = file_of(
        TASK, [row((key + shift) % 100, "x", [label]) for key, label in enumerate(labels)]
    )
    log = ProblemLog()
    found = agreement(BIG, file)
    report_coverage(file, found, place(BIG, file, method, log), log)
    return log.problems()


@pytest.mark.parametrize(
    ("foreign", "code"),
    [
        (1, "labels_differ"),
        (2, "labels_often_differ"),
        (19, "labels_often_differ"),
        (20, "labels_of_other_data"),
    ],
)
def test_few_labels_that_differ_are_corrections_and_many_are_other_data(
    foreign: int, code: str
) -> None:
    labels = [f"label {key}" if key >= foreign else "other" for key in range(100)]
    [problem] = said_of(labels)
    assert problem.code == code
    assert f"{foreign} of 100" in problem.message


def test_labels_that_fit_the_other_method_are_not_of_another_release() -> None:
    labels = [f"label {key}" for key in range(100)]
    assert said_of(labels, "order", shift=1) == []
    [problem] = said_of(labels, "id", shift=1)
    assert problem.code == "labels_fit_otherwise"
    assert "Matched by id, 0 of 100" in problem.message
    assert problem.fix == "Score the file with --align order."


@pytest.mark.parametrize(
    ("rows", "prediction", "codes"),
    [
        ([row(0, "same"), row(0, "same")], "same", ["row_repeated"]),
        ([row(0, "one"), row(0, "two")], None, ["id_twice"]),
        ([row(0, "one"), row(0, "two"), row(0, "one")], None, ["id_twice", "id_twice"]),
        ([row(0, None), row(0, "two")], "two", []),
        ([row(0, "one"), row(0, None)], "one", []),
    ],
)
def test_rows_with_one_id_count_once_if_equal_otherwise_as_missing(
    rows: list[Row], prediction: str | None, codes: list[str]
) -> None:
    placement, problems = placed(file_of(TASK, rows))
    assert placement.predictions[0] == prediction
    assert [problem.code for problem in problems if problem.line] == codes


def test_surplus_rows_find_no_place_by_order() -> None:
    file = file_of(TASK, [row(None, str(index), line=index + 1) for index in range(12)])
    placement, problems = placed(file, "order")
    assert placement.unknown == 2
    assert [problem.line for problem in problems if problem.line] == [11, 12]


@given(st.permutations(range(10)), st.integers(0, 10))
def test_any_part_of_a_file_in_any_order_gives_each_example_its_own_answer(
    keys: list[int], n: int
) -> None:
    file = file_of(TASK, [row(key, f"answer {key}") for key in keys[:n]])
    assert placed(file)[0].predictions == [
        f"answer {key}" if key in keys[:n] else None for key in range(10)
    ]


def test_agreement_counts_labels_by_id_and_by_order() -> None:
    rows = [row(0, "x", ["label 0"]), row(2, "x", ["label 1"]), row(3, "x")]
    found = agreement(GOLD, file_of(TASK, rows))
    assert (found.labelled, found.by_id, found.by_order) == (2, 1, 2)


def test_many_unknown_ids_are_another_scheme_also_in_a_part_of_a_file() -> None:
    rows = [row(key, "x") for key in (*range(5), *range(100, 111))]
    assert isinstance(decided(file_of(TASK, rows)), AlignmentQuestion)
