"""Archives are streamed, never extracted, and refused if they are not what they claim to be."""

import gzip
import os
import tarfile
from pathlib import Path

import pytest

from scoring.limits import Limits
from scoring.predictions.reader import Predictions, read_predictions
from tests.support.bad_archives import ARCHIVES, BOTH, PASSKEY, tarred, zipped


def _codes(found: Predictions) -> set[str]:
    reported = {problem.code for problem in found.problems if problem.severity != "note"}
    return reported - {"nothing_to_score", "task_unknown"}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_gets_its_codes_and_what_is_safe_is_read(name: str, tmp_path: Path) -> None:
    archive = ARCHIVES[name]
    file = tmp_path / "preds_passkey.jsonl"  # the name must not matter
    file.write_bytes(archive.make())
    found = read_predictions(file)
    assert _codes(found) == ({archive.code} - {""})
    assert list(found.tasks) == archive.tasks
    assert list(tmp_path.iterdir()) == [file]
    assert all(problem.message.isprintable() and problem.fix for problem in found.problems)


def test_rows_of_an_archive_are_those_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "p.zip").write_bytes(zipped(BOTH))
    found = read_predictions(tmp_path / "p.zip")
    assert [row.prediction for row in found.tasks["passkey"].rows] == ["71432", "69079"]
    assert found.tasks["code_run"].files == ["deep/inside/preds_code_run.jsonl"]


def test_the_same_predictions_have_the_same_digest_however_packed(tmp_path: Path) -> None:
    packed = {
        "p.zip": zipped(BOTH),
        "p.tar": tarred(dict(reversed(BOTH.items())), tarfile.GNU_FORMAT),
        "p.tar.gz": gzip.compress(tarred(BOTH)),
        "gzips.zip": zipped({f"{name}.gz": gzip.compress(BOTH[name]) for name in BOTH}),
    }
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
    assert len({read_predictions(tmp_path / name).digest for name in packed}) == 1


def test_a_directory_is_read_through_without_links_and_hidden_files(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "preds_passkey.jsonl").write_bytes(PASSKEY)
    (deep / ".preds_code_run.jsonl").write_bytes(PASSKEY)
    (deep / "preds_math_find.jsonl").symlink_to(deep / "preds_passkey.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "number_string.jsonl.gz").write_bytes(gzip.compress(PASSKEY))
    found = read_predictions(tmp_path)
    assert list(found.tasks) == ["passkey", "number_string"]
    reported = [(problem.code, problem.file) for problem in found.problems]
    assert reported == [("file_unreadable", "a/b/preds_math_find.jsonl")]


def test_an_archive_in_a_directory_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "preds_passkey.jsonl").write_bytes(PASSKEY)
    (tmp_path / "more.zip").write_bytes(zipped(BOTH))
    found = read_predictions(tmp_path)
    assert (_codes(found), list(found.tasks)) == ({"archive_not_opened"}, ["passkey"])


NOISE = b"\x99\0noise" * 700


@pytest.mark.parametrize("name", ["rand.zip", "RAND.ZIP", "rand.tar", "rand.tar.gz", "rand.tgz"])
@pytest.mark.parametrize("content", [NOISE, gzip.compress(NOISE)], ids=["plain", "gzipped"])
def test_random_bytes_named_as_an_archive_are_unreadable(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    [problem] = read_predictions(tmp_path / name).problems
    assert problem.code == "archive_unreadable"
    assert problem.message.startswith(f"This is not a readable {name[4:].lower()} file")


def test_random_bytes_named_as_an_archive_are_reported_among_readable_files(tmp_path: Path) -> None:
    (tmp_path / "preds_passkey.jsonl").write_bytes(PASSKEY)
    (tmp_path / "rand.zip").write_bytes(NOISE)
    found = read_predictions(tmp_path)
    reported = [(problem.code, problem.file) for problem in found.problems]
    assert (reported, list(found.tasks)) == ([("archive_unreadable", "rand.zip")], ["passkey"])


def test_an_archive_is_recognised_by_its_bytes_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "rows.zip").write_bytes(PASSKEY)
    assert list(read_predictions(tmp_path / "rows.zip", task="passkey").tasks) == ["passkey"]


def test_a_path_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert _codes(read_predictions(tmp_path / "none.zip")) == {"file_not_found"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "preds_passkey.jsonl")
    assert _codes(read_predictions(tmp_path / "preds_passkey.jsonl")) == {"file_unreadable"}


def test_a_path_with_nul_is_a_problem() -> None:
    assert _codes(read_predictions(Path("preds\0.jsonl"))) == {"file_unreadable"}


def test_all_members_together_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "p.zip").write_bytes(zipped(BOTH))
    small = Limits(bytes_out=len(PASSKEY) + 10)
    assert _codes(read_predictions(tmp_path / "p.zip", limits=small)) == {"archive_too_large"}


def test_a_directory_of_too_many_files_is_refused(tmp_path: Path) -> None:
    for task in ("passkey", "math_find", "code_run"):
        (tmp_path / f"{task}.jsonl").write_bytes(PASSKEY)
    found = read_predictions(tmp_path, limits=Limits(entries=2))
    assert (_codes(found), found.tasks) == ({"archive_entries"}, {})
