"""The audit log: append-only, chained, and any tampering is detected."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from portal.audit.chain import EMPTY, BrokenLogError, Link, hash_of, verify_log
from portal.models import Action, AuditEntry, AuditHead, Notice, Release, Submission, User
from portal.review.services import reject_submission
from portal.states import write_audit_entry
from portal.submissions.services import delete_submission
from tests.support.factories import as_if_scored, judged, make_submission, requested, whole_release

pytestmark = pytest.mark.django_db

Said = Callable[..., str]


@pytest.fixture
def submission(alice: User) -> Submission:
    return judged(alice, whole_release())


def test_an_entry_is_about_one_thing(submission: Submission) -> None:
    with pytest.raises(IntegrityError, match="about_one_thing"), transaction.atomic():
        AuditEntry.objects.create(submission=submission, subject="user:alice", action="x")


def test_the_subject_of_an_entry_is_part_of_its_hash(rita: User) -> None:
    AuditEntry.objects.create(subject="user:alice", actor=rita, action="edit", reason="ä")
    assert verify_log().number == 1
    for other in ("user:bob", ""):
        tamper("UPDATE portal_auditentry SET subject = %s", other)
        with pytest.raises(BrokenLogError, match=r"Entry 1 \(edit,"):
            verify_log()


@pytest.fixture
def five_entries(submission: Submission, alice: User, rita: User) -> Submission:
    for _ in range(2):
        requested(submission, by=alice)
        reject_submission(submission, by=rita, reason="Sätze: “ä”, 文, 12:34 and\nanother line")
    requested(submission, by=alice)
    Notice.objects.all().delete()  # they would keep entries from being tampered with
    return submission


def tamper(sql: str, *values: str | int) -> None:
    """Change the table, as its owner can."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE portal_auditentry DISABLE TRIGGER USER")
        cursor.execute(sql, values)
        cursor.execute("ALTER TABLE portal_auditentry ENABLE TRIGGER USER")


def verified(*arguments: str) -> str:
    output = StringIO()
    call_command("verify_audit", *arguments, stdout=output)
    return output.getvalue()


def test_an_empty_log_is_whole(db: None) -> None:
    assert verify_log() == EMPTY
    assert "empty" in verified()


def test_each_entry_is_linked_to_the_one_before(five_entries: Submission) -> None:
    entries = list(five_entries.audit_entries.history())
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert [hash_of(before.hash, entry) for before, entry in pairwise(entries)] == [
        entry.hash for entry in entries[1:]
    ]
    assert verify_log() == Link(5, entries[-1].hash)


def test_what_was_created_knows_its_place(submission: Submission) -> None:
    entry = AuditEntry.objects.create(submission=submission, action="x", before="", after="")
    assert (entry.number, len(entry.hash)) == (1, 64)


def test_no_place_and_no_hash_can_be_chosen(five_entries: Submission) -> None:
    forged = AuditEntry(submission=five_entries, action="x", before="", after="")
    forged.number, forged.hash = 2, "f" * 64
    forged.save()
    forged.refresh_from_db()
    assert forged.number == 6
    assert verify_log() == Link(6, forged.hash)


@pytest.mark.parametrize("change", ["UPDATE portal_auditentry SET reason = ''",
                                    "DELETE FROM portal_auditentry"])  # fmt: skip
