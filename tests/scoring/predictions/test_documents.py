"""Rows with whole contexts, and files that are one document: streamed, damage reported."""

import json
from pathlib import Path

from scoring.predictions.reader import Predictions, Row, read_predictions
from tests.support.bad_inputs import MIB
from tests.support.worlds import SAMPLES, opencompass, sample, write_lines


def _read_one(path: Path) -> list[Row]:
    (task,) = read_predictions(path).tasks.values()
    return task.rows


def _codes(found: Predictions) -> list[str]:
    return [problem.code for problem in found.problems]


# Rows that carry whole contexts


def test_a_row_with_a_context_of_twenty_mebibytes_is_read_without_it(tmp_path: Path) -> None:
    long = '"\\' * (7 * MIB)
    record = sample(0, "A")
    record["doc"] = {"context": long, "answer": ["x"]}
    file = write_lines(tmp_path / SAMPLES, record, sample(1, "B"))
    assert [row[:3] for row in _read_one(file)] == [(0, "A", ["x"]), (1, "B", ["f", "B"])]


def test_a_document_with_long_prompts_is_read_without_them(tmp_path: Path) -> None:
    document = opencompass("a", "b", "c")
    for row in document.values():
        row["origin_prompt"] = "字" * MIB  # type: ignore[index]
    file = tmp_path / "InfiniteBench_zhqa.json"
    file.write_text(json.dumps(document, indent=4, ensure_ascii=False), encoding="utf-8")
    assert [row.prediction for row in _read_one(file)] == ["a", "b", "c"]


def test_a_prediction_that_is_too_long_to_be_read_is_a_problem(tmp_path: Path) -> None:
    file = write_lines(tmp_path / SAMPLES, sample(0, "x" * 2 * MIB), sample(1, "B"))
    assert [row.prediction for row in _read_one(file)] == [None, "B"]
    assert "prediction_too_long" in _codes(read_predictions(file))


# Damaged documents


def _document(tmp_path: Path, text: str) -> Predictions:
    file = tmp_path / "InfiniteBench_enqa.json"
    file.write_text(text, encoding="utf-8")
    return read_predictions(file)


def test_the_rows_before_the_cut_of_a_document_are_read(tmp_path: Path) -> None:
    whole = json.dumps(opencompass("a", "b", "c"), indent=4)
    found = _document(tmp_path, whole[: whole.index('"c"')])
    assert [row.prediction for row in found.tasks["longbook_qa_eng"].rows] == ["a", "b", None]
    assert "document_broken" in _codes(found)


def test_a_bad_member_of_a_document_does_not_stop_the_others(tmp_path: Path) -> None:
    whole = json.dumps(opencompass("a", "b", "c"), indent=4)
    found = _document(tmp_path, whole.replace('"b"', "NaN"))
    assert [row.prediction for row in found.tasks["longbook_qa_eng"].rows] == ["a", None, "c"]
    assert "json_constant" in _codes(found)


def test_two_members_of_one_number_are_a_problem(tmp_path: Path) -> None:
    whole = json.dumps(opencompass("a", "b"))
    assert "json_key_twice" in _codes(_document(tmp_path, whole.replace('"1":', '"0":')))


def test_text_after_a_document_is_reported(tmp_path: Path) -> None:
    found = _document(tmp_path, json.dumps(opencompass("a")) + "\nstray")
    assert len(found.tasks["longbook_qa_eng"].rows) == 1
    assert "text_after_document" in _codes(found)


def test_a_document_of_another_kind_is_reported(tmp_path: Path) -> None:
    found = _document(tmp_path, json.dumps({"results": {"passkey": 1.0}}, indent=2))
    assert _codes(found) == ["document_unknown"]
