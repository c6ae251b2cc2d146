"""Releases as files: the same seed gives the same bytes, bounded memory, all or nothing."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.generators import RECIPES
from scoring.generators.example import Example, Recipe
from scoring.generators.release import GenerateError, generate_release
from scoring.releases.manifest import read_origin
from scoring.text import tokens
from scoring.text.tokens import count_tokens
from tests.support.releases import ALL, REALISTIC, SYNTHETIC, Row, files, lines, rows

MIB = 1 << 20

GOLDEN = {  # the first 16 digits of each SHA-256
    "passkey.jsonl": "b58248a235dc2a5c",
    "facets/passkey.jsonl": "0fada9c9ebafcab8",
    "number_string.jsonl": "67d6de444696a6de",
    "facets/number_string.jsonl": "fecab01f4822ef67",
    "kv_retrieval.jsonl": "4374a4fd074390f9",
    "facets/kv_retrieval.jsonl": "21d1649e89fab8fe",
    "code_run.jsonl": "8a60b2bae317a6d3",
    "facets/code_run.jsonl": "19eda5f609f20d58",
    "math_calc.jsonl": "7d93cb6567b5ec63",
    "facets/math_calc.jsonl": "46211d10ff918242",
    "math_find.jsonl": "5b1c7a2b2b9c3534",
    "facets/math_find.jsonl": "615257a1ca1799c3",
    "longbook_sum_eng.jsonl": "548fc7c89d391db1",
    "facets/longbook_sum_eng.jsonl": "412781798208165d",
    "longbook_qa_eng.jsonl": "e1a3205c4bce69a6",
    "facets/longbook_qa_eng.jsonl": "2a7052326f93321c",
    "longbook_choice_eng.jsonl": "1c2f245cceebb5ec",
    "facets/longbook_choice_eng.jsonl": "5a8f44cbd241130d",
    "longbook_qa_chn.jsonl": "9b8692c4c87d1e1a",
    "facets/longbook_qa_chn.jsonl": "3415a0f88269afaa",
    "longdialogue_qa_eng.jsonl": "bb2fb237653aff09",
    "facets/longdialogue_qa_eng.jsonl": "45a9bb9a450e111a",
    "code_debug.jsonl": "b72e5592b1022b69",
    "facets/code_debug.jsonl": "4be6e890239777bc",
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
    monkeypatch.setattr("scoring.generators.rows._count_piece", count_tokens)
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
    made = files(make())
    manifest = json.loads(made.pop("release.json"))
    sums = made.pop("SHA256SUMS").decode().splitlines()
    listed = manifest["files"] | manifest["controls"]
    assert {name: file["sha256"] for name, file in listed.items()} == {
        name: hashlib.sha256(made[name]).hexdigest() for name in made
    }
    assert {file["rows"] for file in manifest["files"].values()} == {3}
    assert dict(line.split("  ")[::-1] for line in sums) == {
        name: file["sha256"] for name, file in listed.items()
    }


def test_controls_are_the_same_questions_with_less_text(make: Callable[..., Path]) -> None:
    release = make()
    for task in SYNTHETIC:
        own = [row.example for row in rows(release, task)]
        without = lines(release / "controls" / "no_context" / f"{task}.jsonl")
        assert without == [{**one, "context": ""} for one in own]
        only = lines(release / "controls" / "evidence_only" / f"{task}.jsonl")
        for one in only:
            (row,) = (row for row in rows(release, task) if row.example["id"] == one["id"])
            spans = sorted(row.facets["evidence"])
            parts = [row.context[start:end] for start, end in spans]
            assert one == {**row.example, "context": "\n…\n".join(parts)}
        assert len(only) == (0 if task == "math_calc" else 3 if task != "math_find" else len(only))


def test_a_manifest_names_no_path_of_the_machine(make: Callable[..., Path]) -> None:
    release = make()
    assert str(release.parent) not in (release / "release.json").read_text()


def test_without_a_ladder_every_length_has_its_own_questions(make: Callable[..., Path]) -> None:
    arguments = {"tasks": ["kv_retrieval"], "tokens": [1_000, 2_000], "ladder": False}
    made, again = rows(make(**arguments), "kv_retrieval"), rows(make(**arguments), "kv_retrieval")
    assert made == again
    assert len({row.example["input"] for row in made}) == 6
    assert [row.facets["ladder"] for row in made] == list(range(6))


def test_the_summary_lists_each_task_with_rows_hash_and_tokens(tmp_path: Path) -> None:
    (made,) = generate_release(tmp_path / "out", seed=7, tokens=[1_000], tasks=["passkey"])
    assert (made.task, made.rows, made.file) == ("passkey", 10, tmp_path / "out" / "passkey.jsonl")
    assert made.sha256 == hashlib.sha256(made.file.read_bytes()).hexdigest()
    assert made.tokens.value == pytest.approx(10_000, rel=0.05)


def test_progress_is_reported_for_each_task_and_length(tmp_path: Path) -> None:
    reported: list[str] = []
    out = tmp_path / "out"
    tasks = ["kv_retrieval"]
    generate_release(out, seed=7, tokens=[1_000, 2_000], tasks=tasks, progress=reported.append)
    assert reported == ["Retrieve.KV: 10 × 1,000 tokens", "Retrieve.KV: 10 × 2,000 tokens"]


# Memory

# The kernel's peak for this program; getrusage includes what its parent had before the exec.
MEMORY = """
import re, sys
from pathlib import Path
from scoring.generators.release import generate_release
generate_release(Path(sys.argv[1]), seed=1, tokens=[2_000_000], examples=1, tasks=sys.argv[2:])
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


