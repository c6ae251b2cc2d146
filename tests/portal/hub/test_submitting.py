"""Submissions from the Hub, by page and by API: requested, followed and cancelled."""

import pytest

from portal.hub.fetching import fetch_submission
from portal.hub.sources import HubSource, SourceError, read_source
from portal.models import HubFetch, Release, Scope, Submission, User
from tests.support import html
from tests.support.clients import NEW_MODEL, Answer, signed_in
from tests.support.hub_server import COMMIT, Hub
from tests.support.programs import LIST, problem_of, program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

TOKEN = "hf_canary-77d1"
COMMIT_OF_A_TAG = "https://huggingface.co/datasets/a/b/blob/refs%2Fpr%2F1/x%20y/z.jsonl"

SOURCES = {
    "a/b": HubSource("model", "a/b"),
    "a/b@v1": HubSource("model", "a/b", "v1"),
    "a/b:preds": HubSource("model", "a/b", "main", "preds"),
    "datasets/a/b@refs/pr/1:x/y z.zip": HubSource("dataset", "a/b", "refs/pr/1", "x/y z.zip"),
    "https://HuggingFace.co/a/b": HubSource("model", "a/b"),
    "https://huggingface.co/a/b": HubSource("model", "a/b"),
    "https://huggingface.co/spaces/a/b/tree/main/p/": HubSource("space", "a/b", "main", "p"),
    COMMIT_OF_A_TAG: HubSource("dataset", "a/b", "refs/pr/1", "x y/z.jsonl"),
}
WRONG = {
    "": "repository",
    "a": "repository",
    "a/b/c": "repository",
    "../b": "repository",
    "a/..": "repository",
    "a/b.git": "repository",
    "a/b\n": "repository",
    "https://example.org/a/b": "repository",
    "https://huggingface.co/a/b/settings": "repository",
    "https://huggingface.co@example.org/a/b": "repository",
    "http://[::1/a/b": "repository",
    "a/b@x..y": "revision",
    f"a/b@{'x' * 201}": "revision",
    "a/b:../x": "path",
    "a/b:x//y": "path",
    "a/b:x\\y": "path",
    "a/b:x\u202ey": "path",
    f"a/b:{'x' * 1_001}": "path",
}


@pytest.mark.parametrize(("text", "source"), SOURCES.items())
def test_places_on_the_hub_are_read(text: str, source: HubSource) -> None:
    assert read_source(text) == source


@pytest.mark.parametrize(("text", "field"), WRONG.items())
def test_what_cannot_be_meant_is_named(text: str, field: str) -> None:
    with pytest.raises(SourceError) as refused:
        read_source(text)
    assert refused.value.field == field


def sent(release: Release, **fields: str) -> dict[str, object]:
    return {
        "release": str(release.pk), **NEW_MODEL, "repository": "alice/model:preds",
        "truncation": "unknown", **fields,
    }  # fmt: skip


def test_a_person_submits_follows_and_finds_the_commit(
    alice: User, bob: User, release: Release, hub: Hub
) -> None:
    browser, page = signed_in(alice), "/submit/hub/"
    assert browser.get(page).status_code == 200
    wrong = browser.post(page, sent(release, repository="nobody", token="not one"))
    assert wrong.status_code == 422
    assert 'data-field="repository"' in wrong.content.decode()
    assert "not one" not in wrong.content.decode()
    hub.token = TOKEN
    made = browser.post(page, sent(release, token=TOKEN))
    fetch = HubFetch.objects.get()
    here = f"/submissions/{fetch.pk}/"
    assert made.headers["Location"] == here
    following = browser.get(here, follow=True)
    assert 'data-fetch="waiting"' in following.content.decode()
    assert TOKEN not in following.content.decode()
    assert f"{here}" in browser.get("/submissions/").content.decode()
    assert signed_in(bob).get(here).status_code == 404
    assert signed_in(bob).get(f"{here}fetch/").status_code == 404
    etag = following.context["page"].etag
    poll = {"HX-Request": "true"}
    assert browser.get(f"{here}fetch/?etag={etag}", headers=poll).status_code == 204
    fetch_submission(fetch.pk)
    arrived = browser.get(f"{here}fetch/?etag={etag}", headers=poll)
    assert arrived.headers["HX-Redirect"] == here
    shown = browser.get(here).content.decode()
    assert f'data-commit="{COMMIT}"' in shown
    assert Submission.objects.get().pk == fetch.pk


