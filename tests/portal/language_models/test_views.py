"""My models: descriptions of language models, corrected and deleted."""

from collections.abc import Callable
from http import HTTPStatus

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from portal.board_version import board_version
from portal.language_models.services import delete_language_model, edit_language_model
from portal.models import LanguageModel, Release, Submission, SubmissionState, User
from tests.support.clients import html_of, signed_in, texts_of
from tests.support.factories import make_submission, model_of
from tests.support.html import notices, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def submission(alice: User, release: Release) -> Submission:
    return make_submission(alice, release, b"{}")


def edit(browser: Client, model: LanguageModel, **changed: str) -> int:
    described = {"name": model.name, "weights": model.weights, **changed}
    fields = {f"model-{name}": value for name, value in described.items()}
    return browser.post(reverse("my-model-edit", args=[model.slug]), fields).status_code


def delete(browser: Client, model: LanguageModel) -> list[str]:
    return notices(browser.post(reverse("my-model-delete", args=[model.slug]), follow=True))


def put(submission: Submission, state: str) -> None:
    Submission.objects.filter(pk=submission.pk).update(state=state)


def test_the_list_shows_own_models_and_how_often_they_are_used(
    browser: Client, bob: User, submission: Submission
) -> None:
    LanguageModel.objects.create(name="t pdf", slug="t-pdf", owner=submission.owner)
    LanguageModel.objects.create(name="Of Bob", slug="of-bob", owner=bob)
    page = html_of(browser.get("/my-models/"))
    assert "Of Bob" not in page
    assert '?model=model-of-alice">1</a>' in page
    assert page.count("/delete/") == 1


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("", "/my-models/"),
        ("?next=/submissions/", "/submissions/"),
        ("?next=//example.org/", "/my-models/"),
        ("?next=https://example.org/", "/my-models/"),
    ],
)
def test_after_editing_the_user_returns_to_the_previous_page(
    browser: Client, submission: Submission, asked: str, place: str
) -> None:
    address = reverse("my-model-edit", args=[submission.language_model.slug]) + asked
    assert f'class="button" href="{place}">Cancel' in html_of(browser.get(address))
    response = browser.post(address, {"model-name": "Model", "model-weights": "open"})
    assert (response.status_code, response.headers["Location"]) == (302, place)


def test_after_editing_from_a_submission_the_user_returns_to_it(
    browser: Client, submission: Submission
) -> None:
    page = html_of(browser.get(f"/submissions/{submission.pk}/"))
    assert f"/edit/?next=/submissions/{submission.pk}/" in page


def test_without_models_the_list_links_to_the_form(browser: Client) -> None:
    assert "not added any language models" in html_of(browser.get("/my-models/"))


@pytest.mark.usefixtures("submission")
def test_how_often_others_use_a_model_is_not_shown(
    browser: Client, alice: User, bob: User, release: Release
) -> None:
    theirs = make_submission(bob, release, b"{}")
    Submission.objects.filter(pk=theirs.pk).update(language_model=model_of(alice))
    page = html_of(browser.get("/my-models/"))
    assert '?model=model-of-alice">1</a>' in page


def test_an_unused_model_can_be_deleted(browser: Client, alice: User) -> None:
    assert delete(browser, model_of(alice)) == ["good"]
    assert not LanguageModel.objects.exists()


def test_a_model_deleted_in_another_tab_is_not_found(browser: Client, alice: User) -> None:
    model = model_of(alice)

    def deleted_first(execute: Callable[..., object], sql: str, *more: object) -> object:
        if "FOR UPDATE" in sql:
            LanguageModel.objects.filter(pk=model.pk).delete()
        return execute(sql, *more)

    with connection.execute_wrapper(deleted_first):
        assert edit(browser, model, name="Another") == HTTPStatus.NOT_FOUND


def test_a_model_in_use_cannot_be_deleted(browser: Client, submission: Submission) -> None:
    assert delete(browser, submission.language_model) == ["in_use"]
    assert LanguageModel.objects.exists()


def test_a_private_model_can_be_edited_completely(browser: Client, submission: Submission) -> None:
    before = board_version()
    assert edit(browser, submission.language_model, name="Longreader", licence="MIT") == 302
    model = LanguageModel.objects.get()
    assert (model.name, model.licence, model.slug) == ("Longreader", "MIT", "model-of-alice")
    assert board_version() == before
    assert not submission.audit_entries.exists()


def test_editing_a_published_model_is_logged_and_shown_at_once(
    browser: Client, submission: Submission
) -> None:
    put(submission, SubmissionState.PUBLISHED)
    before = board_version()
    assert edit(browser, submission.language_model, weights="open", parameters="8B") == 302
    assert board_version() == before + 1
    entry = submission.audit_entries.get()
    assert (entry.action, entry.before, entry.after) == (
        "edit language model", "published", "published",
    )  # fmt: skip
    assert entry.reason == "parameters: – → 8B\nweights: – → open"
    page = html_of(browser.get(reverse("submission", args=[submission.pk])))
    assert "edited the model details" in page


def test_saving_without_changes_does_nothing(browser: Client, submission: Submission) -> None:
    put(submission, SubmissionState.PUBLISHED)
    before = board_version()
    assert edit(browser, submission.language_model) == 302
    assert (board_version(), submission.audit_entries.count()) == (before, 0)


@pytest.mark.parametrize(
    ("state", "name"),
    {"in review": "Model", "published": "Model", "hidden": "Model", "rejected": "Other"}.items(),
)
def test_the_name_of_a_published_model_is_locked(
    browser: Client, alice: User, submission: Submission, state: str, name: str
) -> None:
    put(submission, state)
    edit(browser, submission.language_model, name="Other")
    assert LanguageModel.objects.get().name == name


def test_the_service_refuses_to_change_a_locked_name(alice: User, submission: Submission) -> None:
    put(submission, SubmissionState.PUBLISHED)
    model = LanguageModel.objects.get()
    model.name = "Better than it is"
    with refused("known"):
        edit_language_model(model, by=alice)
    assert LanguageModel.objects.get().name == "Model"


def test_others_can_neither_edit_nor_delete_it(alice: User, bob: User) -> None:
    model = model_of(alice)
    for service in (edit_language_model, delete_language_model):
        with refused("not_allowed"):
            service(model, by=bob)


def test_the_name_of_another_own_model_is_refused(browser: Client, alice: User) -> None:
    LanguageModel.objects.create(name="Another", slug="another", owner=alice)
    model = model_of(alice)
    assert edit(browser, model, name="ANOTHER") == 422
    assert edit(browser, model, name="MODEL") == 302


def test_errors_are_shown(browser: Client, alice: User) -> None:
    model = model_of(alice)
    address = reverse("my-model-edit", args=[model.slug])
    answer = browser.post(address, {"model-name": "", "model-link": "x"})
    assert answer.status_code == 422
    assert "for example https://example.org/paper" in texts_of(answer)
    assert "Edit Model" in texts_of(answer)  # as it is stored
