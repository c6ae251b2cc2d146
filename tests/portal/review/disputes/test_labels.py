"""Labels as reviewers type them."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from portal.review.disputes.labels import read_label, written_label
from scoring.catalog import TASKS

OPTIONS = ["red", "green", "blue", "yellow"]
WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1)


@pytest.mark.parametrize(
    ("task", "typed", "label"),
    [
        ("kv_retrieval", " aa-bb \n", "aa-bb"),
        ("passkey", "98915", "98915"),
        ("longbook_qa_eng", "19\n\n nineteen crowns \n19", ["19", "nineteen crowns"]),
        ("longbook_choice_eng", "C", ["blue", "C"]),
        ("longbook_choice_eng", "blue", ["blue", "C"]),
        ("longbook_choice_eng", "C. blue", ["blue", "C"]),
        ("code_debug", "B. Tree._walk", ["Tree._walk", "B"]),  # whose options are not stored
        ("code_run", "-7", -7),
        ("math_find", "2.5", 2.5),
        ("math_calc", "1, 2 3,\n4", [1, 2, 3, 4]),
    ],
)
def test_a_typed_label_has_the_form_of_a_stored_one(task: str, typed: str, label: object) -> None:
    options = OPTIONS if task == "longbook_choice_eng" else []
    assert read_label(TASKS[task], typed, options) == label


@pytest.mark.parametrize(
    ("task", "typed"),
    [
        ("kv_retrieval", ""),
        ("kv_retrieval", "two\nlines"),
        ("longbook_qa_eng", " \n "),
        ("longbook_choice_eng", "E"),
        ("longbook_choice_eng", "purple"),
        ("longbook_choice_eng", "B. blue"),
        ("code_debug", "B"),
        ("code_debug", "Tree._walk"),
        ("code_run", "seven"),
        ("code_run", "1e400"),
        ("math_find", "nan"),
        ("math_calc", "1, two"),
        ("math_calc", ""),
    ],
)
def test_what_is_no_label_of_the_task_is_refused(task: str, typed: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read_label(TASKS[task], typed, OPTIONS if "choice" in task else [])
    assert refused.value.code == "label"


def test_a_label_has_no_more_answers_than_anybody_reads() -> None:
    task = TASKS["longbook_qa_eng"]
    assert read_label(task, "19\n" * 3_000, []) == ["19"]
    with pytest.raises(ValidationError, match="at most 50 answers; these are 3000"):
        read_label(task, "\n".join(map(str, range(3_000))), [])


@given(st.lists(WORDS, min_size=1, max_size=50, unique=True))
def test_a_written_label_is_read_again_as_it_was(answers: list[str]) -> None:
    task = TASKS["longbook_qa_eng"]
    assert read_label(task, written_label(task, answers, []), []) == answers


def test_so_is_that_of_a_choice() -> None:
    task, label = TASKS["longbook_choice_eng"], ["blue", "C"]
    assert [written_label(task, label, options) for options in ([], OPTIONS)] == ["C. blue", "C"]
    for options in ([], OPTIONS):
        assert read_label(task, written_label(task, label, options), options) == label
