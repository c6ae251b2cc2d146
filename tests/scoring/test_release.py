"""Releases as files: the same seed gives the same bytes, bounded memory, all or nothing."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring import tokens
from scoring.synthetic import RECIPES, Recipe
from scoring.synthetic.example import Example
from scoring.synthetic.release import GenerateError, generate_release
from scoring.tokens import count_tokens
from tests.scoring.generated import ALL, REALISTIC, SYNTHETIC, Row, files, rows

MIB = 1 << 20

GOLDEN = {  # the first 16 digits of each SHA-256
    "passkey.jsonl": "26e19047fef788bb",
    "facets/passkey.jsonl": "0b569100a3fe40e9",
    "number_string.jsonl": "a5674f363e470188",
    "facets/number_string.jsonl": "61704ca6dfef5505",
    "kv_retrieval.jsonl": "bb398b3e15f24bcf",
    "facets/kv_retrieval.jsonl": "db2dc1b49135a7b6",
    "code_run.jsonl": "dadbbd132825155a",
    "facets/code_run.jsonl": "b9853ff0dd6da4c4",
    "math_calc.jsonl": "ee7ebe683fa4de3d",
    "facets/math_calc.jsonl": "6c58d319de45676e",
    "math_find.jsonl": "05a41a1c6f2f45c6",
    "facets/math_find.jsonl": "c3d05f997fcd5e3e",
    "longbook_sum_eng.jsonl": "939f4dbbc49af62d",
    "facets/longbook_sum_eng.jsonl": "de951709bf0755fc",
    "longbook_qa_eng.jsonl": "60a1af39ba6b8eae",
    "facets/longbook_qa_eng.jsonl": "87b5a62045ca6533",
    "longbook_choice_eng.jsonl": "f0a4da38f31284f5",
    "facets/longbook_choice_eng.jsonl": "271870128f98d56f",
    "longbook_qa_chn.jsonl": "d303dbe4a2f7e176",
    "facets/longbook_qa_chn.jsonl": "a240bb837a7cba45",
    "longdialogue_qa_eng.jsonl": "bc99ff7b1dcb0411",
    "facets/longdialogue_qa_eng.jsonl": "c851eb19f464d380",
    "code_debug.jsonl": "08019244cf1bc243",
    "facets/code_debug.jsonl": "726d62644da9d58d",
}
REALISTIC_ONES = {"tasks": REALISTIC, "tokens": [4_000], "examples": 2}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Make a small release; its arguments can be changed one by one."""
    numbers: Iterator[int] = iter(range(100))

    def made(**changed: object) -> Path:
        out = tmp_path / str(next(numbers))
        arguments = {"seed": 7, "tokens": [1_000], "tasks": SYNTHETIC, "examples": 3}
        generate_release(out, **{**arguments, **changed})  # type: ignore[arg-type]  # by name
        return out

    return made


def test_a_seed_has_golden_hashes(make: Callable[..., Path]) -> None:
    found: dict[str, str] = {}
    for release in (make(), make(**REALISTIC_ONES)):
        manifest = json.loads((release / "release.json").read_text(encoding="utf-8"))
        found |= {name: file["sha256"][:16] for name, file in manifest["files"].items()}
    assert found == GOLDEN


@pytest.mark.parametrize("changed", [{}, REALISTIC_ONES])
def test_the_same_seed_gives_the_same_bytes(
    make: Callable[..., Path], changed: dict[str, Any]
) -> None:
    assert files(make(**changed)) == files(make(**changed, jobs=2))


def test_each_task_may_have_its_own_number_of_examples(make: Callable[..., Path]) -> None:
    release = make(tasks=["passkey", "code_run"], examples={"passkey": 4, "code_run": 2})
    assert [len(rows(release, task)) for task in ("passkey", "code_run")] == [4, 2]


