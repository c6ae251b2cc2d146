"""Former addresses of entries redirect; those of what is not public do not exist."""

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.urls import _ENTRY
from portal.language_models.renaming import accept_rename, request_rename
from portal.models import (
    Action,
    LanguageModel,
    Release,
    RenameRequest,
    Submission,
    SubmissionState,
    User,
)
from portal.review.services import undo_decision, withdraw_submission
from portal.states import change_submission
from tests.support.clients import signed_in
from tests.support.factories import ALL, published, reported

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    return published(alice, official, "Working name", ALL)


@pytest.fixture
def renamed(entry: Submission, alice: User, rita: User) -> Submission:
    LanguageModel.objects.update(owner=alice)
    entry.language_model.refresh_from_db()
    request_rename(entry.language_model, name="Real name", organisation="", by=alice)
    accept_rename(RenameRequest.objects.get().pk, by=rita)
    entry.refresh_from_db()
    return entry


def location(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 301
    return str(response.headers["Location"])


def test_the_primary_key_leads_to_the_slug_with_the_query(
    client: Client, entry: Submission
) -> None:
    assert entry.entry_id == "working-name"
    assert client.get("/entries/working-name/").status_code == 200
    address = f"/entries/{entry.pk}/?metric_set=strict&x=1&x=2"
    assert location(client, address) == "/entries/working-name/?metric_set=strict&x=1&x=2"


def test_every_address_of_an_entry_redirects_where_it_exists(
    client: Client, entry: Submission
) -> None:
    for pattern in _ENTRY:
        name = str(pattern.name)
        former = client.get(reverse(name, args=[entry.pk]))
        if client.get(reverse(name, args=[entry.entry_id])).status_code == 200:
            assert former.headers["Location"] == reverse(name, args=[entry.entry_id])


def test_a_reported_entry_is_found_by_its_number(client: Client, official: Release) -> None:
    row = reported("Told", ALL)
    assert location(client, f"/entries/reported-{row.pk}/") == "/entries/told-reported/"
    assert client.get("/entries/told-reported/").status_code == 200


def test_a_former_name_leads_to_the_new_one_and_nothing_back(
    client: Client, renamed: Submission
) -> None:
    assert renamed.entry_id == "real-name"
    assert location(client, "/entries/working-name/badge.svg") == "/entries/real-name/badge.svg"
    assert location(client, f"/entries/{renamed.pk}/") == "/entries/real-name/"
    for address in (
        *("/entries/real-name/badge.svg", "/entries/real-name/report.json", "/sitemap.xml"),
        *("/board/hf/feed.atom", "/compare/?a=real-name"),
    ):
        shown = client.get(address).content.decode().lower()
        assert "entries/working-name" not in shown
        assert "working name" not in shown


def test_parameters_with_former_ids_are_understood(client: Client, renamed: Submission) -> None:
    for former in (str(renamed.pk), "working-name"):
        for address, parameter in (("/compare/", "a"), ("/board/hf/", "pin")):
            response = client.get(f"{address}?{parameter}={former}")
            assert response.headers["Location"] == f"{address}?{parameter}=real-name"
        document = client.get(f"/api/v1/entries/{former}/").json()
        assert (document["id"], document["submission"]) == ("real-name", str(renamed.pk))


@pytest.mark.parametrize("state", [SubmissionState.PRIVATE, SubmissionState.IN_REVIEW])
def test_what_was_never_public_has_no_address(
    alice: User, bob: User, official: Release, state: SubmissionState
) -> None:
    private = published(alice, official, "Working name", ALL, state=state)
    for reader in (Client(), signed_in(bob), signed_in(alice)):
        for entry_id in ("working-name", private.pk):
            for address in (f"/entries/{entry_id}/", f"/api/v1/entries/{entry_id}/"):
                assert reader.get(address).status_code == 404
            assert reader.get(f"/compare/?a={entry_id}").status_code == 404


def test_the_address_of_a_withdrawn_entry_says_that_it_is_gone(
    client: Client, alice: User, rita: User, official: Release
) -> None:
    waiting = published(alice, official, "Model", ALL, state=SubmissionState.IN_REVIEW)
    gone = change_submission(waiting, Action.PUBLISH, by=rita, reason="Complete.")
    withdraw_submission(gone, by=alice)
    assert location(client, f"/entries/{gone.pk}/") == "/entries/model/"
    assert client.get("/entries/model/").status_code == 410
    assert client.get("/api/v1/entries/model/").status_code == 410
    assert client.get(f"/compare/?a={gone.pk}", follow=True).status_code == 410


def test_an_undone_publication_leaves_no_trace(
    client: Client, alice: User, rita: User, official: Release
) -> None:
    waiting = published(alice, official, "Model", ALL, state=SubmissionState.IN_REVIEW)
    public = change_submission(waiting, Action.PUBLISH, by=rita, reason="Complete.")
    assert client.get("/entries/model/").status_code == 200
    undo_decision(public, by=rita)
    for entry_id in ("model", public.pk):
        assert client.get(f"/entries/{entry_id}/").status_code == 404
