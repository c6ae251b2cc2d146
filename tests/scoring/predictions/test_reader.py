"""Prediction files of every known program: their names, their rows, and several at once."""

import json
import os
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest

from scoring.catalog import TASKS
from scoring.limits import LIMITS, Limits
from scoring.predictions.canonical import read_canonical, write_canonical
from scoring.predictions.dialects import named
from scoring.predictions.reader import ABSENT, Predictions, Row, read_predictions
from tests.support.bad_archives import zipped
from tests.support.bad_inputs import rows
from tests.support.worlds import SAMPLES, opencompass, sample, write_lines


def _read_one(path: Path, **options: str) -> list[Row]:
    (task,) = read_predictions(path, **options).tasks.values()  # type: ignore[arg-type]
    return task.rows


def _answers(path: Path) -> list[tuple[object, str | None, object]]:
    return [(row.key, row.prediction, row.label) for row in _read_one(path)]


def _codes(found: Predictions) -> list[str]:
    return [problem.code for problem in found.problems]


def test_gpt4s_released_files_are_read_whole(released: Path) -> None:
    found = read_predictions(released / "results" / "gpt4")
    assert sum(len(task.rows) for task in found.tasks.values()) == 3_946
    assert len(found.tasks) == 12
    assert {task.dialect for task in found.tasks.values()} == {"official"}
    assert all(
        row.prediction is not None and row.label is not ABSENT
        for task in found.tasks.values()
        for row in task.rows
    )


def test_only_the_gpt4_file_with_an_unknown_name_is_ignored(
    released: Path,
) -> None:
    problems = read_predictions(released / "results" / "gpt4").problems
    (problem,) = [problem for problem in problems if problem.severity != "note"]
    expected = ("task_another_run", "preds_code_debug_step_by_step.jsonl")
    assert (problem.code, problem.file) == expected
    assert problem.params["beside"] == "preds_code_debug.jsonl"
    assert "--task code_debug" in problem.fix


def test_the_task_of_a_file_with_another_name_can_be_given(released: Path) -> None:
    file = released / "results" / "gpt4" / "preds_code_debug_step_by_step.jsonl"
    found = read_predictions(file, task="code_debug")
    assert len(found.tasks["code_debug"].rows) == 394


@pytest.mark.parametrize("model", ["claude2", "kimi"])
def test_released_files_have_no_errors(released: Path, model: str) -> None:
    problems = read_predictions(released / "results" / model).problems
    assert {problem.severity for problem in problems} <= {"note"}


# Names of files

