"""``python -m scoring`` as scripts use it: files in, exit code and JSON out."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scoring.generators.made_up_novels import novel
from tests.support.paths import ROOT
from tests.support.worlds import write_rows

MODELS = ("gpt4", "claude2", "kimi")
REVISIONS = {"88b3daa": "official-2024-06", "51d9b37": "official-2024-09"}


def scoring(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scoring", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def report_of(out: Path, *arguments: object) -> dict[str, dict[str, dict[str, object]]]:
    finished = scoring("score", *arguments, "--json", out)
    assert finished.returncode == 0, finished.stderr
    document: dict[str, dict[str, dict[str, object]]] = json.loads(out.read_text())
    return document


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A release of two tasks, and predictions for it."""
    labels = [{"id": key, "answer": [f"{key:05}"]} for key in range(3)]
    write_rows(tmp_path / "gold" / "passkey.jsonl", labels)
    write_rows(tmp_path / "gold" / "code_run.jsonl", [{"id": 0, "answer": [4]}])
    answers = [{"id": key, "prediction": f"It is {key:05}."} for key in range(3)]
    write_rows(tmp_path / "preds" / "preds_passkey.jsonl", answers)
    return tmp_path


@pytest.mark.parametrize("model", MODELS)
def test_official_scores_of_real_files_are_reproduced(
    data: Path, tmp_path: Path, model: str, summary_line: Callable[[str], None]
) -> None:
    official = json.loads((data / "official_scores" / f"{model}.json").read_text())
    drop_first = ["--drop-first"] if model == "gpt4" else []
    results = data / "results" / model
    report = report_of(tmp_path / "o.json", results, "--gold", "embedded", *drop_first)
    tasks = dict(report["tasks"])
    other = "code_debug_step_by_step"
    if other in official:
        file = results / f"preds_{other}.jsonl"
        alone = report_of(tmp_path / "s.json", file, "--gold", "embedded", "--task", "code_debug")
        tasks[other] = alone["tasks"]["code_debug"]
    pairs = [
        (pair, tasks[task]["examples"])
        for task, rows in official.items()
        for revision, name in REVISIONS.items()
        for pair in _pairs(rows[revision]["examples"], tasks[task]["examples"], name)
    ]
    right = sum(abs(official_score - found) <= 1e-9 for (official_score, found), _ in pairs)
    summary_line(f"official scores of {model}: {right} of {len(pairs)} examples reproduced")
    assert right == len(pairs) == 2 * sum(rows["n"] for rows in official.values())


def _pairs(
    official: list[tuple[int, float]], examples: object, name: str
) -> list[tuple[float, float]]:
    assert isinstance(examples, dict)
    found = dict(zip(examples["keys"], examples[name], strict=True))
    return [(official_score, found[key]) for key, official_score in official]


def test_gpt4_s_files_against_the_other_release_ask_how_to_align(
    data: Path, tmp_path: Path
) -> None:
    arguments = ("score", data / "results" / "gpt4", "--gold", data / "gold" / "hf")
    finished = scoring(*arguments)
    assert finished.returncode == 3
    assert "--align" in finished.stderr
    scores = {}
    for method in ("id", "order"):
        report = report_of(tmp_path / "o.json", *arguments[1:], "--align", method)
        tasks = ("longbook_qa_eng", "longbook_choice_eng")
        scores[method] = [
            round(report["tasks"][task]["scores"]["official-2024-06"], 2)  # type: ignore[index]
            for task in tasks
        ]
    assert scores == {"id": [6.47, 17.47], "order": [21.32, 67.25]}


def test_kimi_s_175_of_189_rows_are_matched_by_id(data: Path, tmp_path: Path) -> None:
    file = data / "results" / "kimi" / "preds_longbook_qa_chn.jsonl"
    report = report_of(tmp_path / "o.json", file, "--gold", data / "gold" / "hf")
    task = report["tasks"]["longbook_qa_chn"]
    assert (task["n"], task["answered"], task["missing"]) == (189, 175, 14)
    assert round(task["scores"]["official-2024-06"], 2) == 16.61  # type: ignore[index]


def test_a_run_repeats_to_the_byte_whatever_the_packing(world: Path) -> None:
    gold = world / "gold"
    shutil.make_archive(str(world / "packed"), "zip", world / "preds")
    for name, source in (("a", "preds"), ("b", "preds"), ("c", "packed.zip")):
        report_of(world / name, world / source, "--gold", gold)
    assert (world / "a").read_bytes() == (world / "b").read_bytes()
    signatures = [json.loads((world / name).read_text())["signature"] for name in "ac"]
    assert signatures[0] == signatures[1]


def test_the_table_and_the_json_show_the_same_score(world: Path) -> None:
    finished = scoring("score", world / "preds", "--gold", world / "gold", "--json", "-")
    report = json.loads(finished.stdout)
    assert report["tasks"]["passkey"]["scores"]["strict"] == 100
    assert report["overall"] == dict.fromkeys(report["signature"]["metric_sets"])
    assert "Retrieve.PassKey" in finished.stderr
    assert "100.00" in finished.stderr


