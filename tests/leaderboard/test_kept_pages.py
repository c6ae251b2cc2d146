"""Pages that are cached for readers without an account say what the database says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.models import (
    Release,
    Submission,
    SubmissionState,
    User,
)
from portal.review.services import hide_entry, publish_submission, request_publication
from tests.leaderboard.comparison.conftest import STRONG, answered, imported
from tests.support import html
from tests.support.factories import ALL, published
from tests.support.openings import WEEK, let_pass

pytestmark = pytest.mark.django_db(transaction=True)


def text(address: str, status: int = 200) -> str:
    response = Client().get(address)
    assert response.status_code == status, address
    return response.content.decode()


def by_profile(alice: User, _adam: User) -> None:
    client = Client()
    client.force_login(alice)
    fields = {"first_name": "Renamed", "last_name": "", "organisation": "", "link": ""}
    assert client.post("/profile/", fields).status_code == 302


def by_admin(alice: User, adam: User) -> None:
    client = Client()
    client.force_login(adam)
    fields = {"role": alice.role, "organisation": "Renamed", "link": ""}  # and not active
    address = f"/admin/portal/user/{alice.pk}/change/"
    assert client.post(address, fields).status_code == 302


@pytest.mark.parametrize("change", [by_profile, by_admin])
def test_an_entry_says_who_its_author_is_now(
    alice: User, adam: User, official: Release, change: Callable[[User, User], None]
) -> None:
    address = f"/entries/{published(alice, official, 'Model', ALL).entry_id}/"
    assert "Renamed" not in text(address)
    change(alice, adam)
    assert "Renamed" in text(address)


def test_what_opens_or_is_hidden_does_so_on_every_page(
    alice: User, rita: User, adam: User, tmp_path: Path
) -> None:
    release = imported(tmp_path, "data")
    entry = answered(alice, release, "Canarymodel", STRONG, SubmissionState.PRIVATE)
    request_publication(entry, by=alice, unknown_confirmed=True, publish_on=now() + WEEK)
    publish_submission(entry, by=rita, reason="Fine.")
    pages = [
        *("/", "/board/data/", "/entries/canarymodel/", "/compare/?a=canarymodel"),
        *("/tasks/passkey/?release=data", "/examples/data/passkey/0/", "/examples/data/passkey/"),
    ]
    text("/entries/canarymodel/", 404)
    text("/models/canarymodel/", 404)
    let_pass(WEEK)
    assert len([page for page in pages if "Canarymodel" in text(page)]) > len(pages) / 2
    assert "Canarymodel" in text("/models/canarymodel/")
    hide_entry(Submission.objects.get(pk=entry.pk), by=adam, reason="Not theirs.")
    text("/entries/canarymodel/", 410)
    text("/models/canarymodel/", 410)
    others = [page for page in pages if "/entries/" not in page and "compare" not in page]
    assert [page for page in others if "Canarymodel" in text(page)] == []


def test_addresses_that_are_written_alike_have_pages_of_their_own(tmp_path: Path) -> None:
    """Bytes that a client sends unencoded are UTF-8; in addresses built from them, each byte is
    written as if it were a character."""
    imported(tmp_path, "data")
    found = []
    for query in ("words=\u00c3\u00a9", "words=%C3%83%C2%A9"):
        response = Client().get("/examples/data/passkey/", QUERY_STRING=query)
        field = html.page(response).select("input[name=words]")[0]
        found.append(field["value"])
    assert found == ["\u00e9", "\u00c3\u00a9"]
