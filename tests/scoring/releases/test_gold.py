"""Release directories: read, hashed, and refused with file and line if they are invalid."""

import codecs
import json
from pathlib import Path

import pytest

from scoring.releases.gold import GoldError, TaskGold, read_gold, read_release


def write_task(folder: Path, task: str, rows: list[object]) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{task}.jsonl").write_text(text, encoding="utf-8")
    return folder


def read_one(folder: Path, task: str, rows: list[object]) -> TaskGold:
    return read_gold(write_task(folder, task, rows))[task]


def test_the_same_labels_in_another_form_have_the_same_hash(tmp_path: Path) -> None:
    plain = read_one(tmp_path / "a", "math_find", [{"id": 0, "answer": 88}])
    declared = read_one(tmp_path / "b", "math_find", [{"id": "0", "answer": ["88"]}])
    other = read_one(tmp_path / "c", "math_find", [{"id": 0, "answer": 89}])
    assert plain.labels_hash == declared.labels_hash != other.labels_hash


def test_a_changed_context_changes_the_hash_of_the_questions_alone(tmp_path: Path) -> None:
    row = {"id": 0, "context": "x", "input": "?", "answer": ["1"], "options": []}
    one = read_one(tmp_path / "a", "passkey", [row])
    two = read_one(tmp_path / "b", "passkey", [row | {"context": "y"}])
    assert one.labels_hash == two.labels_hash
    assert one.questions_hash != two.questions_hash


def test_the_letter_of_a_choice_comes_from_the_options(tmp_path: Path) -> None:
    row = {"id": 3, "answer": ["g"], "options": ["f", "g", "h", "i"]}
    assert read_one(tmp_path, "code_debug", [row]).examples[0].label == ("g", "B")


def test_only_the_wanted_tasks_are_read(tmp_path: Path) -> None:
    write_task(tmp_path, "passkey", [{"id": 0, "answer": "1"}])
    write_task(tmp_path, "code_run", ["not read"])
    assert list(read_gold(tmp_path, ["passkey", "math_find"])) == ["passkey"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": 0, "answer": 1}, {"id": 0, "answer": 2}], "line 2: the id 0 appears twice"),
        ([{"id": 0}], "line 1: “answer” must be a number"),
        ([{"answer": 1}], "line 1: “id” must be"),
        ([[1]], "line 1: a row must be a JSON object"),
        ([{"id": 0, "answer": 1, "options": 4}], "line 1: “options” must be a list"),
        ([{"id": 0, "answer": 1, "options": "ABCD"}], "line 1: “options” must be a list"),
        ([{"id": 0, "answer": 1, "options": [[1], [2]]}], "“options” must be texts or numbers"),
        ([{"id": 0, "answer": 1, "options": ["a", None]}], "“options” must be texts or numbers"),
        ([{"id": 0, "answer": 1, "options": [True]}], "“options” must be texts or numbers"),
        ([{"id": 0, "answer": 1, "context": ["x"]}], "line 1: “context” must be text, or null"),
        ([{"id": 0, "answer": 1, "context": {}}], "line 1: “context” must be text, or null"),
        ([{"id": 0, "answer": 1, "context": 0}], "line 1: “context” must be text, or null"),
        ([{"id": 0, "answer": 1, "context": True}], "line 1: “context” must be text, or null"),
        ([{"id": 0, "answer": 1, "input": 7}], "line 1: “input” must be text, or null"),
        ([{"id": 0, "answer": []}], "line 1: “answer” is an empty list: this file has no answers"),
        ([], "has no rows"),
    ],
)
def test_a_faulty_release_is_refused_with_its_line(
    tmp_path: Path, rows: list[object], message: str
) -> None:
    with pytest.raises(GoldError, match=message):
        read_gold(write_task(tmp_path, "code_run", rows))


@pytest.mark.parametrize("task", ["longbook_qa_eng", "math_calc", "passkey", "code_debug"])
@pytest.mark.parametrize("empty", [[], [[]]])
def test_the_download_of_a_hidden_release_is_refused_as_gold(
    tmp_path: Path, task: str, empty: object
) -> None:
    row = {"id": 0, "context": "x", "input": "?", "answer": empty, "options": []}
    with pytest.raises(GoldError, match="this file has no answers"):
        read_gold(write_task(tmp_path, task, [row]))


def test_null_is_as_good_as_absent(tmp_path: Path) -> None:
    file = write_task(
        tmp_path,
        "code_run",
        [{"id": 0, "answer": 1, "context": None, "input": None, "options": None}],
    )
    [row] = read_release("code_run", file / "code_run.jsonl")
    assert (row.context, row.question, row.example.options) == ("", "", ())


def test_options_may_be_numbers(tmp_path: Path) -> None:
    row = {"id": 0, "answer": ["2.5"], "options": [1, 2.5, "3", "x"]}
    assert read_one(tmp_path, "code_debug", [row]).examples[0].label == ("2.5", "B")


def test_one_byte_order_mark_is_skipped_at_the_start_only(tmp_path: Path) -> None:
    line = b'{"id": 0, "answer": 1}\n'
    file = tmp_path / "code_run.jsonl"
    file.write_bytes(codecs.BOM_UTF8 + line)
    assert [row.example.key for row in read_release("code_run", file)] == [0]
    file.write_bytes(line + codecs.BOM_UTF8 + line)
    with pytest.raises(GoldError, match="line 2: this is not JSON"):
        list(read_release("code_run", file))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_another_encoding_is_reported_as_such(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "code_run.jsonl"
    file.write_bytes('{"id": "café", "answer": 1}\n'.encode(encoding))
    with pytest.raises(GoldError, match="line 1: this is not UTF-8"):
        list(read_release("code_run", file))


def test_a_folder_without_tasks_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="contains no release"):
        read_gold(tmp_path)


def test_both_releases_have_3946_examples(released: Path) -> None:
    for release in ("hf", "paper"):
        gold = read_gold(released / "gold" / release)
        assert sum(len(task.examples) for task in gold.values()) == 3_946
