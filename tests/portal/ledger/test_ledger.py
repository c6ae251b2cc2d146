"""The public ledger: what counts as an attempt, what anybody can read, and its permanence."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from portal.language_models.services import merge_language_models
from portal.ledger.attempts import attempt_of, attempts_behind
from portal.ledger.chain import ledger_head, ledger_lines, verify_ledger
from portal.ledger.records import record_attempt
from portal.models import (
    Attempt,
    Decision,
    LedgerEntry,
    Release,
    Submission,
    User,
)
from portal.review.services import (
    hide_entry,
    publish_submission,
    reject_submission,
    restore_entry,
    undo_decision,
    withdraw_submission,
)
from portal.submissions.services import delete_submission, score_again
from scoring.ledger import BrokenLedgerError, Head, check_ledger, commitment_of
from tests.support.factories import (
    as_if_scored,
    judged,
    make_submission,
    requested,
    whole_release,
)
from tests.support.ledger import published, scored

pytestmark = pytest.mark.django_db

SECRET = "only for her eyes"


def counts(submission: Submission) -> tuple[int, int, int]:
    found = attempts_behind(submission)
    assert found
    return found.published, found.scored, found.of_authors


def lines() -> list[dict[str, object]]:
    return [json.loads(line) for line in ledger_lines()]


@pytest.fixture
def whole(db: None) -> Release:
    return whole_release()


def test_each_set_of_predictions_is_one_attempt_of_its_authors_with_the_model(
    alice: User, bob: User, rita: User, whole: Release
) -> None:
    first = scored(alice, whole, "a")
    scored(alice, whole, "a")  # the same file again
    record_attempt(first, "canonical in another way", in_part=False)  # by a newer scorer
    scored(alice, whole, "b", "Other model")
    scored(bob, whole, "a")
    scored(alice, whole_release("another"), "c")
    delete_submission(scored(alice, whole, "d"), by=alice)
    record_attempt(judged(alice, whole), "e", in_part=True)
    assert counts(published(first, by=rita)) == (1, 2, 4)
    found = attempts_behind(first)
    assert found
    assert (found.in_part, found.number) == (1, 1)
    scored(alice, whole, "f")  # after the choice
    assert counts(first) == (1, 2, 4)
    withdraw_submission(first, by=alice)
    assert counts(first) == (1, 2, 4)


def test_an_attempt_follows_its_model_where_it_is_merged(
    alice: User, rita: User, adam: User, whole: Release
) -> None:
    entry = scored(alice, whole, "a")
    scored(alice, whole, "b", "Model v2")
    gone = scored(alice, whole, "c", "Model v2")
    delete_submission(gone, by=alice)
    later = scored(alice, whole, "d", "Model v3")
    merge_language_models(gone.language_model, into=entry.language_model, by=adam)
    assert counts(published(entry, by=rita)) == (1, 3, 4)
    merge_language_models(later.language_model, into=entry.language_model, by=adam)
    assert counts(entry) == (1, 4, 4)
    assert all("content" in line for line in lines())


def test_scores_and_attempt_are_stored_together(alice: User, release: Release) -> None:
    submission = as_if_scored(make_submission(alice, release, b"x"))
    assert attempt_of(submission)
    score_again(submission, by=alice)
    as_if_scored(submission)
    assert Attempt.objects.count() == 1
    verify_ledger()
    judged(alice, whole_release())
    with pytest.raises(BrokenLedgerError, match="not counted"):
        verify_ledger()


def test_nothing_is_open_before_publication_and_no_reason_that_is_not_for_all(
    alice: User, bob: User, rita: User, adam: User, whole: Release
) -> None:
    entry, private = scored(alice, whole, "a"), scored(alice, whole, "b")
    for stranger, predictions, name in ((bob, "a", "Model"), (alice, "c", "Other model")):
        scored(stranger, whole, predictions, name)
    requested(private, by=alice)
    reject_submission(private, by=rita, reason=SECRET)
    withdraw_submission(private, by=alice, reason=SECRET)
    public = {"number", "day", "kind", "release", "commitment", "reconstructed", "hash"}
    assert [set(line) for line in lines()] == [public] * 4
    published(entry, by=rita)
    hide_entry(entry, by=adam, reason="Asked by the maker.")
    restore_entry(entry, by=adam, reason="Settled now.")
    withdraw_submission(entry, by=alice, reason=SECRET)
    opened = [json.loads(str(line["content"])) for line in lines() if "content" in line]
    # The attempts that the entry was chosen from are public, but no others' and no other model's.
    assert [one["predictions"] for one in opened[:2]] == ["a", "b"]
    assert {(one["group"], one["number_of_model"]) for one in opened[:2]} == {
        (f"user:{alice.pk}", 1), (f"user:{alice.pk}", 2),
    }  # fmt: skip
    assert [one["decision"] for one in opened[2:]] == [
        "published", "hidden", "restored", "withdrawn",
    ]  # fmt: skip
    assert [one.get("reason") for one in opened[2:]] == [
        "It fits the paper.", "Asked by the maker.", "Settled now.", "",
    ]  # fmt: skip
    assert [one.get("role") for one in opened[2:]] == ["reviewer", "admin", "admin", "author"]
    text = "".join(ledger_lines())
    for kept in (SECRET, "rita", "adam", str(private.pk), f"user:{bob.pk}", "other-model"):
        assert kept not in text


def test_a_closed_commitment_follows_from_nothing_that_could_be_guessed(
    alice: User, whole: Release
) -> None:
    scored(alice, whole, "a")
    [entry] = LedgerEntry.objects.all()
    before, again = entry.commitment, secrets.token_hex(32)
    assert len(bytes.fromhex(entry.key)) == 32
    assert commitment_of(entry.key, entry.content) == before
    assert commitment_of(again, entry.content) != before  # the whole content is not enough
    scored(alice, whole, "b")
    assert len(set(LedgerEntry.objects.values_list("key", flat=True))) == 2


def test_a_publication_that_was_undone_is_closed_again(
    alice: User, rita: User, whole: Release
) -> None:
    entry = published(scored(alice, whole, "a"), by=rita)
    assert len([line for line in lines() if "content" in line]) == 2
    undo_decision(entry, by=rita)
    assert not any("content" in line for line in lines())
    publish_submission(entry, by=rita, reason="It is right after all.")
    assert all("content" in line for line in lines())


def test_whoever_keeps_the_head_sees_every_change(alice: User, rita: User, whole: Release) -> None:
    published(scored(alice, whole, "a"), by=rita)
    before = ledger_head()
    scored(alice, whole, "b")
    checked = check_ledger(ledger_lines(), before)
    assert (checked.head, checked.opened) == (ledger_head(), 2)
    assert verify_ledger(before) == checked.head
    for row in (Attempt, Decision, LedgerEntry):
        table = row._meta.db_table
        with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
            connection.cursor().execute(f"DELETE FROM {table}")
    text = list(ledger_lines())
    for broken in (
        text[:1] + text[2:],  # one is left out
        text[:-2],  # the newest are
        [text[1], text[0], text[2]],
        [text[0].replace(whole.slug, "another"), *text[1:]],
        [text[0].replace('\\"predictions\\":\\"a\\"', '\\"predictions\\":\\"z\\"'), *text[1:]],
        [text[0], text[1].replace("It fits", "It does not fit"), text[2]],
        ["[]", *text[1:]],
        [text[0].replace('"release"', '"release": "another", "release"', 1), *text[1:]],
        [text[0].replace('"key"', '"no key"'), *text[1:]],
    ):
        with pytest.raises(BrokenLedgerError):
            check_ledger(broken, before)
    with pytest.raises(BrokenLedgerError, match="known"):
        check_ledger(text, Head(1, "0" * 64))


@pytest.mark.parametrize(
    ("table", "sql", "message"),
    [
        ("ledgerentry", "UPDATE {} SET content = replace(content, 'user', 'team')", "entry 1"),
        ("ledgerentry", "UPDATE {} SET at = at - interval '9 days'", "Entry 1 is broken"),
        ("ledgerentry", "UPDATE {} SET release = 'x' WHERE number = 2", "Entry 2 is broken"),
        ("attempt", "UPDATE {} SET \"group\" = 'user:0'", "columns"),
        ("attempt", "DELETE FROM {}", "missing"),
    ],
)
def test_tampering_with_the_tables_is_found(
    table: str, sql: str, message: str, alice: User, whole: Release
) -> None:
    scored(alice, whole, "a")
    scored(alice, whole, "b")
    verify_ledger()
    name = f"portal_{table}"
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
        cursor.execute(sql.format(name))
        cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
    with pytest.raises(BrokenLedgerError, match=message):
        verify_ledger()


@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_time_count_each_set_of_predictions_once(
    alice: User, whole: Release
) -> None:
    submissions = [judged(alice, whole) for _ in range(12)]

    def count(number: int) -> None:
        with transaction.atomic():
            record_attempt(submissions[number], f"{number % 6}", in_part=False)
        connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(12)))
    numbers = [json.loads(one.content)["number_of_model"] for one in LedgerEntry.objects.all()]
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert check_ledger(ledger_lines()).head == ledger_head()