# One task for each way in which tasks are made.
LARGE = ("kv_retrieval", "code_run", "math_calc", "longdialogue_qa_eng", "longbook_qa_chn")


def test_two_million_tokens_take_less_than_200_mib(
    tmp_path: Path, summary_line: Callable[[str], None]
) -> None:
    out = tmp_path / "release"
    command = [sys.executable, "-c", MEMORY, str(out), *LARGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak = int(done.stdout) * 1024
    summary_line(
        f"generate, 2,000,000 tokens of each of {len(LARGE)} tasks: {peak / MIB:.0f} MiB at most"
    )
    assert peak < 200 * MIB


# Releases that cannot be made


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


def test_each_invalid_argument_gives_one_message(tmp_path: Path) -> None:
    with pytest.raises(GenerateError) as caught:
        generate_release(tmp_path / "out", seed=7, tokens=[10])
    assert str(caught.value).count("10 tokens are too few") == 1
    assert str(caught.value).endswith("ask for 4,000 at least.")


def test_two_runs_into_one_folder_leave_the_first(tmp_path: Path) -> None:
    out, reported = tmp_path / "out", list[str]()

    def faster(line: str) -> None:
        reported.append(line)
        if len(reported) == 1:
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


def test_a_failed_run_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> Example:
        raise OSError("no space left")

    monkeypatch.setitem(RECIPES, "math_find", Recipe(full))
    with pytest.raises(OSError, match="no space left"):
        generate_release(tmp_path / "out", seed=7, tokens=[4_000], examples=1)
    assert list(tmp_path.iterdir()) == []


# Near-misses


def test_near_misses_are_in_the_manifest_where_they_are_not_as_usual(
    make: Callable[..., Path],
) -> None:
    arguments = {"tasks": ["longbook_qa_chn"], "tokens": [4_000]}
    usual = json.loads((make(**arguments) / "release.json").read_text())
    assert "dials" not in usual
    turned = make(**arguments, near_misses=2.5)
    assert json.loads((turned / "release.json").read_text())["dials"] == {"near_misses": 2.5}
    assert read_origin(turned).near_misses == 2.5


@pytest.mark.parametrize(
    "changed",
    [
        {"tasks": ["longbook_qa_eng"], "tokens": [4_000], "near_misses": 21},
        {"tasks": ["longbook_qa_eng"], "tokens": [4_000], "near_misses": -1},
        {"tasks": ["longbook_qa_eng"], "tokens": [4_000], "near_misses": float("nan")},
        {"tasks": ["passkey"], "near_misses": 3.0},
    ],
)
def test_near_misses_that_do_nothing_or_are_too_many_are_refused(
    make: Callable[..., Path], changed: dict[str, object]
) -> None:
    with pytest.raises(GenerateError):
        make(**changed)


@pytest.mark.parametrize("dials", [[], {"near_misses": "x", "other": 3}, {"near_misses": 1e9}])
def test_a_manifest_of_another_hand_has_no_near_misses_but_possible_ones(
    tmp_path: Path, dials: object
) -> None:
    (tmp_path / "release.json").write_text(json.dumps({"generator": 4, "dials": dials}))
    assert read_origin(tmp_path).near_misses is None
