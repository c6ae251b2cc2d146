"""Working names: an owner asks for another name of a model that others know; a reviewer decides."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from portal.language_models.renaming import accept_rename, refuse_rename, request_rename
from portal.models import Action, LanguageModel, RenameRequest, Submission, SubmissionState, User
from tests.support.clients import signed_in
from tests.support.factories import judged, whole_release
from tests.support.html import one, refused
from tests.support.notices import send_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry(alice: User) -> Submission:
    submission = judged(alice, whole_release(), name="Working", state=SubmissionState.PUBLISHED)
    LanguageModel.objects.update(owner=alice)
    submission.refresh_from_db()
    return submission


def test_a_model_is_renamed_once_a_reviewer_accepts(
    entry: Submission, alice: User, bob: User, rita: User
) -> None:
    slug, page = entry.language_model.slug, f"/entries/{entry.entry_id}/"
    address = reverse("my-model-rename", args=[slug])
    asked = {"name": "Canarymodel", "organisation": "Canarymaker"}
    assert signed_in(alice).post(address, asked).status_code == 302
    assert "Canarymodel" in signed_in(alice).get(address).text
    for client in (Client(), signed_in(bob), signed_in(alice)):
        for public in (page, f"/models/{slug}/", "/board/whole/"):
            assert "Canary" not in client.get(public).text
    reviewer, number = signed_in(rita), RenameRequest.objects.get().pk
    assert one(reviewer.get("/review/"), f"[data-rename='{number}']")
    assert reviewer.post(reverse("rename-accept", args=[number])).status_code == 302
    assert Client().get(page).headers["Location"] == "/entries/canarymodel/"
    for public in ("/entries/canarymodel/", f"/models/{slug}/", "/board/whole/"):
        shown = Client().get(public).text
        assert "Canarymodel" in shown
        assert "Working" not in shown
    assert not RenameRequest.objects.exists()
    step = entry.audit_entries.latest("number")
    assert (step.action, step.actor) == (Action.EDIT_LANGUAGE_MODEL, rita)
    assert "name: Working → Canarymodel" in step.reason


def test_a_refusal_has_a_reason_and_changes_nothing(
    entry: Submission, alice: User, rita: User
) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    model = entry.language_model
    request_rename(model, name="Other", organisation="", by=alice)
    number = RenameRequest.objects.get().pk
    with refused("reason_missing"):
        refuse_rename(number, reason=" ", by=rita)
    refuse_rename(number, reason="It is somebody else's name.", by=rita)
    assert LanguageModel.objects.get().name == "Working"
    send_all()
    assert "It is somebody else's name." in mail.outbox[0].body


def test_nobody_decides_about_an_own_model_or_what_was_changed_since(
    entry: Submission, alice: User, bob: User, rita: User
) -> None:
    model = entry.language_model
    request_rename(model, name="Other", organisation="", by=alice)
    first = RenameRequest.objects.get().pk
    with refused("not_allowed"):
        accept_rename(first, by=bob)
    request_rename(model, name="Another", organisation="", by=alice)
    with refused("changed"):
        accept_rename(first, by=rita)
    LanguageModel.objects.update(owner=rita)
    with refused("not_allowed"):
        accept_rename(RenameRequest.objects.get().pk, by=rita)
    request_rename(model, name="Working", organisation="", by=rita)  # the name that it has
    assert not RenameRequest.objects.exists()


def test_what_others_do_not_know_is_renamed_by_its_owner(alice: User) -> None:
    model = judged(alice, whole_release(), name="Working").language_model
    LanguageModel.objects.update(owner=alice)
    with refused("not_known"):
        request_rename(model, name="Other", organisation="", by=alice)
