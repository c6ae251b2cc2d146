"""Convert predictions and logs of other tools: ids and answers stay, losses are reported."""

import json
import struct
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.__main__ import main
from scoring.limits import LIMITS, MIB, Budget
from scoring.logs import answers as answers_module
from scoring.logs import every_eval_ever
from scoring.logs.answers import LOG_LIMITS
from scoring.predictions.json_stream import outermost_values
from scoring.predictions.reader import read_predictions
from tests.support import worlds
from tests.support.eval_logs import (
    SCORES,
    instance_line,
    request_state,
    sample,
    write_eval,
    write_inspect_json,
    write_state,
    write_zip,
)
from tests.support.paths import ROOT
from tests.support.worlds import SAMPLES, opencompass, write_lines

PEAK = 130  # MiB; an interpreter that has loaded the reader takes 40


def convert(out: Path, *words: object) -> tuple[int, dict[str, Any]]:
    document = out.parent / "document.json"
    code = main(["convert", *map(str, words), "--out", str(out), "--json", str(document)])
    return code, json.loads(document.read_text())


def answers(file: Path) -> dict[object, str | None]:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return {row["id"]: row["prediction"] for row in rows}


def lost(document: dict[str, Any]) -> dict[str, int]:
    return {one["code"]: one["count"] for one in document["lost"]}


def test_every_form_keeps_its_ids_answers_and_labels(tmp_path: Path) -> None:
    inputs = tmp_path / "in"
    inputs.mkdir()
    write_lines(inputs / SAMPLES, *(worlds.sample(key, f"answer {key}") for key in range(3)))
    (inputs / "InfiniteBench_enqa.json").write_text(json.dumps(opencompass("a", "b\u2028c")))
    write_lines(inputs / "longbook_sum_eng.jsonl", *({"pred": x, "answers": ["y"]} for x in "abc"))
    helmet = {"output": "o", "parsed_output": "p", "input_len": 3, "answer": ["x"], "id": 7}
    (inputs / "infbench_choice_eng_x.json").write_text(json.dumps({"args": {}, "data": [helmet]}))
    write_lines(inputs / "preds_math_find.jsonl", {"id": "a", "prediction": 48.0}, {"id": 2})
    code, document = convert(tmp_path / "out", inputs)
    before, after = read_predictions(inputs), read_predictions(tmp_path / "out")
    assert before.tasks.keys() == after.tasks.keys() == document["tasks"].keys()
    assert len(after.tasks) == 5
    for task, found in after.tasks.items():
        same = [row[:3] for row in before.tasks[task].rows]
        assert [row[:3] for row in found.rows] == same, task
    assert before.digest == after.digest
    assert code == 1  # a row without a prediction
    assert "prediction_missing" in {one["code"] for one in document["problems"]}


@pytest.mark.parametrize("form", ["deflate", "zstd", "json"])
def test_an_inspect_log_gives_the_first_answer_of_each_sample(tmp_path: Path, form: str) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "C"}]
    samples = [
        sample(0, "It is \u4e00\\ 71432."),
        sample(0, "later", epoch=2),
        sample("1a", ""),
        sample(2, "", output={"choices": [{"message": {"content": parts}}]}),
        sample(3, "", error={"message": "out of credit"}, output={"choices": []}),
        sample(4, "attachment://0"),
        sample(5, "x" * (2 << 20)),
    ]
    task = "inspect_evals/infinite_bench_passkey"
    if form == "json":
        log = write_inspect_json(tmp_path / "in" / "a.json", task, samples).parent
    else:
        log = write_eval(tmp_path / "a.eval", task, samples, zstd=form == "zstd")
    code, document = convert(tmp_path / "out", log)
    expected = {0: "It is \u4e00\\ 71432.", "1a": "", 2: "C", 3: None, 4: None, 5: None}
    assert answers(tmp_path / "out" / "preds_passkey.jsonl") == expected
    assert lost(document) == {
        "epochs": 1, "no_answer": 2, "answer_elsewhere": 1, "answer_too_long": 1,
    }  # fmt: skip
    assert document["tasks"]["passkey"]["answered"] == 3
    assert code == 1


