"""Endpoint runs through the API: from the settings to the scored submission, with a token."""

import json
import logging
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from portal.api.runs.sent import CapsSerializer, PricesSerializer, RunSettingsSerializer
from portal.endpoint_runs import preparation
from portal.endpoint_runs.asking.slices import claim_slice
from portal.endpoint_runs.asking.turns import ask_slice
from portal.endpoint_runs.keys import decrypt_key
from portal.endpoint_runs.services import pause_run, start_run
from portal.endpoint_runs.submissions import submit_run
from portal.evaluations.tasks import score_evaluation
from portal.models import EndpointRun, Release, RequestKey, RunState, Scope, Submission, User
from scoring.endpoint.settings import Caps, Prices, RunSettings, settings_document
from tests.support.asked_runs import KEY, at, drafted, passkeys, reachable
from tests.support.clients import NEW_MODEL, Answer
from tests.support.endpoint_runs import settings as run_settings
from tests.support.factories import only_evaluation
from tests.support.programs import LIST, problem_of, program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

RUNS = "/api/v1/runs/"
HERE = "http://127.0.0.1:9/v1"
CHOSEN = {"url": HERE, "model": "model", "window": 8_000}
ANOTHER_MODEL = {"model-name": "Another"}


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    return passkeys(tmp_path, 6)


@pytest.fixture
def client(alice: User, settings: Settings) -> Client:
    settings.ENDPOINT_LOOPBACK_PORTS = frozenset({9})
    return program(alice, Scope.READ, Scope.RUN)


def send(client: Client, path: str = "", document: object = None, **headers: str) -> Answer:
    """Send a document, which may contain the key; checks that the response does not."""
    content = "application/json"
    answer = client.post(f"{RUNS}{path}", document or {}, content_type=content, headers=headers)
    assert KEY not in f"{answer.headers} {answer.content.decode()}"
    return answer


