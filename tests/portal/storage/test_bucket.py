"""Files in a bucket: as on a disk, read in ranges, with ``OSError`` for any failure."""

import io
import os
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from botocore.config import Config
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from portal.env import file_storage
from portal.evaluations.tasks import score_evaluation
from portal.models import EvaluationState, Release, User
from portal.operations import orphans
from portal.operations.orphans import delete_orphaned_files
from portal.releases.context_search import search_context
from portal.releases.context_windows import window_by_characters
from portal.settings import STORAGE_DIR
from portal.storage import bucket as object_storage
from portal.storage.folder import HashingFile, StorageUnavailableError, is_stored
from tests.support.contexts import store_context
from tests.support.factories import make_submission, only_evaluation
from tests.support.s3_server import S3Server, s3_server

s3 = pytest.fixture(s3_server)
TEXT = "Once upon a time in a lighthouse, 海边的灯塔。\n" * 40_000  # 2 MB
WINDOW = 20_000  # characters


@pytest.mark.django_db
def test_a_window_of_a_long_text_costs_about_the_window(s3: S3Server) -> None:
    context = store_context(TEXT)
    assert context.size > 2_000_000
    with s3.counted() as count:
        window = window_by_characters(context, 600_000, 600_000 + WINDOW)
    sent, answers = count()
    assert window.text == TEXT[600_000 : 600_000 + WINDOW]
    assert sent < len(window.text.encode()) + 32_000  # with offsets in text and index
    assert answers <= 10


@pytest.mark.django_db
def test_a_search_reads_a_text_about_once(s3: S3Server) -> None:
    context = store_context(TEXT + "the end")
    with s3.counted() as count:
        assert search_context(context, "the end", 0, most=1).total == 1
    sent, answers = count()
    assert sent < 1.2 * context.size
    assert answers < 40


def test_a_file_is_read_as_one_on_a_disk(s3: S3Server) -> None:
    data = os.urandom(100_000)
    name = default_storage.save("uploads/some", ContentFile(data))
    disk = io.BytesIO(data)
    with default_storage.open(name) as stored:
        for place, size in [(0, 10), (10, 20_000), (90_000, 50_000), (5, 0), (200_000, 5), (3, -1)]:
            assert stored.seek(place) == disk.seek(place)
            assert stored.read(size) == disk.read(size)
            assert stored.tell() == disk.tell()
        assert b"".join(stored.chunks()) == data
        buffered: Any = io.BufferedReader(stored.file)  # like zipfile does
        buffered.seek(-7, os.SEEK_END)
        assert buffered.read() == data[-7:]
    assert default_storage.size(name) == len(data)
    assert is_stored(name, len(data))
    assert default_storage.listdir("uploads") == ([], ["some"])


@pytest.mark.parametrize("size", [0, 1, 20_000_000])  # the last in parts
def test_what_is_stored_is_read_once_and_hashed_on_the_way(s3: S3Server, size: int) -> None:
    data = b"x" * size
    spool = io.BytesIO(data)
    spool.seek(0, os.SEEK_END)
    hashing = HashingFile(spool)
    name = default_storage.save("uploads/some", hashing)
    assert (hashing.sha256, hashing.bytes_read) == (sha256(data).hexdigest(), size)
    assert not spool.closed
    with default_storage.open(name) as stored:
        assert sha256(stored.read()).hexdigest() == hashing.sha256


class _Broken(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 10_000_000:
            raise OSError("the disk with the spool is broken")
        return super().read(size)


def test_of_what_breaks_off_nothing_is_stored(s3: S3Server) -> None:
    with pytest.raises(OSError, match="spool"):
        default_storage.save("uploads/some", File(_Broken(b"x" * 20_000_000)))
    assert not default_storage.exists("uploads/some")
    assert default_storage.listdir("uploads") == ([], [])


def test_a_name_is_given_once(s3: S3Server) -> None:
    first = default_storage.save("contexts/same.txt", ContentFile(b"first"))
    second = default_storage.save("contexts/same.txt", ContentFile(b"second"))
    assert first != second
    with default_storage.open(first) as stored:
        assert stored.read() == b"first"


def test_a_missing_file_is_missing_and_a_failing_server_is_no_missing_file(s3: S3Server) -> None:
    name = default_storage.save("uploads/some", ContentFile(b"data"))
    with pytest.raises(FileNotFoundError):
        default_storage.open("uploads/other")
    with pytest.raises(FileNotFoundError):
        default_storage.size("uploads/other")
    default_storage.delete("uploads/other")
    s3.fails = True
    for ask in (default_storage.open, default_storage.exists, default_storage.size):
        with pytest.raises(StorageUnavailableError):
            ask(name)
    with pytest.raises(StorageUnavailableError):
        default_storage.save("uploads/more", ContentFile(b"data"))


def test_a_server_that_does_not_answer_is_not_waited_for(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = default_storage.save("uploads/some", ContentFile(b"data"))
    quick = object_storage._CLIENT.merge(Config(read_timeout=0.2))
    monkeypatch.setattr(object_storage, "_CLIENT", quick)
    storage = object_storage.RangeStorage(**file_storage(STORAGE_DIR)["OPTIONS"])  # type: ignore[arg-type]
    s3.goes_on.clear()
    with pytest.raises(StorageUnavailableError):
        storage.open(name)


@pytest.mark.django_db
def test_files_of_no_row_are_deleted_with_one_look_at_each(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = store_context("some text")
    default_storage.save("uploads/orphan", ContentFile(b"of a process that was killed"))
    assert delete_orphaned_files() == 0
    monkeypatch.setattr(orphans, "_MIN_AGE", timedelta(seconds=-60))
    with s3.counted() as count:
        assert delete_orphaned_files() == 1
    assert count()[1] <= 6  # three lists, one time, one deletion
    assert not default_storage.exists("uploads/orphan")
    assert default_storage.exists(str(context.text.name))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_while_the_files_cannot_be_reached_an_evaluation_waits_and_loses_no_attempt(
    alice: User, release: Release, s3: S3Server
) -> None:
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    s3.fails = True
    score_evaluation(evaluation.pk)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.QUEUED
    assert evaluation.attempts_allowed - evaluation.attempt == 3
    assert evaluation.due > timezone.now()


@pytest.mark.django_db
def test_a_download_is_an_attachment_of_ours_and_waits_for_a_server_that_is_gone(
    client: Client, alice: User, release: Release, s3: S3Server
) -> None:
    submission = make_submission(alice, release, b"0123456789")
    client.force_login(alice)
    address = reverse("submission-original", args=[submission.pk])
    part = client.get(address, headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.getvalue()) == (206, b"234")
    assert part["Content-Disposition"].startswith("attachment")
    assert part["Content-Security-Policy"] == "sandbox"
    client.raise_request_exception = False
    s3.fails = True
    gone = client.get(address)
    assert (gone.status_code, gone["Retry-After"]) == (503, "30")


@pytest.mark.parametrize(
    "url",
    ["http://bucket/x", "s3:///prefix", "s3://bucket?endpoint=host", "s3://bucket?acl=public-read"],
)
def test_an_invalid_address_stops_the_start(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_URL", url)
    with pytest.raises(ImproperlyConfigured, match="STORAGE_URL"):
        file_storage(STORAGE_DIR)
