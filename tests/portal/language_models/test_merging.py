"""Two spellings of one model are merged: everything moves, and the old address redirects."""

import pytest
from django.test import Client

from portal.board_version import board_version
from portal.language_models.services import get_or_create_site_model, merge_language_models
from portal.models import (
    AuditEntry,
    LanguageModel,
    Release,
    ReportedEntry,
    Submission,
    SubmissionState,
    User,
)
from tests.support.clients import signed_in
from tests.support.factories import ALL, language_model, published, release_of_all_tasks, reported
from tests.support.html import notices, one, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def official() -> Release:
    return release_of_all_tasks()


@pytest.fixture
def kept(official: Release) -> LanguageModel:
    return reported("Llama-3", {"passkey": 1.0}, "one").language_model


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    return published(alice, official, "LLaMA three", {"passkey": 2.0})


def test_submissions_and_reported_entries_move(
    kept: LanguageModel, entry: Submission, alice: User, adam: User
) -> None:
    merged, before = entry.language_model, board_version()
    ReportedEntry.objects.create(language_model=merged, source="two")
    private = published(alice, entry.release, "LLaMA three", ALL, state=SubmissionState.PRIVATE)
    merge_language_models(merged, into=kept, by=adam)
    assert not LanguageModel.objects.filter(slug=merged.slug).exists()
    assert set(kept.submissions.all()) == {entry, private}
    assert kept.reported_entries.count() == 2
    assert board_version() > before


def test_the_old_address_leads_to_the_model_also_after_a_second_merge(
    client: Client, kept: LanguageModel, entry: Submission, adam: User
) -> None:
    old = entry.language_model.slug
    merge_language_models(entry.language_model, into=kept, by=adam)
    assert client.get(f"/models/{old}/").headers["Location"] == f"/models/{kept.slug}/"
    last = reported("Llama the third", {"passkey": 1.0}, "three").language_model
    merge_language_models(kept, into=last, by=adam)
    for slug in (old, kept.slug):
        assert client.get(f"/models/{slug}/").headers["Location"] == f"/models/{last.slug}/"


def test_the_audit_log_names_both_models(
    kept: LanguageModel, entry: Submission, adam: User
) -> None:
    merged = entry.language_model
    merge_language_models(merged, into=kept, by=adam)
    last = AuditEntry.objects.latest("number")
    assert (last.subject, last.action, last.actor) == (f"model:{merged.slug}", "merge", adam)
    assert f"model:{kept.slug}" in last.reason
    assert entry.audit_entries.latest("number").reason == f"language model: {merged} → {kept}"


def test_an_import_knows_the_merged_name(kept: LanguageModel, adam: User) -> None:
    other = get_or_create_site_model("LLaMA-3.1")
    merge_language_models(other, into=kept, by=adam)
    assert get_or_create_site_model("LLaMA-3.1") == kept


def test_two_tables_of_one_source_are_not_mixed(kept: LanguageModel, adam: User) -> None:
    other = reported("Other", {"passkey": 3.0}, "one").language_model
    with refused("same_source"):
        merge_language_models(other, into=kept, by=adam)
    assert LanguageModel.objects.filter(pk=other.pk).exists()


def test_nothing_is_merged_into_a_model_that_only_its_owner_knows(
    kept: LanguageModel, bob: User, alice: User, adam: User
) -> None:
    private = language_model("Secret", bob)
    with refused("not_public"):
        merge_language_models(kept, into=private, by=adam)
    merge_language_models(language_model("Sekret", bob), into=private, by=adam)


def test_only_admins_merge(kept: LanguageModel, rita: User) -> None:
    other = get_or_create_site_model("Other")
    with refused("not_allowed"):
        merge_language_models(other, into=kept, by=rita)


def test_an_admin_is_asked_which_model_stays(
    kept: LanguageModel, entry: Submission, adam: User
) -> None:
    client, address = signed_in(adam), "/admin/portal/languagemodel/"
    asked = {"action": "merge", "_selected_action": [kept.pk, entry.language_model_id]}
    response = client.post(address, asked)
    assert one(response, "input[name=merged]")
    assert client.post(address, {**asked, "merged": "Merge"}).status_code == 422
    assert LanguageModel.objects.count() == 2
    response = client.post(address, {**asked, "merged": "Merge", "kept": kept.pk}, follow=True)
    assert notices(response) == ["good"]
    assert LanguageModel.objects.get() == kept
