"""A label means the same in every form."""

import pytest

from scoring.catalog import TASKS
from scoring.labels import LabelError, canonical_label, release_label

OPTIONS = ("tea", "rum", "milk", "ale")


@pytest.mark.parametrize(
    ("task", "forms", "canonical"),
    [
        ("passkey", ["07142", ["07142"]], "07142"),
        ("code_run", [4, [4], "4", ["4"]], 4),
        ("math_find", [88, [88], "88", ["88"]], 88),
        ("math_find", [48.0, [48.0], "48.0", ["48.0"]], 48.0),
        ("math_calc", [[1, 2], [[1, 2]], ["1", "2"]], (1, 2)),
        ("longbook_qa_eng", ["a", ["a"], [["a"]]], ("a",)),
        ("longbook_qa_eng", [["a", "b"], [["a", "b"]]], ("a", "b")),
        ("longbook_choice_eng", [["rum", "B"], "rum", ["rum"], [["rum", "B"]]], ("rum", "B")),
    ],
)
def test_every_form_of_a_label_has_one_canonical_type(
    task: str, forms: list[object], canonical: object
) -> None:
    for form in forms:
        label = canonical_label(TASKS[task], form, OPTIONS)
        assert label == canonical
        assert type(label) is type(canonical)


def test_a_list_around_a_key_value_label_is_kept_unless_it_is_a_release_s() -> None:
    task = TASKS["kv_retrieval"]
    assert canonical_label(task, ["c14c"]) == ("c14c",)
    assert release_label(task, ["c14c"]) == "c14c"


@pytest.mark.parametrize("answer", ["B", ["B"], [["B"]]])
def test_a_letter_alone_is_the_option_that_it_stands_for(answer: object) -> None:
    task = TASKS["code_debug"]
    assert canonical_label(task, answer, OPTIONS) == ("rum", "B")
    assert canonical_label(task, answer, ("B", "rum", "C", "x")) == ("B", "A")  # an option itself
    for options in ((), OPTIONS[:3], (*OPTIONS, "gin")):
        with pytest.raises(LabelError, match="one of the example's four options"):
            canonical_label(task, answer, options)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("passkey", 7142),
        ("passkey", None),
        ("code_run", True),
        ("code_run", "four"),
        ("code_run", 4.5),
        ("math_find", []),
        ("math_find", {"a": 1}),
        ("math_find", "1e999.5x"),
        ("code_run", float("inf")),
        ("math_find", float("nan")),
        ("math_calc", ["one"]),
        ("longbook_qa_eng", [1]),
        ("longbook_choice_eng", "gin"),
        ("longbook_choice_eng", ["a", "b", "c"]),
        ("longbook_choice_eng", []),
    ],
)
def test_an_answer_of_the_wrong_kind_is_refused_with_a_sentence(task: str, answer: object) -> None:
    with pytest.raises(LabelError, match="must be"):
        canonical_label(TASKS[task], answer, OPTIONS)
