"""The original file of a submission and its row: both, neither, or at worst an orphaned file."""

from io import BytesIO
from pathlib import Path

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from portal.submissions.files.originals import Upload, delete_file, stored_original

DATA = b"predictions"


def files_under(folder: Path) -> list[bytes]:
    return [entry.read_bytes() for entry in folder.rglob("*") if entry.is_file()]


def failing(error: BaseException) -> None:
    with stored_original(Upload(BytesIO(DATA), "a.jsonl")):
        raise error


def test_the_bytes_are_there_before_the_row(storage: Path) -> None:
    with stored_original(Upload(BytesIO(DATA), "a.jsonl")) as original:
        assert files_under(storage) == [DATA]
    assert (original.size, len(original.hash)) == (len(DATA), 64)
    delete_file(original)
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
