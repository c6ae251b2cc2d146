"""Each sign-in and each change to who may sign in is logged: who, from where, and no secret."""

import logging
import re

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from portal.logs.json_lines import JsonLines
from portal.models import User
from tests.support.clients import PASSWORD, sign_in, with_password
from tests.support.notices import sent_mail

pytestmark = pytest.mark.django_db

LOGIN, RESET, ADDRESS = "/accounts/login/", "/accounts/password/reset/", "/accounts/email/"
NEW = {"password1": "another-of-twelve", "password2": "another-of-twelve"}


@pytest.fixture
def alice(alice: User) -> User:
    return with_password(alice)


@pytest.fixture(autouse=True)
def everything_is_captured(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, object]]:
    """What was logged about accounts, and for which user; checks that no line has a secret."""
    lines = [record for record in caplog.records if record.name == "portal.accounts"]
    assert {vars(line)["address"] for line in lines} <= {"127.0.0.1"}
    text = "\n".join(map(JsonLines().format, caplog.records))
    assert not re.search(f"{PASSWORD}|another-of-twelve|wrong one", text)
    assert not re.search(r"reset/key/\w+-(?!\\u2026)", text)
    return [(line.getMessage(), vars(line).get("user")) for line in lines]


def link_in_the_last_mail() -> str:
    body = str(sent_mail()[-1].body)
    return str(re.findall(rf"{re.escape(site.SITE_URL)}(/accounts/\S+)", body)[0])


def test_signing_in_and_out(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    sign_in(alice).post("/accounts/logout/")
    assert events(caplog) == [("signed in", alice.pk), ("signed out", alice.pk)]


def test_signing_out_of_the_admin(adam: User, caplog: pytest.LogCaptureFixture) -> None:
    client = sign_in(with_password(adam))
    assert client.post("/admin/logout/").status_code == 200
    assert client.get("/profile/").status_code == 302
    assert events(caplog)[1:] == [("signed out", adam.pk)]


@pytest.mark.parametrize("login", ["alice", "Alice@example.org"])
def test_wrong_passwords(alice: User, caplog: pytest.LogCaptureFixture, login: str) -> None:
    for _ in range(11):
        Client().post(LOGIN, {"login": login, "password": "a wrong one"})
    wrong = ("wrong password", alice.pk)
    assert events(caplog) == [*10 * [wrong], ("sign-in refused: too many attempts", alice.pk)]


def test_a_password_that_was_typed_as_a_name(caplog: pytest.LogCaptureFixture) -> None:
    Client().post(LOGIN, {"login": PASSWORD, "password": "x"})
    assert events(caplog) == [("wrong password", None)]


def test_a_closed_account(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    User.objects.update(is_active=False)
    Client().post(LOGIN, {"login": "alice", "password": PASSWORD})
    assert events(caplog) == [("sign-in refused: the account is closed", alice.pk)]


def test_signing_up_and_confirming_the_address(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    form = {"username": "carol", "email": "carol@example.org", "password1": PASSWORD}
    client.post("/accounts/signup/", form)
    client.post(link_in_the_last_mail())
    carol = User.objects.get()
    assert events(caplog) == [("signed up", carol.pk), ("address confirmed", carol.pk)]


def test_changing_the_password_and_the_address(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    client = sign_in(alice)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post(ADDRESS, {"email": "alice@example.com", "action_add": ""})
    client.post(link_in_the_last_mail())
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, **NEW})
    done = ["email changed", "address confirmed", "password changed"]
    assert events(caplog)[1:] == [(event, alice.pk) for event in done]


def test_resetting_the_password(
    client: Client, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    client.post(RESET, {"email": alice.email})
    form = client.get(link_in_the_last_mail(), follow=True)
    client.post(form.request["PATH_INFO"], NEW)
    done = ["password reset requested", "password reset", "signed in"]
    assert events(caplog) == [(event, alice.pk) for event in done]


def test_the_address_is_the_one_that_the_trusted_proxy_names(
    alice: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    form = {"login": "alice", "password": "a wrong one"}
    Client().post(LOGIN, form, headers={"x-forwarded-for": "203.0.113.7, 192.0.2.7"})
    [line] = [record for record in caplog.records if record.name == "portal.accounts"]
    assert '"address": "192.0.2.7"' in JsonLines().format(line)
    assert f'"user": "{alice.pk}"' in JsonLines().format(line)
