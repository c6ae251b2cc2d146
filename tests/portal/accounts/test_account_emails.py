"""Email about accounts: stored with its subject, sent by a worker, and then deleted."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.core.cache import cache
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from portal.accounts.adapter import AccountAdapter
from portal.mail.outbox import RETRY_DELAYS, send_notice
from portal.models import Notice, User
from tests.support.clients import PASSWORD, sign_in, with_password
from tests.support.mail_server import MailServer, mail_goes_to, mail_server
from tests.support.notices import let_pause_end, send_all, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

SIGNUP, RESET, ADDRESS = "/accounts/signup/", "/accounts/password/reset/", "/accounts/email/"
CAROL = {"username": "carol", "email": "carol@example.org", "password1": "neither short nor known"}


@pytest.fixture(autouse=True)
def fresh_throttles() -> Iterator[None]:
    """The cache belongs to no model, so its counters would outlive a test."""
    yield
    cache.clear()


@pytest.fixture
def alice(alice: User) -> User:
    return with_password(alice)


@pytest.fixture(params=["refuses", "hangs", "is gone"])
def server(request: pytest.FixtureRequest, settings: Settings) -> Iterator[MailServer]:
    """A mail server that is down."""
    with mail_server() as server:
        mail_goes_to(server, settings)
        server.manner = request.param
        if request.param == "is gone":
            settings.EMAIL_PORT = 1
        elif request.param == "hangs":
            settings.EMAIL_TIMEOUT = 0.3
        yield server


def comes_back(server: MailServer, settings: Settings) -> None:
    server.manner = "takes"
    mail_goes_to(server, settings)
    for notice in Notice.objects.waiting():
        let_pause_end(notice)
    send_all()


def link_in(mail: str) -> str:
    text = mail.replace("=\r\n", "").replace("=3D", "=")
    return str(re.findall(rf"{re.escape(site.SITE_URL)}(/accounts/\S+)", text)[0])


def kept() -> tuple[str, str, str]:
    """The content of the only row in the outbox."""
    return Notice.objects.values_list("state", "address", "body").get()


def test_signing_up_while_the_mail_server_is_down_makes_a_whole_account(
    server: MailServer, settings: Settings, client: Client
) -> None:
    answer = client.post(SIGNUP, CAROL)
    assert (answer.status_code, server.visits) == (302, 0)
    assert EmailAddress.objects.get(user__username="carol").email == "carol@example.org"
    send_all()
    assert Notice.objects.get().state == "waiting"
    comes_back(server, settings)
    client.post(link_in(server.mails[0]))
    assert EmailAddress.objects.get().verified
    assert kept() == ("sent", "", "")


def test_a_password_is_reset_when_the_mail_server_is_back(
    server: MailServer, settings: Settings, client: Client, alice: User
) -> None:
    assert client.post(RESET, {"email": alice.email}).status_code == 302
    send_all()
    comes_back(server, settings)
    form = client.get(link_in(server.mails[0]), follow=True)
    new = {"password1": "another-of-twelve", "password2": "another-of-twelve"}
    assert client.post(form.request["PATH_INFO"], new).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("another-of-twelve")


def test_an_address_and_a_password_change_while_the_mail_server_is_down(
    server: MailServer, settings: Settings, alice: User
) -> None:
    client = sign_in(alice)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    new = {"email": "alice@example.com", "action_add": ""}
    assert client.post(ADDRESS, new).headers["Location"] == ADDRESS
    changed = {"oldpassword": PASSWORD, "password1": "another-1", "password2": "another-1"}
    assert client.post("/accounts/password/change/", changed).status_code == 302
    send_all()
    comes_back(server, settings)
    assert len(server.mails) == 2
    link = next(link_in(mail) for mail in server.mails if "confirm-email" in mail)
    assert client.post(link).status_code == 302
    alice.refresh_from_db()
    assert alice.email == "alice@example.com"


def test_an_account_whose_mail_cannot_be_stored_is_not_made(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ConnectionError("the database is gone")

    monkeypatch.setattr(AccountAdapter, "send_mail", fails)
    with pytest.raises(ConnectionError):
        client.post(SIGNUP, CAROL)
    assert not User.objects.exists()
    assert not EmailAddress.objects.exists()


def test_the_message_to_the_worker_names_only_the_row(
    client: Client, alice: User, messages: Path
) -> None:
    client.post(RESET, {"email": alice.email})
    [file] = messages.iterdir()
    assert b"example.org" not in file.read_bytes()
    assert work(messages) == 1
    assert kept() == ("sent", "", "")


def test_a_link_is_deleted_when_its_mail_is_given_up(
    server: MailServer, client: Client, alice: User
) -> None:
    client.post(RESET, {"email": alice.email})
    Notice.objects.update(attempts=len(RETRY_DELAYS) - 1)
    send_all()
    assert kept() == ("failed", "", "")
    assert alice.email not in Notice.objects.get().failure


def test_a_link_is_deleted_when_it_has_expired(client: Client, alice: User) -> None:
    client.post(RESET, {"email": alice.email})
    notice = Notice.objects.get()
    assert notice.expires
    life = notice.expires - notice.created
    assert abs(life - timedelta(seconds=site.PASSWORD_RESET_TIMEOUT)) < timedelta(seconds=5)
    Notice.objects.update(expires=Now())
    send_notice(notice.pk)  # a late message
    assert "/password/reset/key/" in kept()[2]
    call_command("sweep", "--once")
    assert kept() == ("dropped", "", "")