def configured(client: Client, **fields: object) -> Any:
    answer = send(client, "", {"settings": CHOSEN, "key": KEY, **NEW_MODEL, **fields})
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_program_configures_tests_estimates_and_runs_up_to_the_scored_submission(
    alice: User, keys: Release, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = program(alice, Scope.READ, Scope.RUN)
    with reachable(settings, "--key", KEY) as endpoint:
        url, model = at(endpoint)
        chosen = {"url": url, "model": model, "window": 8_000, "prices": {"input": 2.0}}
        draft = configured(client, settings=chosen, note="by program")
        path = f"{draft['id']}/"
        assert (draft["state"], draft["key_state"]) == ("draft", "stored")
        assert draft["settings"]["tasks"] == ["passkey"]  # what the release has
        assert draft["estimate"]["state"] == "computing"
        assert draft["actions"] == ["configure", "delete", "estimate", "start", "test-connection"]

        preparation.make_estimate(draft["id"])
        assert send(client, f"{path}test-connection/").json()["connection"]["state"] == "waiting"
        preparation.test_connection(draft["id"])
        ready = client.get(f"{RUNS}{path}").json()
        assert ready["estimate"]["requests"] == 6
        assert ready["estimate"]["cost"] > 0
        assert [one["task"] for one in ready["estimate"]["tasks"]] == ["passkey"]
        steps = {one["name"]: one["state"] for one in ready["connection"]["steps"]}
        assert steps["key"] == steps["model"] == "works"

        started = send(client, f"{path}start/").json()
        assert (started["state"], started["actions"]) == ("running", ["controls", "pause", "stop"])
        assert (started["estimate"], started["progress"]["total"]) == (None, 6)
        assert problem_of(send(client, f"{path}start/")) == (409, "wrong_state")
        assert send(client, f"{path}pause/").json()["reason"] == "by_owner"
        resumed = send(client, f"{path}resume/", {"concurrency": 2}).json()
        assert (resumed["state"], resumed["settings"]["concurrency"]) == ("running", 2)
        claim = claim_slice()
        assert claim
        ask_slice(claim, lambda: False)
    cache.clear()  # a few seconds later
    ended = client.get(f"{RUNS}{path}").json()
    assert (ended["state"], ended["ending"], ended["key_state"]) == ("ended", "finished", "none")
    assert ended["progress"]["tasks"][0]["outcomes"] == {"answered": 6}
    assert ended["progress"]["uses"][0] == {"name": "requests", "used": 6.0, "cap": None}
    assert ended["progress"]["score"]["mean"] == 100.0
    submit_run(ended["id"])
    made = Submission.objects.get()
    score_evaluation(only_evaluation(made).pk)
    assert client.get(f"{RUNS}{path}").json()["submission"] == str(made.pk)
    scored = client.get(f"{LIST}{made.pk}/report/").json()
    assert scored["tasks"]["passkey"]["scores"]["strict"] == 100.0
    assert [one["id"] for one in client.get(RUNS).json()["runs"]] == [ended["id"]]
    assert KEY not in caplog.text


def test_the_document_of_the_settings_comes_back_as_it_was_sent(
    client: Client, keys: Release
) -> None:
    chosen = run_settings(
        HERE, temperature=0.0, seed=7, subset=5, tasks=("passkey",), window=8_000,
        templates={"passkey": " {context}\n{question} "}, provider="me",
    )  # fmt: skip
    sent = json.loads(json.dumps(settings_document(chosen)))
    assert configured(client, settings=sent)["settings"] == sent


def test_the_prompt_of_a_question_is_shown_with_what_is_cut(client: Client, keys: Release) -> None:
    run = configured(client, settings=settings_document(run_settings(HERE, tasks=("passkey",))))
    address = f"{RUNS}{run['id']}/preview/"
    whole = client.get(address).json()
    assert (whole["task"], whole["evidence"], whole["skipped"]) == ("passkey", "whole", False)
    assert 0 < whole["tokens"] <= whole["prompt_limit"]
    narrow = settings_document(run_settings(HERE, tasks=("passkey",), window=900))
    send(client, f"{run['id']}/configure/", {"settings": narrow})
    cut = client.get(address, {"key": whole["key"]}).json()
    [lost] = [part for part in cut["parts"] if part["kind"] == "cut"]
    assert lost["tokens"] >= whole["tokens"] - cut["tokens"] > 0
    assert problem_of(client.get(address, {"key": "none"})) == (404, "not_found")


def test_of_a_draft_what_is_not_sent_stays_and_with_another_host_the_key_goes(
    client: Client, keys: Release
) -> None:
    draft = configured(client, note="first")
    path = f"{draft['id']}/configure/"
    changed = send(client, path, {"settings": {"window": 4_000}, "method": "RAG"}).json()
    assert changed["settings"] == draft["settings"] | {"window": 4_000}
    assert (changed["note"], changed["method"], changed["key_state"]) == ("first", "RAG", "stored")
    assert changed["language_model"] == draft["language_model"]
    moved = send(client, path, {"settings": {"url": "https://example.org/v1"}}).json()
    assert moved["key_state"] == "none"
    again = send(client, path, {"key": KEY}).json()
    assert again["key_state"] == "stored"
    assert send(client, path, {"forget_key": True}).json()["key_state"] == "none"
    assert client.delete(f"{RUNS}{draft['id']}/").status_code == 204
    assert problem_of(client.get(f"{RUNS}{draft['id']}/")) == (404, "not_found")


# What is sent to create a run → the field that is wrong, with its code.
_WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"settings": None}, "settings", "required"),
    ({"settings": [1]}, "settings", "setting"),
    ({"settings": {"url": HERE}}, "settings", "setting"),
    ({"settings": CHOSEN | {"api_key": KEY}}, "settings", "setting"),
    ({"settings": CHOSEN | {"url": f"https://me:{KEY}@example.org"}}, "settings", "setting"),
    ({"settings": CHOSEN | {"url": "https://127.0.0.1/v1"}}, "settings", "not public"),
    ({"settings": CHOSEN | {"tasks": ["kv_retrieval"]}}, "settings", "setting"),
    ({"settings": CHOSEN | {"tasks": [[1], {}]}}, "settings", "setting"),
    ({"release": "none"}, "release", "invalid_choice"),
    ({"release": {"a": 1}}, "release", "wrong_type"),
    ({"language_model": "nobody"}, "language_model", "invalid_choice"),
    ({"model-name": ""}, "model-name", "required"),
    ({"key": f"{KEY} {KEY}"}, "key", "key_unreadable"),
    ({"key": [KEY, " "]}, "key", "wrong_type"),
    ({"note": "x" * 301}, "note", "max_length"),
]