def test_answers_of_a_log_are_not_kept_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log of a few MB may hold thousands of compressed answers of 1 MiB."""
    monkeypatch.setattr(answers_module, "LOG_LIMITS", replace(LOG_LIMITS, kept=MIB))
    task, text = "infinite_bench_passkey", "x" * 400_000
    samples = [sample(number, text) for number in range(3)]
    states = [request_state(number, text) for number in range(3)]
    for log in (
        write_eval(tmp_path / "a.eval", task, samples),
        write_inspect_json(tmp_path / "in" / "a.json", task, samples),
        write_state(tmp_path / "infinite_bench_en_qa:x", states),
    ):
        code, document = convert(tmp_path / "out", log)
        assert (code, len(document["errors"])) == (2, 1), log


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_log_may_not_say_how_much_memory_it_takes(tmp_path: Path, method: int) -> None:
    """LZMA takes as much as its header requests, up to 4 GiB; no version of Inspect writes it."""
    log = write_eval(tmp_path / "a.eval", "infinite_bench_passkey", [sample(0, "a")])
    packed = tmp_path / "packed.eval"
    with zipfile.ZipFile(log) as plain, zipfile.ZipFile(packed, "w", method) as other:
        for name in plain.namelist():
            other.writestr(name, plain.read(name), zipfile.ZIP_DEFLATED if "head" in name else None)
    code, document = convert(tmp_path / "out", packed)
    assert (code, lost(document)) == (2, {"sample_broken": 1})


def test_a_damaged_log_is_said_to_be_so(tmp_path: Path) -> None:
    log = write_eval(tmp_path / "a.eval", "infinite_bench_kv_retrieval", [sample(0, "a")])
    content = bytearray(log.read_bytes())
    content[60] ^= 0xFF  # in the only sample
    (tmp_path / "damaged.eval").write_bytes(content)
    code, document = convert(tmp_path / "none", tmp_path / "damaged.eval")
    assert (code, lost(document)) == (2, {"sample_broken": 1})
    moved = bytearray(log.read_bytes())  # the offsets of its members lie before the file
    moved[-6:-2] = struct.pack("<L", struct.unpack("<L", moved[-6:-2])[0] + 26)
    (tmp_path / "moved.eval").write_bytes(moved)
    code, document = convert(tmp_path / "none", tmp_path / "moved.eval")
    assert (code, len(document["errors"])) == (2, 1)
    (tmp_path / "no.eval").write_bytes(b"PK\3\4 and no more")
    write_zip(tmp_path / "other.eval", {"letter.txt": b"Dear reader"})
    write_eval(tmp_path / "task.eval", "gsm8k", [sample(0, "a")])
    for name in ("no.eval", "other.eval", "task.eval"):
        code, document = convert(tmp_path / "none", tmp_path / name)
        assert (code, len(document["errors"])) == (2, 1), name
    assert convert(tmp_path / "named", tmp_path / "task.eval", "--task", "passkey")[0] == 0
    other = write_eval(tmp_path / "b.eval", "infinite_bench_kv_retrieval", [sample(0, "b")])
    code, document = convert(tmp_path / "two", log, other)
    assert (code, len(document["errors"])) == (1, 1)  # two runs of the same task
    assert main(["convert", str(log), "--out", str(tmp_path / "two")]) == 2  # the output exists


def test_a_helm_run_gives_the_plain_answers(tmp_path: Path) -> None:
    failed = {"success": False, "completions": []}
    states = [
        request_state(3, "He went home."),
        request_state(3, "again", train_trial_index=1),
        request_state(4, "x", result=failed),
        request_state(5, "y", request_mode="calibration"),
        request_state(None, "z"),
    ]
    run = tmp_path / "infinite_bench_en_qa:max_num_words=131072,model=x_y"
    file = write_state(run, states)
    code, document = convert(tmp_path / "out", run)
    assert answers(tmp_path / "out" / "preds_longbook_qa_eng.jsonl") == {
        3: "He went home.",
        4: None,
    }
    assert lost(document) == {"trials": 2, "no_answer": 1, "id_unusable": 1}
    assert code == 1
    file.write_text(file.read_text()[:-40])
    assert convert(tmp_path / "cut", file)[0] == 2


def test_logs_with_long_texts_need_little_memory(tmp_path: Path) -> None:
    """80 MiB of text in a small log, and 64 MiB in the lines of another."""
    text = "A long book. " * (2 << 19)
    samples = (sample(key, "yes", input=text if key < 6 else "") for key in range(20))
    write_eval(tmp_path / "in.eval", "infinite_bench_passkey", samples)
    with (tmp_path / SAMPLES).open("w") as stream:
        for key in range(4):
            row = worlds.sample(key, "yes", doc={"id": key, "context": text[: 8 << 20]})
            stream.write(json.dumps(row | {"arguments": text[: 8 << 20]}) + "\n")
    del text
    words = ["convert", "in.eval", SAMPLES, "--out", "out"]
    code = (
        "import sys; from pathlib import Path; from scoring.__main__ import main; "
        f"code = main({words!r}); "
        "status = Path('/proc/self/status').read_text().split(); "
        "print(int(status[status.index('VmHWM:') + 1]) // 1024); sys.exit(code)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(finished.stdout.split()[-1]) < PEAK
    assert answers(tmp_path / "out" / "preds_passkey.jsonl") == dict.fromkeys(range(20), "yes")
    assert answers(tmp_path / "out" / "preds_code_debug.jsonl") == dict.fromkeys(range(4), "yes")


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


EVERY = lines(
    instance_line("passkey/0", "It is \u4e00.", "strict"),
    instance_line("passkey/0", "It is \u4e00.", "other"),
    instance_line("1a", "", evaluation_name="inspect_evals/infinite_bench_passkey"),
    instance_line("2", "", error="out of credit"),
    instance_line("2", "later"),
    instance_line("x/3", "x" * (2 << 20)),
    instance_line("En.QA/7", "Eve", evaluation_name="\u221eBench En.QA"),
    instance_line(
        "8", None, output=None, interaction_type="multi_turn", evaluation_name="en_qa/none",
        messages=[{"turn_idx": 0, "role": "assistant", "content": "Adam"}, {"role": "tool"}],
    ),
    instance_line("1", "four", evaluation_name="gsm8k"),
)  # fmt: skip


@pytest.mark.parametrize("form", ["file", "folder", "zip"])
def test_lines_of_every_eval_ever_give_each_answer_once(tmp_path: Path, form: str) -> None:
    """There is a line for each metric, and next to the file a document without answers."""
    members = {"data/a/b/x_samples.jsonl": EVERY + b"[1]\n{\n", "data/a/b/x.json": lines(SCORES)}
    for name, content in members.items():
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    source = {
        "file": tmp_path / "in" / "data/a/b/x_samples.jsonl",
        "folder": tmp_path / "in",
        "zip": write_zip(tmp_path / "every-eval-ever.zip", members),
    }[form]
    code, document = convert(tmp_path / "out", source)
    assert answers(tmp_path / "out" / "preds_passkey.jsonl") == {
        0: "It is \u4e00.", "1a": "", 2: None, "x/3": None,
    }  # fmt: skip
    assert answers(tmp_path / "out" / "preds_longbook_qa_eng.jsonl") == {7: "Eve", 8: "Adam"}
    assert lost(document) == {
        "trials": 1, "no_answer": 1, "answer_too_long": 1, "sample_broken": 2, "task_unknown": 1,
    }  # fmt: skip
    assert {(one["code"], one["task"]) for one in document["lost"]} == {
        (code, None if code in ("sample_broken", "task_unknown") else "passkey")
        for code in lost(document)
    }
    assert (code, document["errors"]) == (1, [])
    assert not {p["code"] for p in document["problems"]} - {"file_is_scores"}


def test_an_answer_under_several_metrics_is_no_other_trial(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    metrics = ("official-2024-06", "strict")
    file.write_bytes(lines(*(instance_line("passkey/0", "1", metric) for metric in metrics)))
    code, document = convert(tmp_path / "out", file)
    assert (code, document["lost"]) == (0, [])


def test_lines_that_name_no_task_need_one(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_bytes(lines(instance_line("7", "a", evaluation_name="mine")))
    code, document = convert(tmp_path / "none", file)
    assert (code, len(document["errors"])) == (2, 1)
    assert convert(tmp_path / "named", file, "--task", "passkey")[0] == 0
    assert answers(tmp_path / "named" / "preds_passkey.jsonl") == {7: "a"}


def test_answers_of_every_eval_ever_are_not_kept_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where they belong to several tasks."""
    monkeypatch.setattr(every_eval_ever, "LOG_LIMITS", replace(LOG_LIMITS, kept=MIB))
    tasks = ("passkey", "kv_retrieval", "code_run")
    rows = [instance_line(f"{task}/1", "x" * 400_000) for task in tasks]
    write_zip(tmp_path / "a.zip", {"samples.jsonl": lines(*rows)})
    code, document = convert(tmp_path / "out", tmp_path / "a.zip")
    assert (code, len(document["errors"])) == (2, 1)


