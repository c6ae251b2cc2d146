"""The list of sessions, and how they end."""

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client

from portal.accounts.sessions import delete_expired_sessions
from portal.models import User
from tests.support import html
from tests.support.clients import PASSWORD, sign_in, with_password

pytestmark = pytest.mark.django_db

SESSIONS = "/accounts/sessions/"


@pytest.fixture
def alice(alice: User) -> User:
    return with_password(alice)


def is_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def test_each_browser_is_listed_and_one_can_be_ended(alice: User) -> None:
    here, there = sign_in(alice), sign_in(alice)
    page = here.get(SESSIONS)
    listed = page.context["sessions"]
    current = [row["data-session"] for row in html.page(page).select("tr[data-current]")]
    assert current == [str(listed[0].pk)]
    here.post(f"{SESSIONS}{listed[1].pk}/end/")
    assert (is_in(here), is_in(there)) == (True, False)
    assert UserSession.objects.count() == 1


def test_nobody_ends_the_session_of_another(alice: User, bob: User) -> None:
    hers, his = sign_in(alice), sign_in(with_password(bob))
    other = UserSession.objects.get(user=alice)
    assert his.post(f"{SESSIONS}{other.pk}/end/").status_code == 404
    his.post(SESSIONS)
    assert is_in(hers)


def test_all_others_can_be_ended_at_once(alice: User) -> None:
    here, *others = (sign_in(alice) for _ in range(3))
    here.post(SESSIONS)
    assert is_in(here)
    assert not any(is_in(other) for other in others)


def test_a_new_password_ends_the_others(alice: User) -> None:
    here, there = sign_in(alice), sign_in(alice)
    words = {"oldpassword": PASSWORD, "password1": "quite another", "password2": "quite another"}
    here.post("/accounts/password/change/", words)
    assert (is_in(here), is_in(there)) == (True, False)
    assert len(here.get(SESSIONS).context["sessions"]) == 1


def test_nothing_is_kept_of_a_session_that_is_over(alice: User) -> None:
    sign_in(alice)
    Session.objects.all().delete()
    assert delete_expired_sessions() == 1
    assert not UserSession.objects.exists()
