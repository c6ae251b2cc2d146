"""The length of right answers, as an import measures it."""

from pathlib import Path

import pytest

from portal.models import Example, TaskDataSet
from portal.releases.answers import answer_tokens
from portal.releases.importer import import_release
from scoring.catalog import TASKS
from scoring.labels import Label, answer_text
from scoring.text.tokens import count_tokens
from tests.support.worlds import write_rows


@pytest.mark.parametrize(
    ("task", "label", "text"),
    [
        ("passkey", "01234", "01234"),
        ("longbook_qa_eng", ("a name", "another"), "a name"),
        ("code_debug", ("f", "B"), "f"),
        ("math_find", 48.0, "48.0"),
        ("math_calc", (1, 22, 3), "1, 22, 3"),
    ],
)
def test_an_answer_is_as_short_as_it_can_be_written(task: str, label: Label, text: str) -> None:
    assert answer_text(TASKS[task], label) == text


@pytest.mark.parametrize("task", ["code_run", "math_calc"])
def test_values_have_as_many_tokens_as_the_vocabulary_says(task: str) -> None:
    labels: list[Label] = [(79, 5, 12, 0), (7,), (1, 2)] if task == "math_calc" else [4, 100]
    counted = [count_tokens(answer_text(TASKS[task], label)).value for label in labels]
    assert answer_tokens(TASKS[task], labels).value == sum(counted)


@pytest.mark.django_db
def test_an_import_counts_what_was_not_counted_yet(tmp_path: Path) -> None:
    rows = [{"id": key, "answer": ["12345"]} for key in range(3)]
    write_rows(tmp_path / "passkey.jsonl", rows)
    import_release(tmp_path, slug="a", title="A")
    counted = 3 * count_tokens("12345").value
    assert TaskDataSet.objects.get().answer_tokens == counted
    TaskDataSet.objects.update(answer_tokens=None)
    import_release(tmp_path, slug="a", title="A")
    assert TaskDataSet.objects.get().answer_tokens == counted


@pytest.mark.django_db
def test_an_import_looks_for_answers_in_contexts(tmp_path: Path) -> None:
    contexts = ["a pass key: 12345", "no key", "12 345", "..12345.."]
    rows = [
        {"id": key, "context": text, "input": "Which?", "answer": ["12345"]}
        for key, text in enumerate(contexts)
    ]
    write_rows(tmp_path / "passkey.jsonl", rows)
    names = [{"id": 0, "context": "ANN: hello", "input": "Who?", "answer": ["Bob", "Ann"]}]
    write_rows(tmp_path / "longdialogue_qa_eng.jsonl", names)
    write_rows(tmp_path / "longbook_qa_eng.jsonl", names)  # whose answers are not anybody's words
    for _ in range(2):
        import_release(tmp_path, slug="a", title="A")
        found = Example.objects.order_by("data_set__task", "index")
        assert list(found.values_list("answer_in_context", flat=True)) == [
            *(None, True),
            *(True, False, False, True),
        ]
        Example.objects.update(answer_in_context=None)  # from an import before this was measured