def test_inspect_logs_inside_an_archive_are_read(tmp_path: Path) -> None:
    log = write_eval(tmp_path / "a.eval", "infinite_bench_passkey", [sample(0, "a")])
    archive = write_zip(tmp_path / "inspect.zip", {"logs/a.eval": log.read_bytes()})
    assert convert(tmp_path / "out", archive)[0] == 0
    assert answers(tmp_path / "out" / "preds_passkey.jsonl") == {0: "a"}
    content = bytearray(archive.read_bytes())
    content[60] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(content)
    code, document = convert(tmp_path / "none", tmp_path / "damaged.zip")
    assert (code, [one["code"] for one in document["problems"]]) == (2, ["member_lies"])
    bomb = write_zip(tmp_path / "bomb.zip", {"a.eval": b"PK\3\4" + bytes(8 << 20)})
    code, document = convert(tmp_path / "none", bomb)
    assert (code, len(document["errors"])) == (2, 1)


def test_scoring_says_of_a_log_that_it_must_be_converted(tmp_path: Path) -> None:
    log = write_eval(tmp_path / "a.eval", "infinite_bench_passkey", [sample(0, "a")])
    write_zip(tmp_path / "inspect.zip", {"a.eval": log.read_bytes()})
    line = lines(instance_line("passkey/0", "a"))
    write_zip(tmp_path / "every.zip", {"s.jsonl": line})
    (tmp_path / "s.jsonl").write_bytes(line)
    for name in ("a.eval", "inspect.zip", "every.zip", "s.jsonl"):
        found = read_predictions(tmp_path / name)
        assert [problem.code for problem in found.problems] == ["file_is_log"], name


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from("abcd:,"), VALUES), st.integers(1, 9), st.booleans())
def test_the_outermost_values_are_those_of_a_parser(
    document: dict[str, Any], size: int, indented: bool
) -> None:
    raw = json.dumps(document, indent=2 if indented else None).encode()
    chunks = [raw[start : start + size] for start in range(0, len(raw), size)]
    found = outermost_values(chunks, "ab:", Budget(LIMITS))
    expected = {key: value for key, value in document.items() if key in "ab:"}
    assert {key: json.loads(value or b"!") for key, value in found.items()} == expected