def test_the_database_refuses_changes(five_entries: Submission, change: str) -> None:
    with (
        pytest.raises(IntegrityError, match="written once"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(change)


TAMPERED = {  # → the command's message
    "UPDATE portal_auditentry SET reason = 'fine' WHERE number = 2": "Entry 2 .reject,",
    "UPDATE portal_auditentry SET at = at - interval '1 us' WHERE number = 3": "Entry 3 ",
    "UPDATE portal_auditentry SET actor_id = NULL WHERE number = 4": "Entry 4 ",
    "UPDATE portal_auditentry SET action = 'publish' WHERE number = 5": "Entry 5 .publish,",
    "UPDATE portal_auditentry SET submission_id = NULL WHERE number = 1": "Entry 1 ",
    "UPDATE portal_auditentry SET hash = repeat('0', 64) WHERE number = 2": "Entry 2 ",
    # fields that look the same when concatenated
    "UPDATE portal_auditentry SET before = 'private' || 'in', after = substr(after, 3)"
    " WHERE number = 1": "Entry 1 ",
    "DELETE FROM portal_auditentry WHERE number = 3": "Entry 3 is missing",
    "DELETE FROM portal_auditentry WHERE number > 3": "Entries 4 to 5 are missing",
    "DELETE FROM portal_auditentry": "Entries 1 to 5 are missing",
    "UPDATE portal_auditentry SET number = 1 - number": "Entries 1 to 5 are missing",
    "INSERT INTO portal_auditentry (action, before, after, reason, number, hash)"
    " VALUES ('publish', '', '', '', 6, repeat('0', 64))": "Entry 6 is outside the chain",
    "INSERT INTO portal_auditentry (action, before, after, reason, number, hash)"
    " VALUES ('publish', '', '', '', 0, repeat('0', 64))": "Entry 0 is outside the chain",
    "UPDATE portal_audithead SET hash = repeat('0', 64)": "Entry 5 is the newest, but",
    "UPDATE portal_audithead SET entries = 4": "Entry 4 is the newest, but",
    "DELETE FROM portal_audithead": "Entry 1 is outside the chain",
}


@pytest.mark.parametrize("sql", TAMPERED)
def test_tampering_is_found(five_entries: Submission, sql: str) -> None:
    tamper(sql)
    with pytest.raises(CommandError, match=TAMPERED[sql]):
        verified()


def test_a_state_that_is_not_logged_is_found(five_entries: Submission) -> None:
    Submission.objects.filter(pk=five_entries.pk).update(state="published")
    said = f"Submission {five_entries.pk} is “published”, but its last entry says “in review”"
    with pytest.raises(CommandError, match=said):
        verified()


def test_a_submission_without_entries_is_private(submission: Submission) -> None:
    assert verify_log() == EMPTY
    Submission.objects.filter(pk=submission.pk).update(state="published")
    with pytest.raises(CommandError, match="its last entry says “private”"):
        verified()


def test_a_new_chain_with_an_entry_dated_before_the_one_before_it_is_found(
    five_entries: Submission,
) -> None:
    *_, before, last = five_entries.audit_entries.history()
    last.at = before.at - timedelta(microseconds=1)
    forged = hash_of(before.hash, last)
    tamper("UPDATE portal_auditentry SET at = %s, hash = %s WHERE number = 5",
           last.at.isoformat(), forged)  # fmt: skip
    tamper("UPDATE portal_audithead SET hash = %s", forged)
    with pytest.raises(CommandError, match="Entry 5 has an earlier date"):
        verified()


def test_no_time_can_be_chosen(five_entries: Submission) -> None:
    AuditEntry.objects.create(
        submission=five_entries,
        action="x",
        before="",
        after="",
        at=datetime(2020, 1, 1, tzinfo=UTC),
    )
    before, last = five_entries.audit_entries.history()[4:]
    assert last.at > before.at
    assert verify_log().number == 6


def test_a_changed_entry_whose_hash_was_made_anew_breaks_the_next_link(
    five_entries: Submission,
) -> None:
    first, second = five_entries.audit_entries.history()[:2]
    second.reason = "another reason, as if it had been given"
    values = (second.reason, hash_of(first.hash, second))
    tamper("UPDATE portal_auditentry SET reason = %s, hash = %s WHERE number = 2", *values)
    with pytest.raises(BrokenLogError, match="Entry 3 "):
        verify_log()


def test_who_makes_the_whole_chain_anew_is_found_by_what_was_known(
    five_entries: Submission,
) -> None:
    known = verified().splitlines()[1]
    entries = list(AuditEntry.objects.history())
    previous = ""
    for entry in entries:
        entry.reason = "x"
        previous = hash_of(previous, entry)
        sql = "UPDATE portal_auditentry SET reason = 'x', hash = %s WHERE number = %s"
        tamper(sql, previous, entry.number)
    tamper("UPDATE portal_audithead SET hash = %s", previous)
    assert "all links intact" in verified()
    with pytest.raises(CommandError, match="Entry 5 does not match the known one"):
        verified("--known", known)


def test_what_was_known_must_still_be_there(five_entries: Submission, alice: User) -> None:
    known = verified().splitlines()[1]
    assert known == str(AuditHead.objects.get())
    write_audit_entry(five_entries, Action.TRY_AGAIN, "", "", by=alice)
    assert "6 audit entries" in verified("--known", known)
    tamper("DELETE FROM portal_auditentry WHERE number > 4")
    tamper("UPDATE portal_audithead SET (entries, hash) = (SELECT number, hash"
           " FROM portal_auditentry WHERE number = 4)")  # fmt: skip
    Submission.objects.update(state="rejected")  # what that says
    assert "4 audit entries" in verified()
    with pytest.raises(CommandError, match="ends with entry 4"):
        verified("--known", known)


def test_a_known_entry_is_given_as_it_was_printed(db: None) -> None:
    with pytest.raises(CommandError, match="invalid"):
        verified("--known", "5")


def test_what_is_rolled_back_leaves_no_gap(five_entries: Submission, alice: User) -> None:
    mark = transaction.savepoint()
    write_audit_entry(five_entries, Action.TRY_AGAIN, "", "", by=alice)
    transaction.savepoint_rollback(mark)
    write_audit_entry(five_entries, Action.TRY_AGAIN, "", "", by=alice)
    assert verify_log().number == 6


def test_entries_outlive_a_private_submission_and_record_its_end(
    alice: User, release: Release
) -> None:
    submission = as_if_scored(make_submission(alice, release, b"{}"))
    submission_id = submission.pk
    delete_submission(submission, by=alice)
    assert not Submission.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.submission_id, entry.action, entry.actor) == (submission_id, "delete", alice)
    assert (entry.before, entry.after) == ("private", "deleted")
    assert verify_log().number == 1


@pytest.mark.django_db(transaction=True)
def test_many_write_at_once_and_the_chain_holds(submission: Submission) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _noted_in_a_thread(submission), range(40)))
    assert verify_log().number == 40


def _noted_in_a_thread(submission: Submission) -> None:
    try:
        with transaction.atomic():
            write_audit_entry(submission, Action.TRY_AGAIN, "", "", by=None)
            Submission.objects.filter(pk=submission.pk).exists()
    finally:
        connection.close()
