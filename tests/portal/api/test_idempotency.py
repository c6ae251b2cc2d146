"""Uploads that arrive twice: one submission, whatever happened to the first answer."""

from threading import Thread

import pytest
from django.db import connection, transaction

from portal.models import LanguageModel, Release, RequestKey, Role, Scope, Submission, User
from portal.submissions.quotas import QUOTAS
from portal.submissions.services import delete_submission
from tests.support.clients import Answer
from tests.support.factories import as_if_scored
from tests.support.processes import eventually
from tests.support.programs import LIST, hand_in, problem_of, program

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_key_makes_one_submission_however_often_it_is_sent(
    alice: User, bob: User, release: Release
) -> None:
    client = program(alice, Scope.SUBMIT)
    first = hand_in(client, release, key="run 7")
    again = hand_in(client, release, key="run 7")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.json()["id"] == again.json()["id"]
    others = hand_in(program(bob, Scope.SUBMIT), release, key="run 7")
    assert others.status_code == 201
    assert others.json()["id"] != first.json()["id"]
    assert Submission.objects.count() == 2
    assert problem_of(hand_in(client, release, key="x" * 201)) == (400, "long_key")


def test_a_key_is_for_one_content_but_may_be_used_again_after_a_mistake(
    alice: User, release: Release
) -> None:
    client = program(alice, Scope.SUBMIT)
    assert problem_of(hand_in(client, release, key="a", input_limit="many"))[0] == 422
    assert hand_in(client, release, key="a").status_code == 201
    other_file = ("preds_passkey.jsonl", b'{"id": 0, "prediction": "99999"}\n')
    for answer in (
        hand_in(client, release, key="a", note="another one"),
        hand_in(client, release, other_file, key="a"),
    ):
        assert problem_of(answer) == (422, "idempotency_key_reused")
    assert hand_in(client, release, key="a").status_code == 200
    assert Submission.objects.count() == RequestKey.objects.count() == 1
    assert "99999" not in str(RequestKey.objects.values())


def test_what_was_scored_and_deleted_gives_its_id_to_nothing_else(
    alice: User, release: Release
) -> None:
    """One attempt is counted for each id, so other files under the same id would not count."""
    client = program(alice, Scope.SUBMIT)
    first = Submission.objects.get(pk=hand_in(client, release, key="a").json()["id"])
    delete_submission(as_if_scored(first), by=alice)
    model = first.language_model.slug
    other_file = ("preds_passkey.jsonl", b'{"id": 0, "prediction": "99999"}\n')
    for refused in (
        hand_in(client, release, key="a"),  # a late retry: its new model's name is taken now
        hand_in(client, release, other_file, key="a", language_model=model),
    ):
        assert problem_of(refused) == (409, "deleted")
    assert hand_in(client, release, other_file, key="b", language_model=model).status_code == 201


def test_a_key_answers_also_where_the_quota_is_used_up(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = program(alice, Scope.SUBMIT)
    assert hand_in(client, release, key="first").status_code == 201
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 1)
    assert hand_in(client, release, key="first").status_code == 200
    refused = hand_in(client, release, key="second")
    assert problem_of(refused) == (429, "quota")
    assert int(refused.headers["Retry-After"]) > 0


def test_a_retry_waits_for_the_first_request_and_answers_with_what_it_has_made(
    alice: User, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two threads. The first is held up by a lock that it needs to store the submission; the
    second comes when it has to wait for it."""
    monkeypatch.setitem(QUOTAS, Role.AUTHOR, 1)
    client = program(alice, Scope.SUBMIT)
    answers: dict[str, Answer] = {}

    def send(name: str) -> Thread:
        def work() -> None:
            try:
                answers[name] = hand_in(client, release, key="broke off")
            finally:
                connection.close()

        thread = Thread(target=work)
        thread.start()
        return thread

    with transaction.atomic():
        User.objects.select_for_update().get(pk=alice.pk)
        first = send("first")
        eventually(lambda: _waiting("transactionid"), "the first request at the quota")
        second = send("second")
        eventually(lambda: _waiting("advisory"), "the second request behind the first")
    first.join()
    second.join()
    assert (answers["first"].status_code, answers["second"].status_code) == (201, 200)
    assert answers["second"].headers["Idempotency-Replayed"] == "true"
    assert answers["first"].json()["id"] == answers["second"].json()["id"]
    assert Submission.objects.count() == LanguageModel.objects.count() == 1
    assert not _held(), "a lock that nobody gives back"


def _waiting(kind: str) -> bool:
    """Whether some connection to this database waits for a lock of this kind."""
    return _counted("locktype = %s AND NOT granted", kind)


def _held() -> bool:
    return _counted("locktype = %s AND granted", "advisory")


def _counted(condition: str, kind: str) -> bool:
    here = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # of this transaction
        locks = f"SELECT FROM pg_locks WHERE {condition} AND pid IN ({here})"
        cursor.execute(f"SELECT EXISTS ({locks})", [kind])
        return bool(cursor.fetchone()[0])


def test_a_body_that_is_too_long_is_refused_in_a_way_that_programs_read(
    alice: User, release: Release
) -> None:
    client = program(alice, Scope.SUBMIT)
    made = hand_in(client, release).json()["id"]
    long = b'{"reply": "' + b"x" * (1 << 16) + b'"}'
    answer = client.post(f"{LIST}{made}/reply/", long, content_type="application/json")
    assert problem_of(answer) == (413, "too_long")
