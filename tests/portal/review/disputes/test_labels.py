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
        ("longbook_qa_eng", "19\n\n nineteen crowns ", ["19", "nineteen crowns"]),
        ("longbook_choice_eng", "C", ["blue", "C"]),
        ("longbook_choice_eng", "blue", ["blue", "C"]),
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


@given(st.lists(WORDS, min_size=1))
def test_a_written_label_is_read_again_as_it_was(answers: list[str]) -> None:
    task = TASKS["longbook_qa_eng"]
    assert read_label(task, written_label(task, answers), []) == answers