def test_what_cannot_be_configured_is_named_and_the_key_is_in_no_error(
    client: Client, keys: Release, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for wrong, field, code in _WRONG:
        answer = send(client, "", {"settings": CHOSEN, "key": KEY, **NEW_MODEL, **wrong})
        assert problem_of(answer) == (422, "invalid_fields"), wrong
        assert (field, code) in [(e["field"], e["code"]) for e in answer.json()["errors"]], wrong
    several = send(client, "", {"settings": CHOSEN | {"window": 1, "seed": "x"}, **NEW_MODEL})
    assert len(several.json()["errors"]) == 2
    nul = json.dumps({"settings": {"templates": {"passkey": ["\0"]}}, "key": KEY}).encode()
    for body in (b"[]", b"{", nul, f'{{"key": {KEY}'.encode(), b"[" * 60_000):
        answer = client.post(RUNS, body, content_type="application/json")
        assert problem_of(answer)[0] == 400, body
        assert KEY.encode() not in answer.content
    assert problem_of(client.post(RUNS, {"key": KEY}))[0] == 415
    assert KEY not in caplog.text
    assert not EndpointRun.objects.exists()


def test_a_retried_draft_is_made_once_and_its_key_is_not_in_what_is_kept_of_the_request(
    client: Client, keys: Release
) -> None:
    document = {"settings": CHOSEN, "key": KEY, **NEW_MODEL}
    first, again = (send(client, "", document, Idempotency_Key="7") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    other = send(client, "", {**document, "key": "another"}, Idempotency_Key="7")
    assert problem_of(other) == (422, "idempotency_key_reused")
    kept = json.dumps([*EndpointRun.objects.values(), *RequestKey.objects.values()], default=str)
    assert KEY not in kept


def test_limits_of_an_account_hold(client: Client, keys: Release, settings: Settings) -> None:
    settings.MAX_RUN_DRAFTS = settings.MAX_RUNS = settings.HOURLY_TESTS = 1
    one = configured(client)["id"]
    another = {"settings": CHOSEN, **NEW_MODEL, "model-name": "Another"}
    assert problem_of(send(client, "", another)) == (429, "too_many_drafts")
    assert send(client, f"{one}/test-connection/").status_code == 200
    assert problem_of(send(client, f"{one}/test-connection/")) == (409, "under_test")
    EndpointRun.objects.update(connection_at=None)
    assert problem_of(send(client, f"{one}/test-connection/")) == (429, "too_many_tests")
    assert send(client, f"{one}/start/").status_code == 200
    two = configured(client, **another)["id"]
    assert problem_of(send(client, f"{two}/start/")) == (429, "too_many_runs")
    assert send(client, f"{one}/stop/").json()["ending"] == "stopped"
    settings.MAX_DAILY_RUNS = 1
    assert problem_of(send(client, f"{two}/start/")) == (429, "too_many_runs_today")
    assert problem_of(client.delete(f"{RUNS}{one}/")) == (409, "already_started")


def test_a_paused_run_goes_on_with_a_new_key(client: Client, alice: User, keys: Release) -> None:
    run = start_run(drafted(alice, keys, HERE, "model"), alice, "old-key")
    pause_run(run, alice)
    path = f"{run.pk}/resume/"
    EndpointRun.objects.update(key="")  # by the sweeper
    assert client.get(f"{RUNS}{run.pk}/").json()["key_state"] == "deleted"
    wrong: list[dict[str, object]] = [{}, {"key": KEY, "concurrency": 0}, {"key": f"{KEY} x"}]
    for sent in wrong:
        assert problem_of(send(client, path, sent)) == (422, "invalid_fields")
    assert send(client, path, {"key": KEY}).json()["key_state"] == "stored"
    now = EndpointRun.objects.get()
    assert now.state == RunState.RUNNING
    assert decrypt_key(now.key, run_id=now.pk, host="127.0.0.1:9") == KEY


def test_runs_are_their_owners_alone(client: Client, bob: User, adam: User, keys: Release) -> None:
    draft = configured(client)["id"]
    for other in (bob, adam):
        stranger = program(other, Scope.READ, Scope.RUN)
        assert stranger.get(RUNS).json()["runs"] == []
        assert problem_of(stranger.get(f"{RUNS}{draft}/"))[0] == 404
        assert problem_of(send(stranger, f"{draft}/start/"))[0] == 404
        assert problem_of(stranger.delete(f"{RUNS}{draft}/"))[0] == 404
    assert EndpointRun.objects.get().state == RunState.DRAFT


def test_all_settings_are_documented() -> None:
    for documented, settings in (
        (RunSettingsSerializer, RunSettings), (PricesSerializer, Prices), (CapsSerializer, Caps),
    ):  # fmt: skip
        assert {*documented().fields} == {one.name for one in fields(settings)}
