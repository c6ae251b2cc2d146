"""Reviewers' notes: who may write, edit and remove them, and what the log keeps."""

import pytest

from portal.audit.chain import verify_log
from portal.models import AuditEntry, Evaluation, Example, Note, Release, Submission, User
from portal.permissions.access import notes_seen_by
from portal.review.notes import services
from portal.review.notes.services import edit_note, remove_note, write_note
from tests.portal.review.conftest import GOLD, answered
from tests.support.html import refused

KEYS = "passkey"


@pytest.fixture
def example(tasks_of_text: Release) -> Example:
    return Example.objects.get(key=f"{KEYS}/3")


@pytest.fixture
def entry(alice: User, tasks_of_text: Release) -> Submission:
    return answered(alice, tasks_of_text, "Entry", {KEYS: GOLD[KEYS]})


@pytest.fixture
def rolf(rita: User) -> User:
    return User.objects.create_user("rolf", role=rita.role)


def logged() -> list[tuple[str, str]]:
    entries = AuditEntry.objects.filter(subject__startswith="note:").order_by("number")
    return list(entries.values_list("action", "reason"))


def test_the_log_keeps_every_text(example: Example, rita: User) -> None:
    note = write_note(example, "first\n\n- one", by=rita)
    edit_note(note, "second", by=rita)
    edit_note(note, "second", by=rita)  # nothing has changed
    remove_note(note, by=rita)
    assert logged() == [("add", "first\n\n- one"), ("edit", "second"), ("delete", "second")]
    assert not Note.objects.exists()
    assert verify_log().number == 3


def test_an_entry_of_the_log_names_the_example_and_the_prediction(
    example: Example, entry: Submission, rita: User
) -> None:
    note = write_note(example, "odd", by=rita, submission=entry)
    subject = AuditEntry.objects.get().subject
    assert subject.startswith(f"note:{note.pk}: ")
    assert example.key in subject
    assert str(entry.pk) in subject


def test_the_longest_key_fits_into_the_log(example: Example, entry: Submission, rita: User) -> None:
    example.key = "k" * 200
    example.save()
    write_note(example, "odd", by=rita, submission=entry)
    assert example.key in AuditEntry.objects.get().subject


def test_an_edited_note_says_so(example: Example, rita: User) -> None:
    note = write_note(example, "first", by=rita)
    edit_note(note, "second", by=rita)
    note.refresh_from_db()
    assert note.text == "second"
    assert note.edited
    assert note.edited >= note.written


def test_authors_write_no_notes(example: Example, alice: User) -> None:
    with refused("not_allowed"):
        write_note(example, "mine", by=alice)


def test_nobody_edits_what_others_wrote(example: Example, rita: User, adam: User) -> None:
    note = write_note(example, "first", by=rita)
    with refused("not_allowed"):
        edit_note(note, "second", by=adam)


def test_only_admins_remove_what_others_wrote(
    example: Example, rita: User, rolf: User, adam: User
) -> None:
    note = write_note(example, "first", by=rita)
    with refused("not_allowed"):
        remove_note(note, by=rolf)
    remove_note(note, by=adam)
    assert not Note.objects.exists()


def test_who_is_no_reviewer_any_more_edits_and_removes_nothing(
    example: Example, rita: User
) -> None:
    note = write_note(example, "first", by=rita)
    rita.role = "author"
    with refused("not_allowed"):
        edit_note(note, "second", by=rita)
    with refused("not_allowed"):
        remove_note(note, by=rita)


def test_reviewers_neither_write_nor_read_notes_on_their_own_predictions(
    example: Example, rita: User, rolf: User, tasks_of_text: Release
) -> None:
    own = answered(rita, tasks_of_text, "Own", {KEYS: GOLD[KEYS]})
    with refused("not_allowed"):
        write_note(example, "mine", by=rita, submission=own)
    note = write_note(example, "odd", by=rolf, submission=own)
    question = write_note(example, "of the question", by=rolf)
    assert list(notes_seen_by(rita)) == [question]
    assert list(notes_seen_by(rolf)) == [note, question]


def test_predictions_that_equal_ones_own_are_ones_own(
    example: Example, entry: Submission, rita: User, rolf: User, tasks_of_text: Release
) -> None:
    answered(rita, tasks_of_text, "Own", {KEYS: GOLD[KEYS]})
    write_note(example, "odd", by=rita, submission=entry)
    Evaluation.objects.update(predictions_hash="the same")
    with refused("not_allowed"):
        write_note(example, "again", by=rita, submission=entry)
    assert not notes_seen_by(rita).exists()
    assert notes_seen_by(rolf).exists()


def test_authors_see_no_notes(example: Example, rita: User, alice: User) -> None:
    write_note(example, "odd", by=rita)
    assert not notes_seen_by(alice).exists()


def test_so_many_notes_in_an_hour_are_too_many(
    example: Example, rita: User, rolf: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_NOTES", 2)
    note = write_note(example, "first", by=rita)
    edit_note(note, "second", by=rita)
    remove_note(note, by=rita)  # which frees no room
    with refused("too_many_notes"):
        write_note(example, "third", by=rita)
    write_note(example, "by another one", by=rolf)


def test_notes_go_with_a_deleted_submission_and_stay_in_the_log(
    example: Example, entry: Submission, rita: User
) -> None:
    write_note(example, "odd", by=rita, submission=entry)
    entry.delete()
    assert not Note.objects.exists()
    assert logged() == [("add", "odd")]
