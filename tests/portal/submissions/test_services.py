"""Submitting: the bytes are stored, the row is queued, and a failure leaves nothing behind."""

import hashlib
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
from celery import Celery
from django.core.files.base import File
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import connection

from portal.celery import app
from portal.errors import QuotaError, StateError
from portal.models import EvaluationState, LanguageModel, Release, Submission, User
from portal.review.services import withdraw_submission
from portal.submissions import services
from portal.submissions.files.originals import clean_upload_name
from portal.submissions.services import (
    EditableSettings,
    delete_submission,
    edit_settings,
    score_again,
)
from tests.support.disks import small_disk_at
from tests.support.factories import (
    as_if_scored,
    make_submission,
    only_evaluation,
    original_of,
    requested,
)
from tests.support.html import refused

pytestmark = pytest.mark.django_db


def files_under(folder: Path) -> list[Path]:
    return [entry for entry in folder.rglob("*") if entry.is_file()]


def test_the_original_bytes_are_stored_under_a_generated_name(
    alice: User, release: Release, storage: Path
) -> None:
    data = os.urandom(300_000)
    submission = make_submission(alice, release, data, name="../../etc/my preds.zip")
    [file] = files_under(storage)
    assert file.read_bytes() == data
    assert file.parent == storage / "uploads"
    original = original_of(submission)
    assert original.file.path == str(file)
    assert (original.size, original.name) == (300_000, "my preds.zip")
    assert original.hash == hashlib.sha256(data).hexdigest()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_large_upload_comes_from_its_temporary_file(
    alice: User, release: Release, storage: Path
) -> None:
    with TemporaryUploadedFile("preds.zip", "application/zip", 7, None) as upload:
        upload.write(b"content")
        submission = make_submission(alice, release, upload)
    original = original_of(submission)
    assert original.size == 7
    assert original.hash == hashlib.sha256(b"content").hexdigest()
    assert len(files_under(storage)) == 1


def test_its_first_evaluation_waits(alice: User, release: Release) -> None:
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.QUEUED, 0)


@pytest.mark.django_db(transaction=True)
def test_the_message_is_sent_on_commit(alice: User, release: Release, messages: Path) -> None:
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    [message] = messages.iterdir()
    assert "portal.evaluations.tasks.score_evaluation" in message.read_text()
    assert evaluation.enqueued_at is not None


@pytest.mark.django_db(transaction=True)
def test_submitting_works_while_the_broker_is_down(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_broker = Celery(broker="amqp://127.0.0.1:1")
    no_broker.conf.broker_transport_options = {"max_retries": 1, "interval_start": 0.2}
    no_broker.conf.task_publish_retry = False
    monkeypatch.setattr(app, "send_task", no_broker.send_task)
    evaluation = only_evaluation(make_submission(alice, release, b"{}"))
    assert (evaluation.state, evaluation.enqueued_at) == (EvaluationState.QUEUED, None)


def test_a_row_that_cannot_be_written_leaves_no_file(
    alice: User, release: Release, storage: Path
) -> None:
    release.pk = 12_345  # deleted in the meantime
    with patch.object(Submission, "save", side_effect=RuntimeError), pytest.raises(RuntimeError):
        make_submission(alice, release, b"{}")
    assert files_under(storage) == []


@pytest.mark.django_db(transaction=True)
def test_a_connection_lost_after_the_commit_keeps_the_submission(
    alice: User, release: Release, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_, **__: connection.connection.close())
    submission = make_submission(alice, release, b"{}")
    connection.close()  # for another one
    [file] = files_under(storage)
    assert str(file) == original_of(submission).file.path


class _SlowFile(BytesIO):
    """While this file is read, its owner deletes the language models in another tab."""

    def read(self, size: int | None = -1) -> bytes:
        LanguageModel.objects.all().delete()
        return super().read(size)


def test_a_language_model_that_is_deleted_while_the_file_is_stored(
    alice: User, release: Release, storage: Path
) -> None:
    with refused("model_deleted"):
        make_submission(alice, release, File(_SlowFile(b"{}")))
    assert files_under(storage) == []
    assert not Submission.objects.exists()


def test_a_full_disk_leaves_neither_file_nor_row(
    alice: User, release: Release, storage: Path
) -> None:
    with small_disk_at(storage):
        with pytest.raises(OSError, match="No space left"):
            make_submission(alice, release, b"x" * 2_000_000)
        assert files_under(storage) == []
        assert not Submission.objects.exists()
        make_submission(alice, release, b"x" * 500_000)  # and there is room again
        assert len(files_under(storage)) == 1


def test_a_closed_release_accepts_no_submissions(
    alice: User, release: Release, storage: Path
) -> None:
    release.accepts_submissions = False
    with refused("release_closed"):
        make_submission(alice, release, b"{}")
    assert files_under(storage) == []


NAMES = {
    "preds.zip": "preds.zip",
    "C:\\Users\\me\\preds.zip": "preds.zip",
    "a\0b\ud800.zip": "a�b?.zip",
    "": "upload",
    "x" * 300 + ".jsonl": "x" * 249 + ".jsonl",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_as_it_can_be_stored(name: str) -> None:
    assert clean_upload_name(name) == NAMES[name]


# What comes later


def test_scoring_again_makes_a_new_evaluation_and_leaves_the_scores(
    alice: User, release: Release
) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    again = score_again(submission, by=alice)
    assert again.state == EvaluationState.QUEUED
    assert submission.evaluations.scored().count() == 1
    with refused("being_scored"):
        score_again(submission, by=alice)


def test_what_is_withdrawn_is_neither_scored_again_nor_deleted(
    alice: User, release: Release
) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    withdraw_submission(submission, by=alice)  # it was never in review
    with refused("wrong_state"):
        score_again(submission, by=alice)
    with pytest.raises(StateError, match="withdrawn"):
        delete_submission(submission, by=alice)


def test_corrections_stay_in_the_log_so_there_are_only_so_many_in_an_hour(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_EDITS", 2)
    submission = make_submission(alice, release, b"{}")
    for note in ("one", "two"):
        edit_settings(submission, EditableSettings(note), by=alice)
    edit_settings(submission, EditableSettings("two"), by=alice)  # nothing to log
    with pytest.raises(QuotaError) as too_many:
        edit_settings(submission, EditableSettings("three"), by=alice)
    assert too_many.value.code == "too_many_edits"


def test_another_author_cannot_have_it_scored(alice: User, bob: User, release: Release) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    with refused("not_allowed"):
        score_again(submission, by=bob)


def test_a_private_submission_can_be_deleted_with_its_file(
    alice: User,
    release: Release,
    storage: Path,
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        delete_submission(submission, by=alice)
    assert not Submission.objects.exists()
    assert files_under(storage) == []


def test_a_submission_that_was_in_review_is_not_deleted(alice: User, release: Release) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    requested(submission, by=alice)
    with refused("wrong_state"):
        delete_submission(submission, by=alice)
    withdraw_submission(submission, by=alice)
    with pytest.raises(StateError):
        delete_submission(submission, by=alice)


def test_others_cannot_delete_it(alice: User, adam: User, release: Release) -> None:
    with refused("not_allowed"):
        delete_submission(make_submission(alice, release, b"{}"), by=adam)
