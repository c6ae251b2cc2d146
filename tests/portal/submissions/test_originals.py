"""The original file of a submission and its row: both, or none, or at worst a file too many."""

from io import BytesIO
from pathlib import Path

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from portal.models import Submission
from portal.submissions.originals import delete_original, stored_original

DATA = b"predictions"


def files_under(folder: Path) -> list[bytes]:
    return [entry.read_bytes() for entry in folder.rglob("*") if entry.is_file()]


def failing(error: BaseException) -> None:
    with stored_original(Submission(), BytesIO(DATA)):
        raise error


def test_the_bytes_are_there_before_the_row(storage: Path) -> None:
    submission = Submission()
    with stored_original(submission, BytesIO(DATA)):
        assert files_under(storage) == [DATA]
    assert (submission.upload_size, len(submission.upload_hash)) == (len(DATA), 64)
    delete_original(submission)
    assert files_under(storage) == []


@pytest.mark.parametrize("error", [IntegrityError(), RuntimeError()], ids=repr)
def test_a_rolled_back_row_leaves_no_file(storage: Path, error: Exception) -> None:
    with pytest.raises(type(error)):
        failing(error)
    assert files_under(storage) == []


@pytest.mark.parametrize(
    "error", [OperationalError(), InterfaceError(), KeyboardInterrupt()], ids=repr
)
def test_an_unknown_commit_keeps_the_file(storage: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        failing(error)
    assert files_under(storage) == [DATA]