def test_the_bytes_do_not_depend_on_the_vocabulary(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = [make(), make(**REALISTIC_ONES)]
    monkeypatch.setattr(tokens, "_vocabulary", lambda encoding: None)
    monkeypatch.setattr("scoring.synthetic.rows._count_piece", count_tokens)
    estimated = [make(), make(**REALISTIC_ONES)]
    assert list(map(files, counted)) == list(map(files, estimated))
    for task in ALL:
        assert all(row.tokens["estimated"] for row in rows(estimated[task in REALISTIC], task))


@pytest.mark.parametrize("changed", [{}, REALISTIC_ONES])
def test_another_seed_gives_other_contexts_and_answers(
    make: Callable[..., Path], changed: dict[str, Any]
) -> None:
    one, other = make(**changed), make(**changed, seed=8)
    for task in changed.get("tasks", SYNTHETIC):
        assert not {row.context for row in rows(one, task)} & {
            row.context for row in rows(other, task)
        }


def test_another_length_or_task_leaves_the_other_examples_alone(
    make: Callable[..., Path],
) -> None:
    one, more = make(tasks=["code_run"]), make(tokens=[1_500, 1_000], tasks=["passkey", "code_run"])
    longer = rows(more, "code_run")[3:]
    assert [content(row) for row in rows(one, "code_run")] == [content(row) for row in longer]


def content(row: Row) -> list[dict[str, Any]]:
    return [{**part, "id": None} for part in row]


def test_the_manifest_names_each_file_with_its_rows_and_hash(make: Callable[..., Path]) -> None:
    made = files(release := make())
    manifest = json.loads(made.pop("release.json"))
    assert manifest["files"] == {
        name: {"rows": 3, "sha256": hashlib.sha256(made[name]).hexdigest()} for name in made
    }
    assert str(release.parent) not in json.dumps(manifest)


def test_the_summary_tells_each_task_with_rows_hash_and_tokens(tmp_path: Path) -> None:
    (made,) = generate_release(tmp_path / "out", seed=7, tokens=[1_000], tasks=["passkey"])
    assert (made.task, made.rows, made.file) == ("passkey", 10, tmp_path / "out" / "passkey.jsonl")
    assert made.sha256 == hashlib.sha256(made.file.read_bytes()).hexdigest()
    assert made.tokens.value == pytest.approx(10_000, rel=0.05)


def test_progress_is_told_for_each_task_and_length(tmp_path: Path) -> None:
    told: list[str] = []
    out = tmp_path / "out"
    tasks = ["kv_retrieval"]
    generate_release(out, seed=7, tokens=[1_000, 2_000], tasks=tasks, progress=told.append)
    assert told == ["Retrieve.KV: 10 × 1,000 tokens", "Retrieve.KV: 10 × 2,000 tokens"]


# Memory

# The kernel's own peak of this program; getrusage counts what its parent had before the exec.
MEMORY = """
import re, sys
from pathlib import Path
from scoring.synthetic.release import generate_release
generate_release(Path(sys.argv[1]), seed=1, tokens=[2_000_000], examples=1)
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def test_two_million_tokens_of_each_task_take_less_than_200_mib(
    tmp_path: Path, tell: Callable[[str], None]
) -> None:
    out = tmp_path / "release"
    command = [sys.executable, "-c", MEMORY, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak = int(done.stdout) * 1024
    tell(f"generate, 2,000,000 tokens of each of {len(ALL)} tasks: {peak / MIB:.0f} MiB at most")
    assert peak < 200 * MIB


# What cannot be made


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"tasks": ["pass_key"]}, "There is no task called 'pass_key': choose from passkey"),
        ({"tasks": ["passkey", "passkey"]}, "A task is named twice"),
        ({"tasks": []}, "No task is named"),
        ({"tokens": [4_000, 999]}, "999 tokens are too few for passkey"),
        ({"tokens": [-1]}, "-1 tokens are too few for passkey"),
        ({"tokens": [4_000, 4_000]}, "A length is given twice"),
        ({"tokens": []}, "No length is given"),
        ({"examples": 0}, "Ask for at least one example"),
        ({"examples": {"passkey": 1}}, "Ask for at least one example"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(
    tmp_path: Path, changed: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(GenerateError, match=sentence):
        generate_release(tmp_path / "out", **{"seed": 7, "tokens": [4_000], **changed})
    assert not (tmp_path / "out").exists()


def test_one_mistake_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(GenerateError) as caught:
        generate_release(tmp_path / "out", seed=7, tokens=[10])
    assert str(caught.value).count("10 tokens are too few") == 1
    assert str(caught.value).endswith("ask for 4,000 at least.")


def test_two_runs_into_one_folder_leave_the_first(tmp_path: Path) -> None:
    out, told = tmp_path / "out", list[str]()

    def faster(line: str) -> None:
        told.append(line)
        if len(told) == 1:
            generate_release(out, seed=8, tokens=[1_000], tasks=["passkey"], examples=1)

    with pytest.raises(GenerateError, match="exists by now: another run was faster"):
        generate_release(out, seed=7, tokens=[1_000], tasks=["passkey"], progress=faster)
    assert json.loads((out / "release.json").read_text())["seed"] == 8
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_with_anything_in_it_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(GenerateError, match="exists already"):
        generate_release(tmp_path, seed=7, tokens=[4_000])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    generate_release(tmp_path / "out", seed=7, tokens=[1_000], tasks=["passkey"], examples=1)
    assert (tmp_path / "out" / "passkey.jsonl").is_file()


def test_a_run_that_breaks_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> Example:
        raise OSError("no space left")

    monkeypatch.setitem(RECIPES, "math_find", Recipe(full))
    with pytest.raises(OSError, match="no space left"):
        generate_release(tmp_path / "out", seed=7, tokens=[4_000], examples=1)
    assert list(tmp_path.iterdir()) == []
