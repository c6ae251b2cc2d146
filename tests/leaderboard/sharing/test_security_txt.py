"""Whom to tell about a vulnerability, as specified in RFC 9116."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from pytest_django import Settings

PATH = "/.well-known/security.txt"

pytestmark = pytest.mark.django_db


def fields_of(client: Client) -> list[tuple[str, str]]:
    answer = client.get(PATH)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    return [(name, value) for name, _, value in (
        line.partition(": ") for line in answer.content.decode().splitlines()
    )]  # fmt: skip


def test_it_names_contacts_in_private_first_and_ends(client: Client, settings: Settings) -> None:
    settings.CONTACT_URL = "mailto:people@example.org"
    settings.ISSUES_URL = "https://example.org/issues?a=1&b=2"
    settings.SITE_URL = "https://board.example.org"
    fields = fields_of(client)
    contacts = [value for name, value in fields if name == "Contact"]
    assert contacts == [settings.CONTACT_URL, settings.ISSUES_URL]
    single = dict(fields)
    assert single["Canonical"] == f"https://board.example.org{PATH}"
    assert single["Preferred-Languages"] == "en"
    left = datetime.fromisoformat(single["Expires"]) - datetime.now(UTC)
    assert timedelta(days=178) < left < timedelta(days=365)
    assert [name for name, _ in fields].count("Expires") == 1


@pytest.mark.parametrize("contact", ["", "http://example.org/not-private"])
def test_without_a_way_to_reach_somebody_there_is_none(
    client: Client, settings: Settings, contact: str
) -> None:
    settings.CONTACT_URL, settings.ISSUES_URL = contact, ""
    assert client.get(PATH).status_code == 404
