"""Strangers cannot lock a user out, and nobody can guess passwords indefinitely."""

import re

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from portal.accounts.known_devices import COOKIE
from portal.models import User
from tests.support.clients import PASSWORD, sign_in, with_password
from tests.support.notices import sent_mail

pytestmark = pytest.mark.django_db

LIMIT = 5  # attempts per name and hour, instead of 50: each takes as long as a real one
LOGIN, RESET = "/accounts/login/", "/accounts/password/reset/"


@pytest.fixture(autouse=True)
def low_limit(settings: Settings) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS
    assert "50/h/key" in limits["login_failed"]
    low = limits["login_failed"].replace("50/h/key", f"{LIMIT}/h/key")
    settings.ACCOUNT_RATE_LIMITS = {**limits, "login_failed": low}


@pytest.fixture
def alice(alice: User) -> User:
    return with_password(alice)


@pytest.fixture
def bob(bob: User) -> User:
    return with_password(bob)


def can_sign_in(
    client: Client, login: str, password: str = PASSWORD, address: str = "192.0.2.77"
) -> bool:
    form = {"login": login, "password": password}
    return client.post(LOGIN, form, REMOTE_ADDR=address).status_code == 302


def fill_the_count_of(login: str) -> None:
    """Use up the attempts, as strangers can from any number of addresses."""
    for number in range(LIMIT):
        assert not can_sign_in(Client(), login, f"wrong {number}", f"203.0.113.{number}")


def known_device_of(user: User) -> Client:
    """A browser in which this user has signed in and out again."""
    client = sign_in(user)
    client.post("/accounts/logout/")
    return client


@pytest.mark.parametrize("login", ["alice", "ALICE", "alice@example.org"])
def test_a_user_who_has_signed_in_before_is_not_locked_out(alice: User, login: str) -> None:
    client = known_device_of(alice)
    fill_the_count_of(login)
    assert not can_sign_in(Client(), login)
    assert can_sign_in(client, login)


def test_a_user_is_not_locked_out_by_others_behind_the_same_address(alice: User) -> None:
    client = known_device_of(alice)
    for number in range(10):
        can_sign_in(Client(), f"guess{number}", "wrong")
    assert not can_sign_in(Client(), "alice")
    assert can_sign_in(client, "alice")


def test_a_known_device_cannot_guess_without_end(alice: User) -> None:
    client = known_device_of(alice)
    for number in range(10):
        can_sign_in(client, "alice", f"wrong {number}")
    assert not can_sign_in(client, "alice")
    assert can_sign_in(known_device_of(alice), "alice")


def test_another_account_gives_neither_a_known_device_nor_a_new_count(
    alice: User, bob: User
) -> None:
    client = known_device_of(alice)
    number, _, _ = client.cookies[COOKIE].value.partition(".")
    assert can_sign_in(client, "bob")
    assert client.cookies[COOKIE].value.startswith(f"{number}.{bob.pk}.{alice.pk}:")
    fill_the_count_of("alice")
    assert not can_sign_in(known_device_of(bob), "alice")


@pytest.mark.parametrize("forged", ["abc.{pk}", "abc.{pk}:1aaaaa:sig", "", ":", "{pk}", "a" * 999])
def test_the_cookie_cannot_be_forged(alice: User, forged: str) -> None:
    fill_the_count_of("alice")
    client = Client()
    client.cookies[COOKIE] = forged.format(pk=alice.pk)
    assert not can_sign_in(client, "alice")


def test_the_cookie_is_for_this_host_only_and_for_no_script(alice: User) -> None:
    cookie = sign_in(alice).cookies[COOKIE]
    assert COOKIE == "__Host-device"
    assert (cookie["secure"], cookie["httponly"], cookie["path"]) == (True, True, "/")
    assert len(cookie.value) < 200


def test_a_user_in_a_new_browser_gets_in_by_mail_and_is_known_then(alice: User) -> None:
    fill_the_count_of("alice")
    client = Client()
    client.post(RESET, {"email": alice.email})
    [message] = sent_mail()
    [link] = re.findall(rf"{re.escape(site.SITE_URL)}(/accounts/\S+)", str(message.body))
    form = client.get(link, follow=True).request["PATH_INFO"]
    client.post(form, {"password1": "another-of-twelve", "password2": "another-of-twelve"})
    assert client.get("/profile/").status_code == 200
    client.post("/accounts/logout/")
    assert not can_sign_in(Client(), "alice", "another-of-twelve")
    assert can_sign_in(client, "alice", "another-of-twelve")