def test_a_single_file_of_another_name_needs_its_task(world: Path) -> None:
    file = (world / "preds" / "preds_passkey.jsonl").rename(world / "answers.jsonl")
    nameless = scoring("score", file, "--gold", world / "gold")
    assert nameless.returncode == 2
    assert "--task" in nameless.stderr
    for task in ("passkey", "answers.jsonl=Retrieve.PassKey"):
        named = scoring("score", file, "--gold", world / "gold", "--task", task)
        assert named.returncode == 0, named.stderr


def test_tasks_of_an_earlier_run_are_kept_unless_a_new_file_replaces_them(world: Path) -> None:
    new = write_rows(world / "passkey.jsonl", [{"id": 0, "prediction": "00000"}])
    write_rows(world / "preds" / "code_run.jsonl", [{"id": 0, "prediction": "4"}])
    report = report_of(world / "a", new, "--gold", world / "gold", "--keep", world / "preds")
    assert {task: found["answered"] for task, found in report["tasks"].items()} == {
        "passkey": 1,
        "code_run": 1,
    }
    for kept in (f"{world / 'preds'}=Code.Run,", world / "preds"):
        answer = scoring("score", "--gold", world / "gold", "--keep", kept, "--align", "id")
        assert answer.returncode == 0
    assert scoring("score", "--gold", world / "gold").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "nowhere", "--gold", "gold"], "no such file"),
        (["score", "preds", "--gold", "nowhere"], "does not exist"),
        (["score", "preds", "--gold", "gold", "--json", "no/such/folder/o.json"], "no/such/folder"),
    ],
)
def test_errors_of_the_user_are_printed_without_a_traceback(
    world: Path, arguments: list[str], message: str
) -> None:
    paths = {"preds": world / "preds", "gold": world / "gold", "nowhere": world / "nowhere"}
    finished = scoring(*[paths.get(argument, argument) for argument in arguments])
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["score", "preds"], "usage"),
        (["check", "preds", "--task", "no task"], "usage"),
        (["runs", "no action"], "usage"),
        (["no command"], "usage"),
        (["score", "preds", "--gold", "nowhere"], "unusable"),
        (["score", "--gold", "gold"], "unusable"),
        (["convert", "preds", "--out", "gold"], "unusable"),
        (["answer", "gold", "--out", "out", "--tasks", "no-task"], "unusable"),
        (["generate", "out", "--tokens", "12"], "unusable"),
        (["run", "--gold", "gold", "--out", "out"], "unusable"),
        (["verify-ledger", "nowhere"], "unusable"),
        (["status", "--follow"], "unusable"),
        (["submit"], "usage"),
    ],
)
def test_programs_get_a_document_also_where_a_command_cannot_be_used(
    world: Path, arguments: list[str], code: str
) -> None:
    paths = {"preds": world / "preds", "gold": world / "gold", "nowhere": world / "nowhere"}
    words = [paths.get(argument, argument) for argument in arguments]
    finished = scoring(*words, "--json", "-")
    assert finished.returncode == 2
    error = json.loads(finished.stdout)["error"]
    assert error["code"] == code
    assert f"error: {error['detail']}" in finished.stderr
    scoring(*words, f"--json={world / 'error.json'}")
    assert json.loads((world / "error.json").read_text())["error"] == error


def test_check_says_which_release_the_files_fit(data: Path, tmp_path: Path) -> None:
    releases = ["--gold", data / "gold" / "hf", "--gold", data / "gold" / "paper"]
    out = tmp_path / "check.json"
    finished = scoring("check", data / "results" / "gpt4", *releases, "--json", out)
    assert finished.returncode == 1
    document = json.loads(out.read_text())
    assert document["fits_best"].endswith("paper")
    codes = {problem["code"] for problem in document["problems"]}
    assert {"task_another_run", "labels_of_other_data", "labels_differ"} <= codes
    assert "Retrieve.KV: no release has these labels" in finished.stdout


def test_check_is_silent_about_clean_files(world: Path) -> None:
    file = world / "preds" / "preds_passkey.jsonl"
    finished = scoring("check", file, "--gold", world / "gold")
    assert (finished.returncode, finished.stderr) == (0, "")
    labelled = write_rows(
        world / "preds_passkey.jsonl",
        [{"id": key, "prediction": "x", "label": f"{key:05}"} for key in range(3)],
    )
    finished = scoring("check", labelled, "--gold", world / "gold")
    assert (finished.returncode, "--notes" in finished.stderr) == (0, True)


def test_check_of_an_unreadable_file_says_so(world: Path) -> None:
    (world / "preds_passkey.jsonl").write_bytes(b"\x00" * 100)
    assert scoring("check", world / "preds_passkey.jsonl").returncode == 2


def test_verify_finds_this_installation_sound() -> None:
    finished = scoring("verify")
    assert finished.returncode == 0, finished.stdout
    assert "equal to rouge-score" in finished.stdout


