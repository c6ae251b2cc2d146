"""Deleting an account: what goes, what stays anonymously, and what has to be done first."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client

from portal.accounts.tokens import create_token, find_token
from portal.accounts.usernames import is_reserved
from portal.audit.chain import verify_log
from portal.errors import StateError
from portal.models import (
    AuditEntry,
    EndpointRun,
    Evaluation,
    LanguageModel,
    Notice,
    Original,
    Release,
    Role,
    RunState,
    Scope,
    Submission,
    SubmissionState,
    User,
)
from portal.personal_data.deletion import delete_account
from tests.support.attempts import published, scored
from tests.support.clients import PASSWORD, sign_in, with_password
from tests.support.factories import (
    endpoint_run,
    judged,
    make_submission,
    requested,
    whole_release,
)
from tests.support.html import page

pytestmark = pytest.mark.django_db

DELETE = "/profile/delete/"
EMAIL = "canary@example.org"


@pytest.fixture
def release(db: None) -> Release:
    return whole_release()


@pytest.fixture
def zoe(db: None) -> User:
    """Everything that she writes about herself contains one particular word."""
    zoe = with_password(User.objects.create_user("zoe"))
    EmailAddress.objects.filter(user=zoe).update(email=EMAIL)
    User.objects.filter(pk=zoe.pk).update(
        email=EMAIL, first_name="Canary", organisation="Canary Lab", link="https://canary.org"
    )
    zoe.refresh_from_db()
    return zoe


def tables_with(word: str) -> set[str]:
    with connection.cursor() as cursor:
        return {
            table
            for table in connection.introspection.table_names(cursor)
            if _has(cursor, table, word)
        }


def _has(cursor: object, table: str, word: str) -> bool:
    query = f'SELECT EXISTS (SELECT FROM "{table}" t WHERE t::text ILIKE %s)'
    cursor.execute(query, [f"%{word}%"])  # type: ignore[attr-defined]
    return bool(cursor.fetchone()[0])  # type: ignore[attr-defined]


def confirmed(user: User) -> Client:
    client = sign_in(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def test_nothing_is_left_of_a_person_but_what_is_published(
    zoe: User, rita: User, release: Release
) -> None:
    entry = published(scored(zoe, release, "1" * 64), by=rita)
    create_token(zoe, "canary", [Scope.READ], 30)
    EndpointRun.objects.filter(pk=endpoint_run(zoe, release).pk).update(note="canary")
    browser = sign_in(zoe)
    everywhere = {"portal_user", "account_emailaddress", "portal_apitoken", "portal_endpointrun"}
    assert everywhere <= tables_with("canary")
    delete_account(zoe)
    assert tables_with("canary") == {"portal_notice"}
    assert Notice.objects.get(address=EMAIL).recipient is None  # the last one, until it is sent
    assert not User.objects.filter(username__contains="zoe").exists()
    assert browser.get("/profile/").status_code == 302
    shown = page(Client().get(f"/entries/{entry.entry_id}/"))
    assert [one["data-submitter"] for one in shown.select("[data-submitter]")] == [""]


def test_the_log_stays_valid(zoe: User, rita: User, release: Release) -> None:
    published(scored(zoe, release, "1" * 64), by=rita)
    judged(zoe, release, name="Private")
    delete_account(zoe)
    verify_log()
    newest = AuditEntry.objects.latest("number")
    assert newest.subject == f"user:former-member-{zoe.pk}"
    assert "canary" not in newest.reason


def test_what_only_its_author_has_seen_is_deleted_with_its_files(
    zoe: User, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    make_submission(zoe, release, b"{}")
    file = Original.objects.get().file.name
    assert default_storage.exists(file)
    with django_capture_on_commit_callbacks(execute=True):
        delete_account(zoe)
    assert not default_storage.exists(file)
    assert not Submission.objects.exists()
    assert not Evaluation.objects.exists()
    assert not Original.objects.exists()
    assert not LanguageModel.objects.exists()


def test_what_reviewers_have_seen_is_withdrawn(zoe: User, release: Release) -> None:
    submission = requested(judged(zoe, release), by=zoe)
    delete_account(zoe)
    submission.refresh_from_db()
    assert submission.state == SubmissionState.WITHDRAWN


def test_nobody_gets_in_any_more(zoe: User, release: Release) -> None:
    token = create_token(zoe, "script", [Scope.READ], 30).text
    Authenticator.objects.create(user=zoe, type="totp", data={"secret": "x"})
    sign_in(zoe)
    delete_account(zoe)
    assert find_token(token) is None
    assert not Authenticator.objects.exists()
    assert not UserSession.objects.exists()
    login = {"login": "zoe", "password": PASSWORD}
    assert Client().post("/accounts/login/", login).status_code == 200
    zoe.refresh_from_db()
    assert (zoe.is_active, zoe.email, zoe.has_usable_password()) == (False, "", False)


def test_the_name_of_a_former_member_is_for_nobody_else() -> None:
    assert is_reserved("Former.member-7")
    assert not is_reserved("member-7")


@pytest.mark.parametrize("what", ["run", "admin"])
def test_what_others_depend_on_has_to_be_settled_first(
    zoe: User, release: Release, what: str
) -> None:
    code = {"run": "open_run", "admin": "last_admin"}[what]
    if what == "run":
        run = endpoint_run(zoe, release)
        EndpointRun.objects.filter(pk=run.pk).update(state=RunState.PAUSED)
    else:
        User.objects.filter(pk=zoe.pk).update(role=Role.ADMIN)
    with pytest.raises(StateError) as refused:
        delete_account(zoe)
    assert refused.value.code == code
    assert User.objects.get(pk=zoe.pk).username == "zoe"


def test_the_page_asks_for_the_password_and_the_name(zoe: User) -> None:
    assert sign_in(zoe).get(DELETE).headers["Location"].startswith("/accounts/reauthenticate/")
    client = confirmed(zoe)
    wrong = client.post(DELETE, {"username": "somebody"})
    assert wrong.context["form"].errors.as_data()["username"][0].code == "other_name"
    assert client.post(DELETE, {"username": "zoe"}).headers["Location"] == "/"
    assert User.objects.get(pk=zoe.pk).deleted is not None
    assert not Session.objects.filter(session_key=client.session.session_key).exists()


def test_emails_to_them_are_deleted(zoe: User) -> None:
    Client().post("/accounts/password/reset/", {"email": zoe.email})
    asked = Notice.objects.get()
    delete_account(zoe)
    assert not Notice.objects.filter(pk=asked.pk).exists()
