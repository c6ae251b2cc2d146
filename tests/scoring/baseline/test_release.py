"""The reference reader: right about what its window shows, and elsewhere wrong as a model is."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiktoken import Encoding

from scoring.baseline import read
from scoring.baseline.release import AnswerError, answer_release
from scoring.generators import RECIPES
from scoring.generators.release import generate_release
from scoring.metrics import score_example
from scoring.text.prompts import prompt_of
from tests.scoring.baseline.windows import LENGTHS, WINDOWS, answered, by_fifth, mean
from tests.support.paths import ROOT
from tests.support.releases import lines

SUMMARY = "longbook_sum_eng"  # a summary of its own words is never quite the reference
GUESSED = {
    "code_debug": 80,  # only functions that are out of sight remain as candidates
}
EXACT = tuple(task for task in RECIPES if task != SUMMARY)


@pytest.mark.parametrize("task", EXACT)
@pytest.mark.parametrize("length", [4_000, 30_000])
def test_without_a_window_every_answer_is_right(task: str, length: int) -> None:
    wrong = [answer for answer in answered(task, length, None, 12) if answer.score < 1]
    assert [(answer.answer, answer.example.answer) for answer in wrong] == []


@pytest.mark.parametrize("task", EXACT)
def test_a_prompt_within_the_window_is_answered_as_without_one(task: str) -> None:
    whole = [answer.answer for answer in answered(task, 7_500, None, 7)]
    assert [answer.answer for answer in answered(task, 7_500, WINDOWS[0], 7)] == whole


@pytest.mark.parametrize("task", EXACT)
def test_beyond_the_window_the_reader_is_right_where_it_sees_the_evidence(
    task: str, real_encoding: Encoding | None
) -> None:
    answers = list(answered(task, 16_000, WINDOWS[0], 24))
    seen = [answer for answer in answers if answer.seen]
    lost = [answer for answer in answers if not answer.seen]
    usual = 80 if task == "code_debug" else 90
    estimated = 60  # then the window ends elsewhere, and other options are in sight
    assert not seen or mean(seen) > (usual if real_encoding else estimated)
    assert not lost or mean(lost) <= GUESSED.get(task, 60)


def test_a_summary_improves_with_the_visible_share_of_the_book() -> None:
    whole, cut = (mean(list(answered(SUMMARY, 30_000, window, 6))) for window in (None, WINDOWS[0]))
    assert whole > 90
    assert cut < whole - 20


@pytest.mark.parametrize("window", WINDOWS)
def test_scores_by_length_and_depth_show_the_window(
    window: int, summary_line: Callable[[str], None]
) -> None:
    """Full marks within the window; beyond it both ends are right and the middle is lost."""
    for length in LENGTHS:
        fifths = by_fifth(list(answered("kv_retrieval", length, window, 10)))
        shown = " ".join(f"{score:4.0f}" for score in fifths)
        summary_line(
            f"Retrieve.KV, window {window:7,}, length {length:7,}, by fifths of depth:{shown}"
        )
        if length <= window:
            assert fifths == [100] * 5
        else:
            assert (fifths[2], fifths[1] < 100, fifths[3] < 100) == (0, True, True)
            assert fifths[0] > 0 < fifths[4]


def test_a_chain_of_calls_is_followed_as_far_as_it_is_seen() -> None:
    answers = list(answered("code_run", 16_000, WINDOWS[0], 40))
    assert all(answer.score == 1 for answer in answers if answer.seen)
    lost = [answer for answer in answers if not answer.seen]
    assert mean(lost) < 25  # a guess is sometimes right
    assert all(answer.answer.removeprefix("-").isdigit() for answer in lost)


def test_a_calculation_is_right_up_to_the_gap() -> None:
    for answer in answered("math_calc", 16_000, WINDOWS[0], 5):
        assert 0.2 < answer.score < 0.3  # the first half of the window is a quarter of the text


def test_for_a_key_outside_the_window_another_value_is_guessed() -> None:
    lost = [
        answer for answer in answered("kv_retrieval", 16_000, WINDOWS[0], 11) if not answer.seen
    ]
    assert lost
    for answer in lost:
        assert f'"{answer.answer}"' in answer.context


# Other people's prompts: nothing but the question, as short as the public data set has it

CHAIN = "def func_1(x):\n    return func_2(x) + 4\n\ndef func_2(x):\n    return x - 9"
EXAMPLE = "Expression: 1 + 3 + 4\nValues: [1, 4, 8]"

OTHERS = {
    "Grass is green. The pass key is 71432. Remember it.\n\nWhat is the pass key?": "71432",
    "The sequence of digits is 2200012222.\n\nWhat is the sequence of digits?": "2200012222",
    '{"a1-b": "c2-d", "e3-f": "a1-b"}\n\nKey: "a1-b"\nThe value of the specified key is': "c2-d",
    f"{CHAIN}\n\nPlease give me the exact return value of func_1(-3).": "-8",
    "[3, 1, 48, 7]\n\nThe median number of the list is:": "5",
    "[3, 1, 48, 7]\n\nThe second smallest number of the list is:": "3",
    f"intermediate values\n\n{EXAMPLE}\n\nExpression: 3 + 8 - 4\nValues:": "[11, 7]",
}


@pytest.mark.parametrize(("prompt", "answer"), OTHERS.items())
def test_it_understands_other_peoples_prompts(prompt: str, answer: str) -> None:
    assert read(prompt) == answer


@pytest.mark.parametrize("prompt", ["", "Hello", "\ud800", "Question: func_1(3)", "[" * 9_999])
def test_the_reader_always_answers(prompt: str) -> None:
    assert read(prompt, 500)
    assert read(f"{prompt}\n\nQuestion: {prompt}")


# Prediction files


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=7, tokens=[1_000], examples=3, tasks=["passkey", "math_calc"])
    return out


def test_predictions_for_a_release_have_its_keys_and_no_answers(
    release: Path, tmp_path: Path
) -> None:
    made = answer_release(release, tmp_path / "preds", window=8_192, jobs=2)
    assert [(task.task, task.rows) for task in made] == [("passkey", 3), ("math_calc", 3)]
    for task, file, _ in made:
        gold = lines(release / f"{task}.jsonl")
        rows = lines(file)
        assert [set(row) for row in rows] == [{"id", "prediction"}] * 3
        assert [row["id"] for row in rows] == [example["id"] for example in gold]
        for row, example in zip(rows, gold, strict=True):
            verdict = score_example("strict", task, row["prediction"], example["answer"])
            assert verdict.score == 1


def test_predictions_go_nowhere_where_something_stands(release: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(AnswerError, match="exists already"):
        answer_release(release, tmp_path)


def test_a_folder_without_a_release_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AnswerError, match=r"no file such as passkey\.jsonl"):
        answer_release(tmp_path, tmp_path / "out")


def _passkeys(folder: Path, content: str) -> Path:
    release = folder / "release"
    release.mkdir()
    (release / "passkey.jsonl").write_text(content)
    return release


@pytest.mark.parametrize("row", ["[]", "{", '{"id": 1}', '{"id": 1, "context": 5}', "[" * 200_000])
def test_an_invalid_row_is_reported_and_leaves_no_output(tmp_path: Path, row: str) -> None:
    sound = '{"id": 0, "context": "The pass key is 71432.", "input": "What is the pass key?"}'
    release = _passkeys(tmp_path, f"{sound}\n\n{row}\n")
    with pytest.raises(AnswerError, match=r"passkey\.jsonl, line 3: this is no row"):
        answer_release(release, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_rows_is_reported_and_leaves_no_output(tmp_path: Path, content: str) -> None:
    with pytest.raises(AnswerError, match=r"passkey\.jsonl has no rows"):
        answer_release(_passkeys(tmp_path, content), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("window", [0, -5, 255])
def test_a_window_that_is_too_small_is_refused(release: Path, tmp_path: Path, window: int) -> None:
    with pytest.raises(AnswerError, match="256 tokens at least"):
        answer_release(release, tmp_path / "out", window=window)
    assert not (tmp_path / "out").exists()


def test_no_task_at_all_is_refused(release: Path, tmp_path: Path) -> None:
    with pytest.raises(AnswerError, match="No task is named"):
        answer_release(release, tmp_path / "out", tasks=[])


def test_the_command_answers_a_release(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "preds"
    options = ["--tasks", "passkey", "--window", "8192", "--out", str(out)]
    command = [sys.executable, "-m", "scoring", "answer", str(release), *options]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert [path.name for path in out.iterdir()] == ["preds_passkey.jsonl"]
    assert json.loads(out.joinpath("preds_passkey.jsonl").read_text().splitlines()[0])["id"] == 0


@pytest.mark.parametrize(
    ("option", "message"), [("--tasks=", "No task is named"), ("--window=5", "256 tokens at least")]
)
def test_the_command_reports_invalid_options(
    release: Path, tmp_path: Path, option: str, message: str
) -> None:
    command = [sys.executable, "-m", "scoring", "answer", str(release), option]
    command += ["--out", str(tmp_path / "out")]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: ")
    assert message in finished.stderr


def test_the_prompt_for_a_task_holds_no_answer() -> None:
    assert "04711" not in prompt_of("passkey", "…", "What is the pass key?").text
