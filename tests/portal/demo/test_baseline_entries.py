"""Entries of the reference reader, and the demo's large release: interrupted work is completed."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings as site

from portal.celery import app
from portal.demo import length_release
from portal.demo.accounts import prepare_accounts
from portal.demo.baseline_entries import ReferenceReader, publish_reference_entry
from portal.demo.length_release import SLUG, Ladder, prepare_ladder
from portal.evaluations.tasks import score_evaluation
from portal.models import Evaluation, Release, Submission, SubmissionState, User
from portal.releases.importer import import_release
from scoring.baseline.release import answer_release
from tests.support.releases import build_release

pytestmark = pytest.mark.django_db(transaction=True)

READER = ReferenceReader(8_192)
SMALL = Ladder(lengths=(4_000,), synthetic=1, realistic=1)


@pytest.fixture(autouse=True)
def _worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker whose work is done as soon as a message is sent."""
    monkeypatch.setattr(app, "send_task", lambda _job, args, **_: score_evaluation(*args))


@pytest.fixture
def built(tmp_path: Path) -> Release:
    folder = build_release(tmp_path / "built", examples=2, tokens=100, tasks=["passkey"])
    answer_release(folder, tmp_path / "predictions", window=READER.window)
    return import_release(folder, slug="built", title="Built")


def published(built: Release, folder: Path, owner: User, reviewer: User) -> Submission:
    publish_reference_entry(READER, built, folder / "predictions", owner=owner, reviewer=reviewer)
    return Submission.objects.get()


def test_it_is_submitted_scored_and_published(
    built: Release, tmp_path: Path, alice: User, rita: User
) -> None:
    assert not READER.is_decided_in(built)
    submission = published(built, tmp_path, alice, rita)
    assert submission.state == SubmissionState.PUBLISHED
    assert submission.input_limit == submission.language_model.context_window == READER.window
    assert READER.is_decided_in(built)


def test_before_there_are_workers_it_is_scored_here(
    built: Release, tmp_path: Path, alice: User, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_args, **_options: None)
    predictions = tmp_path / "predictions"
    publish_reference_entry(READER, built, predictions, owner=alice, reviewer=rita, score_here=True)
    assert Submission.objects.get().state == SubmissionState.PUBLISHED


def test_an_entry_interrupted_in_review_is_published_by_the_next_start(
    built: Release, tmp_path: Path, alice: User, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("portal.demo.baseline_entries.publish_submission", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            published(built, tmp_path, alice, rita)
    assert Submission.objects.get().state == SubmissionState.IN_REVIEW
    assert not READER.is_decided_in(built)
    assert published(built, tmp_path, alice, rita).state == SubmissionState.PUBLISHED


def test_a_withdrawn_entry_is_not_published_again(
    built: Release, tmp_path: Path, alice: User, rita: User
) -> None:
    published(built, tmp_path, alice, rita)
    Submission.objects.update(state=SubmissionState.WITHDRAWN)
    assert READER.is_decided_in(built)


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a demo whose accounts exist."""
    monkeypatch.setattr(site, "STATE_DIR", tmp_path)
    prepare_accounts(tmp_path / "accounts.json")
    return tmp_path


def test_a_start_that_is_ended_while_it_clears_up_does_not_stop_the_next(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_removed(folder: Path) -> None:
        if (file := folder / "passkey.jsonl").exists():
            file.unlink()
            raise KeyboardInterrupt
        shutil.rmtree(folder)

    lines: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(length_release, "shutil", SimpleNamespace(rmtree=half_removed))
        with pytest.raises(KeyboardInterrupt):
            prepare_ladder(SMALL, lines.append)
    assert prepare_ladder(SMALL, lines.append), lines
    assert list((state / "releases").iterdir()) == []
    entries = Submission.objects.filter(release__slug=SLUG)
    assert {entry.state for entry in entries} == {
        SubmissionState.PUBLISHED,
        SubmissionState.SCHEDULED,
    }
    assert len(entries) == len(length_release.READERS) + 1 == Evaluation.objects.count()
    assert entries.get(state=SubmissionState.SCHEDULED).title == "Kingfisher"
