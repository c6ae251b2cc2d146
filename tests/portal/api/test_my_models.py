"""A user's language models, changed and deleted through the API."""

from django.test import Client

from portal.language_models.services import create_language_model
from portal.models import LanguageModel, Release, Scope, Submission, User
from tests.support.clients import Answer
from tests.support.factories import published
from tests.support.programs import problem_of, program

MODELS = "/api/v1/my-models/"


def described(owner: User, name: str) -> LanguageModel:
    return create_language_model(LanguageModel(name=name, licence="MIT"), owner=owner)


def edited(client: Client, model: LanguageModel, **fields: object) -> Answer:
    address = f"{MODELS}{model.slug}/"
    sent = {f"model-{name}": value for name, value in fields.items()}
    return client.post(address, sent, content_type="application/json")


def test_what_is_sent_is_changed_and_what_others_know_stays(
    alice: User, bob: User, release: Release
) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    model, other = described(alice, "Draft"), described(alice, "Other")
    answer = edited(client, model, name="Longreader", context_window="128K").json()
    assert (answer["name"], answer["context_window"], answer["licence"]) == (
        "Longreader", 128_000, "MIT",
    )  # fmt: skip
    assert (answer["submissions"], answer["is_known"]) == (0, False)
    wrong = edited(client, model, name="Other", released="soon")
    assert problem_of(wrong) == (422, "invalid_fields")
    assert {one["field"] for one in wrong.json()["errors"]} == {"model-name", "model-released"}
    assert problem_of(edited(program(bob, Scope.SUBMIT), model, name="Mine")) == (404, "not_found")

    assert client.delete(f"{MODELS}{other.slug}/").status_code == 204
    entry = published(alice, release, "Known", {"passkey": 50.0})
    Submission.objects.filter(pk=entry.pk).update(language_model=model)
    assert problem_of(client.delete(f"{MODELS}{model.slug}/")) == (409, "in_use")
    assert problem_of(edited(client, model, name="Another")) == (409, "known")
    assert edited(client, model, licence="Apache-2.0").status_code == 200
    [listed] = client.get(MODELS).json()["models"]
    assert (listed["licence"], listed["is_known"], listed["submissions"]) == ("Apache-2.0", True, 1)
