"""A generated release that was changed is recognised by its ``release.json``."""

import shutil
from pathlib import Path

import pytest

from scoring.generators.release import generate_release
from scoring.releases.gold import GoldError
from scoring.releases.manifest import check_manifest


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=7, tokens=[1_000], examples=3, tasks=["passkey", "code_run"])
    return out


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def test_a_copy_of_a_release_matches_its_manifest(copy: Path) -> None:
    check_manifest(copy)


@pytest.mark.parametrize("name", ["passkey.jsonl", "facets/passkey.jsonl", "tokens/passkey.jsonl"])
def test_a_file_that_is_missing_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(GoldError, match=f"release.json: {name} is missing\\. Copy the folder"):
        check_manifest(copy)


@pytest.mark.parametrize("name", ["passkey.jsonl", "facets/passkey.jsonl", "tokens/passkey.jsonl"])
def test_a_truncated_file_is_named_with_its_rows(copy: Path, name: str) -> None:
    lines = (copy / name).read_bytes().splitlines(keepends=True)
    (copy / name).write_bytes(b"".join(lines[:2]))
    with pytest.raises(GoldError, match=f"{name} has 2 rows, not 3"):
        check_manifest(copy)


def test_a_file_with_one_changed_character_is_named(copy: Path) -> None:
    file = copy / "code_run.jsonl"
    file.write_bytes(file.read_bytes().replace(b"def", b"fed", 1))
    with pytest.raises(GoldError, match=r"code_run\.jsonl has changed"):
        check_manifest(copy)


def test_an_added_task_is_named(copy: Path) -> None:
    shutil.copy(copy / "passkey.jsonl", copy / "number_string.jsonl")
    with pytest.raises(GoldError, match=r"number_string\.jsonl is not in it"):
        check_manifest(copy)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"files": 3}', '{"files": {"../secret": {"rows": 1, "sha256": ""}}}']
)
def test_a_foreign_file_is_no_manifest(copy: Path, text: str) -> None:
    (copy / "release.json").write_text(text)
    (copy / "passkey.jsonl").unlink()
    check_manifest(copy)