def test_only_who_has_sent_a_token_is_told_to_send_it_again(alice: User, release: Release) -> None:
    browser, wrong = signed_in(alice), sent(release, repository="../x")
    for fields, is_told in ((wrong, False), ({**wrong, "token": "hf_once"}, True)):
        answer = browser.post("/submit/hub/", fields)
        assert answer.status_code == 422
        assert bool(html.all_of(answer, "[data-token]")) is is_told
        assert "hf_once" not in answer.content.decode()


def test_a_person_cancels_or_mends_what_failed(alice: User, release: Release, hub: Hub) -> None:
    browser = signed_in(alice)
    browser.post("/submit/hub/", sent(release, repository="alice/model:none"))
    first = HubFetch.objects.get()
    fetch_submission(first.pk)
    failed = browser.get(f"/submissions/{first.pk}/", follow=True).content.decode()
    assert 'data-reason="path_unknown"' in failed
    again = browser.get(f"/submit/hub/?again={first.pk}").content.decode()
    assert 'value="none"' in again
    model = str(first.language_model_id)
    browser.post("/submit/hub/", sent(release, language_model=model))
    second = HubFetch.objects.exclude(pk=first.pk).get()
    browser.post(f"/submissions/{second.pk}/cancel-fetch/")
    second.refresh_from_db()
    assert second.state == "cancelled"


def test_a_program_submits_follows_and_cancels(
    alice: User, bob: User, release: Release, hub: Hub
) -> None:
    client, address = program(alice, Scope.READ, Scope.SUBMIT), f"{LIST}from-hub/"
    stranger = program(bob, Scope.READ)

    def asked(key: str = "", **fields: object) -> Answer:
        body = {**sent(release), "release": release.slug, **fields}
        headers = {"Idempotency-Key": key} if key else {}
        return client.post(address, body, content_type="application/json", headers=headers)

    made = asked("one", token=TOKEN)
    assert made.status_code == 202, made.content
    document = made.json()
    assert (document["fetch"]["state"], document["evaluation"]) == ("waiting", None)
    assert TOKEN not in made.content.decode()
    again = asked("one", token=TOKEN)
    assert again.status_code == 200
    assert again.json()["id"] == document["id"]
    assert problem_of(asked("one", note="other"))[1] == "idempotency_key_reused"
    assert problem_of(asked(repository="x", kind=[1], token={}))[0] == 422
    one = f"{LIST}{document['id']}/"
    assert stranger.get(one).status_code == 404
    [to_come] = client.get(address).json()["submissions"]
    assert to_come.items() <= document.items()
    assert stranger.get(address).json() == {"submissions": []}
    fetch_submission(HubFetch.objects.get().pk)
    assert client.get(address).json() == {"submissions": []}
    found = client.get(one).json()
    assert (found["fetch"]["commit"], found["evaluation"]["state"]) == (COMMIT, "queued")
    other = asked(language_model=document["language_model"])
    second = f"{LIST}{other.json()['id']}/"
    assert client.delete(second).status_code == 204
    assert client.get(second).json()["fetch"]["state"] == "cancelled"
    assert problem_of(client.delete(second)) == (409, "wrong_state")
    failed = asked(language_model=document["language_model"], repository="lab/none").json()["id"]
    fetch_submission(failed)
    [shown] = client.get(address).json()["submissions"]
    assert (shown["id"], shown["fetch"]["code"]) == (failed, "not_found")