def test_generated_tasks_can_be_scored_at_once(tmp_path: Path) -> None:
    out = tmp_path / "release"
    made = scoring("generate", out, "--seed", 1, "--tokens", 4000, "--examples", 2)
    assert made.returncode == 0, made.stderr
    for task in out.glob("*.jsonl"):
        rows = [json.loads(line) for line in task.read_text().split("\n") if line]
        answers = [{"id": row["id"], "prediction": json.dumps(row["answer"])} for row in rows]
        write_rows(tmp_path / "preds" / f"preds_{task.stem}.jsonl", answers)
    report = report_of(tmp_path / "o.json", tmp_path / "preds", "--gold", out)
    assert report["domains"]["retrieval"] == dict.fromkeys(REVISIONS.values(), 100) | {
        "strict": 100
    }
    assert report["domains"]["math"]["strict"] == 100


def test_generate_shows_how_varied_the_texts_are(tmp_path: Path) -> None:
    tasks = ("--tasks", "passkey,kv_retrieval", "--examples", 1, "--variety")
    made = scoring("generate", tmp_path / "made", "--seed", 1, "--tokens", 4000, *tasks)
    noise, pairs = made.stdout.splitlines()[-2:]
    assert re.fullmatch(r"passkey +\d\.\d% +\d\.\d%", noise)
    assert re.fullmatch(r"kv_retrieval +\d\d\.\d% +100\.0%", pairs)


def test_novels_of_an_operator_are_asked_about_and_what_they_do_not_say_is_scored_apart(
    tmp_path: Path,
) -> None:
    (tmp_path / "book.txt").write_text(novel(3), encoding="utf-8")
    out = tmp_path / "release"
    tasks = ("--tasks", "longbook_qa_eng,longbook_choice_eng", "--examples", 4, "--no-floors")
    texts = ("--haystack", f"novels={tmp_path / 'book.txt'}", "--licence", "mine")
    dials = ("--near-misses", 4, "--growing", "--unanswerable", 4)
    made = scoring("generate", out, "--seed", 1, "--tokens", 8000, *tasks, *texts, *dials)
    assert made.returncode == 0, made.stderr
    manifest = json.loads((out / "release.json").read_text())
    assert manifest["dials"] == {"near_misses": 4.0, "growing": True, "unanswerable": 4}
    silent = out / "controls" / "unanswerable"
    answers = [{"id": key, "prediction": "not in the book"} for key in range(4)]
    write_rows(tmp_path / "preds" / "preds_longbook_qa_eng.jsonl", answers)
    apart = report_of(tmp_path / "apart.json", tmp_path / "preds", "--gold", silent)
    right = dict.fromkeys(REVISIONS.values(), 100) | {"strict": 100}
    assert apart["tasks"]["longbook_qa_eng"]["scores"] == right
    whole = report_of(tmp_path / "whole.json", tmp_path / "preds", "--gold", out)
    assert whole["tasks"]["longbook_qa_eng"]["scores"] != right


def test_generate_without_a_seed_draws_a_long_random_one(tmp_path: Path) -> None:
    seeds = set()
    for name in ("one", "other"):
        out = tmp_path / name
        made = scoring("generate", out, "--tokens", 1000, "--tasks", "passkey", "--examples", 1)
        assert made.returncode == 0, made.stderr
        seed = json.loads((out / "release.json").read_text())["seed"]
        assert str(seed) not in made.stdout
        assert "drawn at random, 128 bits" in made.stdout
        seeds.add(seed)
    assert len(seeds) == 2
    assert all(2**64 < seed < 2**128 for seed in seeds)  # a smaller one has a probability of 2**-64


@pytest.mark.parametrize("command", [[], ["score"], ["check"], ["generate"], ["verify"]])
def test_help_teaches(command: list[str]) -> None:
    finished = scoring(*command, "--help")
    assert finished.returncode == 0
    assert len(finished.stdout) > 200


def test_a_terminal_shows_progress_on_one_line_and_takes_it_away(tmp_path: Path) -> None:
    """Without the initial delay of a second, so that the test need not wait."""
    code = (
        "from scoring.cli import terminal; terminal._PATIENCE = 0\n"
        "with terminal.Progress() as progress: progress('one'); progress('two ' * 99)\n"
        "with terminal.Bar('sending') as bar: bar(1, 4)\n"
    )
    command = [sys.executable, "-c", code]
    log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert log.stderr.splitlines()[0] == "… one"
    assert "sending" not in log.stderr
    mine, its_own = os.openpty()
    with os.fdopen(mine, "rb", buffering=0) as screen:
        subprocess.run(command, cwd=ROOT, stderr=its_own, check=True)
        os.close(its_own)
        shown = screen.read(1 << 16).decode()
    assert "\n" not in shown
    assert "… one" in shown
    assert "sending [########······················]  25% of" in shown
    assert shown.endswith("\r\033[K")
