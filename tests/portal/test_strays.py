"""Files that no row names are deleted, and never one whose row may still come."""

import os
import time
from pathlib import Path

import pytest

from portal.models import Release, User
from portal.strays import remove_strays
from tests.portal.handing_in import hand_in

pytestmark = pytest.mark.django_db
HOURS = 3600.0  # seconds


def left_behind(storage: Path, name: str, *, age: float) -> Path:
    file = storage / "uploads" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    os.utime(file, (time.time() - age, time.time() - age))
    return file


def test_where_nothing_was_handed_in_there_is_nothing_to_do(storage: Path) -> None:
    assert remove_strays() == 0
    assert not storage.exists()


def test_old_files_that_no_submission_names_are_deleted(storage: Path) -> None:
    files = [left_behind(storage, name, age=2 * HOURS) for name in ("a-file", "tmpdraft")]
    assert remove_strays() == 2
    assert not any(file.exists() for file in files)


def test_a_file_whose_row_is_being_written_is_left_alone(storage: Path) -> None:
    young = left_behind(storage, "a-file", age=0.9 * HOURS)
    assert remove_strays() == 0
    assert young.exists()


def test_the_file_of_a_submission_stays_however_old_it_is(
    alice: User, release: Release, storage: Path
) -> None:
    submission = hand_in(alice, release, b"{}")
    left_behind(storage, Path(submission.upload.name).name, age=1_000 * HOURS)
    assert remove_strays() == 0
    assert submission.upload.storage.exists(submission.upload.name)