NAMES = {
    "preds_passkey.jsonl": ("passkey", None),
    "passkey.jsonl": ("passkey", None),
    "a/b/prediction_kv_retrieval.jsonl": ("kv_retrieval", None),
    "preds_math_calc_0-25.jsonl": ("math_calc", (0, 25)),
    "preds_math_calc.json": ("math_calc", None),
    "samples_infinitebench_passkey_2024-11-05T10-20-30.123456.jsonl": ("passkey", None),
    "samples_infinitebench_longbook_qa_en_2025-01-02T03-04-05.jsonl": ("longbook_qa_eng", None),
    "samples_infinitebench_longbook_qa_eng_2025-01-02T03-04-05.jsonl": ("longbook_qa_eng", None),
    "InfiniteBench_retrievepasskey.json": ("passkey", None),
    "InfiniteBench_zhqa_3.json": ("longbook_qa_chn", (3, 4)),
    "infbench_qa_eng_130862_v1_eval_in131072_size100_shots2_42.json": ("longbook_qa_eng", None),
    "tmp_output_kv_retrieval_srt.txt": ("kv_retrieval", None),
    "preds_passkey_openai.jsonl": None,
    "preds_code_debug_step_by_step.jsonl": None,
    "Preds_passkey.jsonl": ("passkey", None),
    "En.QA.jsonl": ("longbook_qa_eng", None),
    "Retrieve.PassKey.jsonl": ("passkey", None),
    "math_find.JSONL": ("math_find", None),
    "preds_PassKey.jsonl": ("passkey", None),
    "en_qa.jsonl": ("longbook_qa_eng", None),
    "zh.qa.json": ("longbook_qa_chn", None),
    "Code Debug.ndjson": ("code_debug", None),
    "predictions-kv-retrieval.txt": ("kv_retrieval", None),
    "preds_passkey (1).jsonl.GZ": ("passkey", None),
    "EN.QA_0-50.jsonl": ("longbook_qa_eng", (0, 50)),
    "run.jsonl": None,
    "preds_passkey.csv": None,
    "preds_passkey.jsonl\n": None,
    "preds_passkey.jsonl.bak": None,
    "preds_passkey_0-.jsonl": None,
    "samples_gsm8k_2024-11-05T10-20-30.jsonl": None,
    "InfiniteBench_unknown.json": None,
    "results_2024-11-05T10-20-30.json": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_only_known_names_say_their_task(name: str) -> None:
    found = named(name)
    assert (found and (found.task, found.part)) == NAMES[name]


# Dialects: rows as each program writes them


def test_official_rows(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "preds_code_debug.jsonl",
        {"id": 0, "prediction": "A", "ground_truth": ["f", "B"], "label": ["g", "C"]},
        {"id": "1", "pred": "B", "label": ["g", "C"]},
        {"id": 2.0, "prediction": 3},
    )
    assert _answers(file) == [(0, "A", ["f", "B"]), (1, "B", ["g", "C"]), (2, "3", ABSENT)]


def test_minference_rows(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "prediction_passkey.jsonl",
        {"id": 0, "prediction": "71432", "ground_truth": "71432"},
    )
    assert _answers(file) == [(0, "71432", "71432")]


def test_tensorrt_rows_in_a_file_with_a_range(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "preds_passkey_0-1.jsonl",
        {"id": 0, "prediction": "71432", "ground_truth": "71432", "input_lengths": [125_000]},
    )
    assert _answers(file) == [(0, "71432", "71432")]
    assert _codes(read_predictions(file)) == ["keys_known"]


def test_infllm_rows_have_no_ids(tmp_path: Path) -> None:
    row = {"pred": "B", "answers": ["B"], "all_classes": None, "length": 9, "token_length": 12}
    found = read_predictions(write_lines(tmp_path / "longbook_choice_eng.jsonl", row, row))
    task = found.tasks["longbook_choice_eng"]
    assert task.dialect == "infllm"
    assert [(row.key, row.prediction, row.label) for row in task.rows] == [(None, "B", ["B"])] * 2
    assert _codes(found) == ["keys_known"]


def test_em_llm_rows_have_ids(tmp_path: Path) -> None:
    row = {"id": 7, "pred": "5", "answers": [5], "length": 9, "chunk_ppl": None}
    assert _answers(write_lines(tmp_path / "math_find.jsonl", row)) == [(7, "5", [5])]


def test_sglang_rows(tmp_path: Path) -> None:
    row = {"question_id": 3, "model_id": "m", "prediction": "1", "ground_truth": ["1"]}
    found = read_predictions(write_lines(tmp_path / "tmp_output_passkey_srt.txt", row))
    assert found.tasks["passkey"].dialect == "sglang"
    assert found.tasks["passkey"].rows[0][:3] == (3, "1", ["1"])


@pytest.mark.parametrize("indent", [4, None])
def test_opencompass_documents(tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "InfiniteBench_enqa.json"
    file.write_text(json.dumps(opencompass("a", 'b"}{'), indent=indent), encoding="utf-8")
    found = read_predictions(file)
    assert found.tasks["longbook_qa_eng"].dialect == "opencompass"
    assert _answers(file) == [(0, "a", ["x"]), (1, 'b"}{', ["x"])]


def test_pieces_of_an_opencompass_run_are_taken_by_order(tmp_path: Path) -> None:
    for piece, texts in enumerate((["a", "b"], ["c"])):
        file = tmp_path / f"InfiniteBench_enqa_{piece}.json"
        file.write_text(json.dumps(opencompass(*texts), indent=4), encoding="utf-8")
    assert [row[:2] for row in _read_one(tmp_path)] == [(None, "a"), (None, "b"), (None, "c")]


@pytest.mark.parametrize("indent", [4, None])
def test_helmet_documents(tmp_path: Path, indent: int | None) -> None:
    row = {"id": 5, "answer": ["x"], "output": "Answer: a", "parsed_output": "a", "input_len": 1}
    document = {
        "args": {"seed": 42, "stop": {}},
        "data": [row, {**row, "id": 6}],
        "metrics": {"f1": [0.5, 1]},
        "averaged_metrics": {"f1": 75.0},
        "throughput": 0.1,
    }
    file = tmp_path / "infbench_qa_eng_7982_eval_42.json"
    file.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    assert read_predictions(file).tasks["longbook_qa_eng"].dialect == "helmet"
    assert _answers(file) == [(5, "Answer: a", ["x"]), (6, "Answer: a", ["x"])]


def test_lm_evaluation_harness_samples(tmp_path: Path) -> None:
    file = write_lines(tmp_path / SAMPLES, sample(0, "A"), sample(1, "B"))
    assert read_predictions(file).tasks["code_debug"].dialect == "lm-evaluation-harness"
    assert _answers(file) == [(0, "A", ["f", "B"]), (1, "B", ["f", "B"])]


def test_samples_without_filtered_responses(tmp_path: Path) -> None:
    record = sample(0, "A")
    del record["filtered_resps"]
    assert _answers(write_lines(tmp_path / SAMPLES, record))[0][1] == "A\nmore"


def test_with_several_filters_the_first_counts(tmp_path: Path) -> None:
    samples = [
        sample(number, f"{name}{number}", filter=name)
        for name in ("none", "strict")
        for number in range(2)
    ]
    found = read_predictions(write_lines(tmp_path / SAMPLES, *samples))
    assert [row.prediction for row in found.tasks["code_debug"].rows] == ["none0", "none1"]
    assert "variants_ignored" in _codes(found)


def test_log_likelihoods_are_no_predictions(tmp_path: Path) -> None:
    record = sample(0, "", filtered_resps=[[-3.25, False]], resps=[[[-3.25, False]]])
    found = read_predictions(write_lines(tmp_path / SAMPLES, record))
    assert "prediction_unusable" in _codes(found)


# Several files


def test_ranges_of_a_task_are_put_together_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "preds_passkey_2-4.jsonl").write_bytes(rows("c", "d"))
    (tmp_path / "preds_passkey_0-2.jsonl").write_bytes(rows("a", "b"))
    found = read_predictions(tmp_path).tasks["passkey"]
    assert [row.prediction for row in found.rows] == ["a", "b", "c", "d"]
    assert found.files == ["preds_passkey_0-2.jsonl", "preds_passkey_2-4.jsonl"]


@pytest.mark.parametrize(
    "names",
    [
        ("preds_passkey.jsonl", "prediction_passkey.jsonl"),
        ("preds_passkey.jsonl", "preds_passkey_0-9.jsonl"),
        ("preds_passkey_0-9.jsonl", "preds_passkey_5-14.jsonl"),
    ],
)
def test_two_files_for_one_task_are_an_error_that_names_both(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(rows(name))
    (tmp_path / "code_run.jsonl").write_bytes(rows("b"))
    found = read_predictions(tmp_path)
    (problem,) = found.problems
    assert problem.code == "two_files_for_task"
    assert all(name in problem.message for name in names)
    assert list(found.tasks) == ["code_run"]


def test_a_file_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    for name in ("preds_passkey.jsonl", "Retrieve.PassKey.jsonl"):
        (tmp_path / name).write_bytes(rows("a", "b"))
    found = read_predictions(tmp_path)
    assert [problem.code for problem in found.problems] == ["file_repeated"]
    assert len(found.tasks["passkey"].rows) == 2


@pytest.mark.parametrize(
    ("name", "example"),
    [("mine.jsonl", "longbook_qa_eng"), ("my_code_debug_2.jsonl", "code_debug")],
)
def test_for_a_file_without_a_task_in_its_name_a_new_name_is_suggested(
    tmp_path: Path, name: str, example: str
) -> None:
    (tmp_path / name).write_bytes(rows("1"))
    (problem,) = read_predictions(tmp_path).problems
    assert problem.code == "task_unknown"
    assert f"such as preds_{example}.jsonl for " in problem.fix
    assert "--task TASK" in problem.fix


def test_tasks_come_in_the_order_of_the_catalogue(tmp_path: Path) -> None:
    for task in ("code_run", "math_calc", "passkey"):
        (tmp_path / f"{task}.jsonl").write_bytes(rows("1"))
    assert list(read_predictions(tmp_path).tasks) == ["passkey", "code_run", "math_calc"]


def test_a_given_task_names_the_one_file_that_needs_it(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(rows("1"))
    (tmp_path / "mine.jsonl").write_bytes(rows("2"))
    assert list(read_predictions(tmp_path, task="code_run").tasks) == ["passkey", "code_run"]


def test_a_given_task_does_not_name_two_files(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_bytes(rows("1"))
    (tmp_path / "yours.jsonl").write_bytes(rows("2"))
    found = read_predictions(tmp_path, task="code_run")
    assert (_codes(found), found.tasks) == (["task_ambiguous"], {})


def test_a_given_task_names_a_single_file_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_bytes(rows("1"))
    assert list(read_predictions(tmp_path / "answers.txt", task="code_run").tasks) == ["code_run"]


def test_several_files_without_a_task_in_their_names_get_theirs(tmp_path: Path) -> None:
    names = ("a/mine.jsonl", "a/yours.txt", "a/left out.jsonl", "passkey.jsonl")
    archive = tmp_path / "files.zip"
    archive.write_bytes(zipped({name: rows(name) for name in names}))
    given = {"a/mine.jsonl": "code_run", "a/yours.txt": "math_calc", "passkey.jsonl": "math_find"}
    found = read_predictions(archive, file_tasks=given)
    assert {task: one.files for task, one in found.tasks.items()} == {
        "passkey": ["passkey.jsonl"],  # its name says so
        "code_run": ["a/mine.jsonl"],
        "math_calc": ["a/yours.txt"],
    }
    assert [(one.code, one.file) for one in found.problems] == [
        ("task_unknown", "a/left out.jsonl")
    ]


def test_one_file_s_task_may_be_given_next_to_those_of_others(tmp_path: Path) -> None:
    for name in ("mine.jsonl", "yours.jsonl"):
        (tmp_path / name).write_bytes(rows(name))
    found = read_predictions(tmp_path, task="passkey", file_tasks={"mine.jsonl": "code_run"})
    assert (list(found.tasks), found.problems) == (["passkey", "code_run"], [])


def test_two_files_that_are_given_one_task_exclude_each_other(tmp_path: Path) -> None:
    for name in ("mine.jsonl", "yours.jsonl"):
        (tmp_path / name).write_bytes(rows(name))
    given = dict.fromkeys(("mine.jsonl", "yours.jsonl"), "code_run")
    assert _codes(read_predictions(tmp_path, file_tasks=given))[0] == "two_files_for_task"


def test_a_name_counts_more_than_the_given_task(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(rows("1"))
    found = read_predictions(tmp_path / "passkey.jsonl", task="code_run")
    assert (_codes(found), list(found.tasks)) == (["task_not_needed"], ["passkey"])


def test_other_files_are_only_noted(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(rows("1"))
    (tmp_path / "README.md").write_text("# Results", encoding="utf-8")
    (tmp_path / "results_2025-01-02T03-04-05.678901.json").write_text("{}", encoding="utf-8")
    assert _codes(read_predictions(tmp_path)) == ["file_ignored"] * 2


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        (b"%PDF-1.7\n" + b"x" * 600, "PDF"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}), "Word"),
        (zipped({"[Content_Types].xml": b"<x/>", "odd.xml": b"<x/>"}), "Microsoft Office"),
        (zipped({"mimetype": b"application/vnd.oasis", "content.xml": b"<x/>"}), "OpenDocument"),
    ],
)
def test_a_file_of_another_format_is_reported_as_that_format(
    tmp_path: Path, content: bytes, format_: str
) -> None:
    (tmp_path / "preds").write_bytes(content)
    found = read_predictions(tmp_path / "preds")
    (problem,) = (problem for problem in found.problems if problem.severity == "error")
    assert (problem.code, problem.params["format"]) == ("file_not_rows", format_)


def test_an_image_among_predictions_is_only_a_note(tmp_path: Path) -> None:
    (tmp_path / "preds_passkey.jsonl").write_bytes(rows("1"))
    (tmp_path / "figure.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert _codes(read_predictions(tmp_path)) == ["file_ignored"]


def test_a_table_named_after_a_task_that_no_other_file_answers_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "preds_passkey.jsonl").write_bytes(rows("1"))
    for name in ("preds_passkey.csv", "preds_code_run.csv", "totals.csv"):
        (tmp_path / name).write_bytes(b"id,prediction\n0,6\n")
    found = read_predictions(tmp_path).problems
    assert {one.file: one.code for one in found} == {
        "preds_passkey.csv": "file_ignored",
        "preds_code_run.csv": "file_is_table",
        "totals.csv": "file_ignored",
    }


def test_a_spreadsheet_is_a_table_wherever_it_lies(tmp_path: Path) -> None:
    sheet = zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    (tmp_path / "preds_passkey.xlsx").write_bytes(sheet)
    (tmp_path / "packed.zip").write_bytes(zipped({"preds_passkey.xlsx": sheet}))
    for name in ("preds_passkey.xlsx", "packed.zip"):
        problems = read_predictions(tmp_path / name).problems
        errors = [(one.code, one.params) for one in problems if one.severity == "error"]
        assert errors == [("file_is_table", {"format": "Excel"})], name


def test_a_file_of_another_format_is_refused_even_with_its_task(tmp_path: Path) -> None:
    (tmp_path / "answers.pdf").write_bytes(b"%PDF-1.7")
    for given in ({"task": "passkey"}, {"file_tasks": {"answers.pdf": "passkey"}}):
        found = read_predictions(tmp_path / "answers.pdf", **given)
        assert _codes(found) == ["file_not_rows"]


def test_an_empty_file_is_no_answer_to_its_task(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(b"")
    found = read_predictions(tmp_path / "passkey.jsonl")
    assert (_codes(found), found.tasks) == (["file_empty"], {})


# The digest


def _digest(tmp_path: Path, *records: object) -> str:
    return read_predictions(write_lines(tmp_path / "passkey.jsonl", *records)).digest


def test_the_digest_ignores_labels_and_other_keys(tmp_path: Path) -> None:
    plain = _digest(tmp_path, {"id": 0, "prediction": "1"})
    assert plain == _digest(tmp_path, {"pred": "1", "label": "2", "length": 3, "id": "0"})


@pytest.mark.parametrize(
    "other",
    [
        [{"id": 0, "prediction": "2"}],
        [{"id": 1, "prediction": "1"}],
        [{"id": 0, "prediction": ""}],
        [{"id": 0, "prediction": None}],
        [{"id": 0, "prediction": "1"}, {"id": 1, "prediction": ""}],
        [{"id": "None", "prediction": "1"}],
    ],
)
def test_different_predictions_have_different_hashes(
    tmp_path: Path, other: list[dict[str, object]]
) -> None:
    assert _digest(tmp_path, {"id": 0, "prediction": "1"}) != _digest(tmp_path, *other)


# Limits of the whole input


def test_lines_beyond_the_limit_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(rows("a", "b", "c"))
    found = read_predictions(tmp_path, limits=Limits(lines=2))
    assert [row.prediction for row in found.tasks["passkey"].rows] == ["a", "b"]
    assert _codes(found) == ["lines_too_many"]


def test_text_beyond_the_limit_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "passkey.jsonl").write_bytes(rows("a" * 1_000, "b" * 1_000, "c" * 1_000))
    found = read_predictions(tmp_path, limits=Limits(kept=3_000))
    assert len(found.tasks["passkey"].rows) == 2
    assert _codes(found) == ["text_too_much"]


# Rows that differ from what the first row, or the name of the file, suggests


@pytest.mark.parametrize(
    "first", ["{", '[{"id": 0, "prediction": "x"}]', '{"doc_id": 0, "prediction": "x"}']
)
def test_a_bad_first_line_stops_no_other(tmp_path: Path, first: str) -> None:
    file = tmp_path / "passkey.jsonl"
    file.write_bytes(first.encode() + b"\n" + rows("1", "2", "3"))
    found = read_predictions(file).tasks["passkey"]
    assert [row.prediction for row in found.rows][-3:] == ["1", "2", "3"]
    assert [row.key for row in found.rows][-3:] == [0, 1, 2]


@pytest.mark.parametrize("extra", [{"question_id": 7}, {"output": "y", "input_len": 3}])
def test_extra_keys_do_not_make_a_row_another_program_s(
    tmp_path: Path, extra: dict[str, object]
) -> None:
    file = tmp_path / "passkey.jsonl"
    file.write_text(json.dumps({"id": 5, "prediction": "x"} | extra))
    (row,) = read_predictions(file).tasks["passkey"].rows
    assert (row.key, row.prediction) == (5, "x")


def write_parts(folder: Path, first: int, tasks: Iterable[str] = TASKS) -> None:
    for task in tasks:
        row = json.dumps({"prediction": "a"})
        (folder / f"preds_{task}_{first}-{first + 1}.jsonl").write_text(row)


def errors_of(found: Predictions) -> list[str]:
    return [problem.code for problem in found.problems if problem.severity == "error"]


def test_missing_rows_before_parts_use_up_the_lines_of_all_files(tmp_path: Path) -> None:
    """Twelve rows that would be expanded to 2.4 million."""
    write_parts(tmp_path, LIMITS.lines // 2)
    found = read_predictions(tmp_path)
    assert sum(len(file.rows) for file in found.tasks.values()) <= LIMITS.lines
    assert len(found.tasks) == 1
    assert errors_of(found) == ["lines_too_many"] * 11
    stream = BytesIO()
    write_canonical(found, stream)
    stream.seek(0)
    assert read_canonical(stream) == found  # the second stage refuses no more than the first


def test_a_gap_that_is_too_large_takes_nothing_from_the_other_files(tmp_path: Path) -> None:
    write_parts(tmp_path, 999_999_998, ["passkey"])
    write_parts(tmp_path, 3, ["code_run"])
    found = read_predictions(tmp_path)
    assert {task: len(file.rows) for task, file in found.tasks.items()} == {"code_run": 4}
    assert errors_of(found) == ["lines_too_many"]


def test_parts_after_too_large_a_gap_are_left_out(tmp_path: Path) -> None:
    for first in (0, 300_000, 300_001):
        write_parts(tmp_path, first, ["passkey"])
    found = read_predictions(tmp_path)
    assert len(found.tasks["passkey"].rows) == 1
    assert errors_of(found) == ["lines_too_many"]


def test_parts_without_ids_begin_where_their_names_say(tmp_path: Path) -> None:
    for part, text in (("0-1", "a"), ("3-4", "d")):
        (tmp_path / f"preds_passkey_{part}.jsonl").write_text(json.dumps({"prediction": text}))
    found = read_predictions(tmp_path).tasks["passkey"]
    assert [row.prediction for row in found.rows] == ["a", None, None, "d"]


def test_an_id_beyond_64_bits_is_no_id(tmp_path: Path) -> None:
    file = tmp_path / "passkey.jsonl"
    ids = ("1e300", "-9999999999999999999", "9999999999999999999")
    file.write_text("".join(f'{{"id": {key}, "prediction": "x", "label": "y"}}\n' for key in ids))
    assert [row.key for row in read_predictions(file).tasks["passkey"].rows] == [None] * 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "code_run.jsonl").write_bytes(rows("1"))
    (tmp_path / "code_run.jsonl").chmod(0)
    (tmp_path / "passkey.jsonl").write_bytes(rows("1"))
    found = read_predictions(tmp_path)
    assert list(found.tasks) == ["passkey"]
    assert [problem.file for problem in found.problems] == ["code_run.jsonl"]
