"""Wrong answers of different entries can be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.item_analysis.wrong_answers import wrong_answer
from scoring.labels import Label
from scoring.metrics import Question

UUID = "0ca1ea6d-d4c5-4f1b-9ef5-b8ee585ba083"
OPTIONS = ("Red hat", "The blue hat", "Green", "None of them")
NAMES = ("A.run", "B.walk_on", "stop", "C.go_x")


@pytest.mark.parametrize(
    ("task", "label", "predictions", "expected"),
    [
        ("passkey", "12345", ["12345", "none"], None),
        ("passkey", "12345", ["54321", "it is 54321."], "54321"),
        ("kv_retrieval", "x", [UUID, f'"{UUID.upper()}"'], UUID),
        ("code_run", 4, ["-3", "The return value is −3.", "minus 3", "-3.0"], "-3"),
        ("math_find", 4, ["48", "48.0", "４８", "it is 48, I think"], "48"),
        ("math_find", 4.5, ["4.5"], None),
        ("math_calc", (1, 2, 3), ["1, 2, 5", "[1, 2, 05, 7]"], "2: 5"),
        ("math_calc", (1, 2, 3), ["1, 2, 3", "1, 2"], None),
        ("longbook_choice_eng", ("Red hat", "A"), ["B", "(b)", "The answer is blue hat."], "B"),
        ("longbook_choice_eng", ("Red hat", "A"), ["A yellow hat"], "a yellow hat"),
        ("code_debug", ("A.run", "A"), ["B.", "`B.walk_on`", "walk_on()"], "B"),
        ("longdialogue_qa_eng", ("ANNA",), ["Ben", "The answer is “BEN”."], "ben"),
        ("longbook_qa_eng", ("red",), ["The blue one.", "blue one"], "blue one"),
        ("longbook_qa_eng", ("red",), ["Red", "...", ""], None),
        ("longbook_qa_chn", ("红",), ["蓝 色。", "蓝色"], "蓝 色"),
        ("longbook_sum_eng", ("a b",), ["c d"], None),
    ],
)
def test_equal_wrong_answers_have_one_form(
    task: str, label: Label, predictions: list[str], expected: str | None
) -> None:
    options = {"longbook_choice_eng": OPTIONS, "code_debug": NAMES}.get(task, ())
    found = {wrong_answer(task, text, label, Question(options)) for text in predictions}
    assert found == {expected}


LABELS: dict[str, Label] = {
    "passkey": "1", "number_string": "1", "kv_retrieval": UUID, "longbook_sum_eng": ("a",),
    "longbook_qa_eng": ("a",), "longbook_choice_eng": ("Red hat", "A"), "longbook_qa_chn": ("红",),
    "longdialogue_qa_eng": ("ANNA",), "code_debug": ("A.run", "A"), "code_run": 1,
    "math_calc": (1, 2), "math_find": 7.5,
}  # fmt: skip
TEXTS = st.one_of(
    st.text(),
    st.lists(st.sampled_from([
        "B", "The answer is", "7", ".", "-", "9" * 5000, "İ", "$$MASK$$ is", "walk_on", "blue hat",
        UUID, " ",
    ])).map("".join),
)  # fmt: skip


@given(st.sampled_from(sorted(TASKS)), TEXTS)
def test_no_text_raises(task: str, prediction: str) -> None:
    options = {"longbook_choice_eng": OPTIONS, "code_debug": NAMES}.get(task, ())
    assert wrong_answer(task, prediction, LABELS[task], Question(options)) != ""
