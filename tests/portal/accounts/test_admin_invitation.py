"""The first admin of a new site: created by a command, with a one-time link to set a password."""

from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from portal.models import AuditEntry, Role, User

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def invited(email: str = "ada@board.example", **options: Any) -> str:
    """The link that the command prints."""
    output = StringIO()
    call_command("invite_admin", email, stdout=output, stderr=StringIO(), **options)
    return output.getvalue().strip()


def set_password(link: str) -> Client:
    """Follow the link with a browser, as a new visitor."""
    client = Client()
    form = client.get(urlsplit(link).path).headers.get("Location", "")
    if form:
        client.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    return client


def test_an_invited_admin_sets_a_password_and_is_signed_in() -> None:
    link = invited()
    assert link.startswith(settings.SITE_URL)
    client = set_password(link)
    ada = User.objects.get()
    assert (ada.username, ada.role, ada.is_staff, ada.is_superuser) == ("ada", "admin", True, True)
    assert ada.check_password(PASSWORD)
    assert client.session["_auth_user_id"] == str(ada.pk)


def test_the_link_works_once() -> None:
    link = invited()
    set_password(link)
    assert not set_password(link).session.get("_auth_user_id")


def test_an_admin_without_a_password_is_invited_again() -> None:
    invited()
    set_password(invited())
    assert User.objects.get().check_password(PASSWORD)


def test_an_invitation_is_in_the_log() -> None:
    invited()
    assert AuditEntry.objects.get().after == Role.ADMIN


@pytest.mark.parametrize("email", ["ALICE@example.org", "alice@example.org"])
def test_an_account_that_is_there_is_not_taken_over(alice: User, email: str) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    with pytest.raises(CommandError):
        invited(email)
    alice.refresh_from_db()
    assert alice.role == Role.AUTHOR


def test_an_admin_with_a_password_is_not_invited_again() -> None:
    set_password(invited())
    with pytest.raises(CommandError):
        invited()


@pytest.mark.parametrize(
    ("email", "username"),
    [("nobody", None), ("ada@board.example", "Ada L"), ("a@board.example", None)],
)
def test_a_wrong_address_or_name_makes_no_account(email: str, username: str | None) -> None:
    with pytest.raises(CommandError):
        invited(email, username=username)
    assert not User.objects.exists()


def test_a_reserved_name_is_for_those_who_run_the_site() -> None:
    assert invited("admin@board.example")
    assert User.objects.get().username == "admin"
