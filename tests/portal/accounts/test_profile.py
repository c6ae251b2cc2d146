"""The profile of a user."""

import pytest
from django.test import Client

from portal.models import User

FIELDS = {"first_name": "Alice", "last_name": "", "organisation": "Lab", "link": "example.org/a"}


@pytest.fixture
def signed_in(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def test_the_profile_needs_a_sign_in(client: Client, db: None) -> None:
    answer = client.get("/profile/")
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/accounts/login/?next=/profile/",
    )


def test_the_profile_shows_name_and_role(client: Client, rita: User) -> None:
    client.force_login(rita)
    page = client.get("/profile/").text
    assert "<bdi>rita</bdi>" in page
    assert 'href="/review/"' in page


def test_the_profile_is_saved(signed_in: Client, alice: User) -> None:
    answer = signed_in.post("/profile/", FIELDS)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/profile/")
    assert "Saved." in signed_in.get("/profile/").text
    alice.refresh_from_db()
    assert (alice.organisation, alice.link) == ("Lab", "https://example.org/a")


def test_an_empty_form_empties_it(signed_in: Client, alice: User) -> None:
    signed_in.post("/profile/", FIELDS)
    signed_in.post("/profile/", dict.fromkeys(FIELDS, ""))
    alice.refresh_from_db()
    assert (alice.organisation, alice.link) == ("", "")


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "ftp://example.org/", "data:text/html,x", "https://", "a b"]
)
def test_an_invalid_link_is_refused_with_the_form(signed_in: Client, link: str) -> None:
    answer = signed_in.post("/profile/", {**FIELDS, "link": link})
    assert answer.status_code == 422
    page = answer.text
    assert 'aria-invalid="true"' in page
    assert 'id="id_link_error"' in page
    assert 'value="Lab"' in page  # nothing has to be retyped


def test_a_refused_form_changes_nothing(signed_in: Client, alice: User) -> None:
    signed_in.post("/profile/", {**FIELDS, "link": "x y"})
    alice.refresh_from_db()
    assert alice.organisation == ""


def test_users_cannot_give_themselves_a_role(signed_in: Client, alice: User) -> None:
    signed_in.post("/profile/", {**FIELDS, "role": "admin", "is_staff": "on", "username": "root"})
    alice.refresh_from_db()
    assert (alice.role, alice.is_staff, alice.username) == ("author", False, "alice")


def test_bidirectional_control_characters_are_refused(signed_in: Client) -> None:
    answer = signed_in.post("/profile/", {**FIELDS, "organisation": "Lab\u202egnp"})
    assert answer.status_code == 422
