"""Pull requests with the scores of an entry: what the Hub gets, what is reported when it refuses,
and that none is opened twice."""

import io
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db.models.functions import Now
from django.test import Client
from huggingface_hub import CommitOperationAdd, HfApi, parse_eval_result_entries
from pytest_django import Settings

from portal.endpoint_runs.keys import EndpointKeyError
from portal.errors import QuotaError, StateError
from portal.hub.model_cards import (
    cancel_pull_request,
    repository_on_hub,
    request_pull_request,
)
from portal.hub.pull_requests import open_pull_request
from portal.hub.sweeper import sweep_hub_jobs
from portal.models import CardRequest, Release, Scope, Submission, User
from scoring.catalog import TASKS
from tests.portal.hub.test_fetching import answer, keepers_of_the_token
from tests.support import html
from tests.support.clients import Answer, signed_in
from tests.support.environments import environment
from tests.support.factories import published, release_of_all_tasks
from tests.support.hub_server import Hub
from tests.support.paths import ROOT
from tests.support.programs import LIST, problem_of, program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

TOKEN = "hf_canary-41b5c0de"
COMMIT = "/api/models/alice/model/commit/main"


@pytest.fixture
def entry(alice: User) -> Submission:
    release = release_of_all_tasks()
    return published(alice, release, "Longreader", dict.fromkeys(TASKS, 40.0), method="InfLLM")


def asked(entry: Submission, repository: str = "alice/model", token: str = TOKEN) -> CardRequest:
    assert entry.owner
    return request_pull_request(entry, repository, token, by=entry.owner)


def opened(request: CardRequest) -> CardRequest:
    """The pull request after its next attempt, made as if it were due."""
    CardRequest.objects.filter(pk=request.pk).update(due=Now())
    open_pull_request(request.pk)
    return CardRequest.objects.get(pk=request.pk)


def test_the_pull_request_has_the_scores_as_the_hub_s_own_client_reads_and_sends_them(
    entry: Submission, hub: Hub
) -> None:
    hub.token = TOKEN
    request = asked(entry)
    assert keepers_of_the_token() == []
    found = opened(request)
    assert (found.state, found.key, found.reason) == ("done", "", "")
    [pull_request] = hub.pull_requests
    [(path, content)] = pull_request.files.items()
    assert path == f".eval_results/infinitebench-{entry.pk.hex[:8]}.yaml"
    results = parse_eval_result_entries(yaml.safe_load(content))
    assert [one.task_id for one in results][:1] == ["hf/overall"]
    assert {one.value for one in results} == {40.0}
    assert len(results) == len(TASKS) + 1
    assert TOKEN not in str(hub.pull_requests)
    api = HfApi(endpoint=hub.url, token=TOKEN)
    [listed] = api.get_repo_discussions("alice/model")
    assert (listed.title, listed.url) == (pull_request.title, found.url)
    api.create_commit(
        "alice/model",
        [CommitOperationAdd(path, content)],
        commit_message=pull_request.title,
        commit_description=pull_request.description,
        create_pr=True,
    )
    assert hub.pull_requests == [pull_request, pull_request]


def with_lost_answer(request: CardRequest, hub: Hub) -> None:
    """The Hub has opened it, but the connection breaks before the response."""

    def breaks(handler: Any) -> None:
        hub.tricks = {}
        handler.wfile = io.BytesIO()
        handler._answer_commit("")

    hub.tricks = {COMMIT: breaks}
    opened(request)


_WORKER = """
import sys, django
django.setup()
from portal.hub.pull_requests import open_pull_request
open_pull_request(sys.argv[1])
"""


def with_killed_worker(request: CardRequest, hub: Hub) -> None:
    """The Hub has opened it, but the worker is killed before it can store that."""
    children: list[subprocess.Popen[bytes]] = []

    def kills(handler: Any) -> None:
        hub.tricks = {}
        handler.wfile = io.BytesIO()
        handler._answer_commit("")
        children[0].kill()
        children[0].wait()

    hub.tricks = {COMMIT: kills}
    variables = {
        **environment(), "HF_ENDPOINT": hub.url, "HUB_LOOPBACK_PORTS": hub.url.rpartition(":")[2]
    }  # fmt: skip
    command = [sys.executable, "-c", _WORKER, str(request.pk)]
    with subprocess.Popen(command, cwd=ROOT, env=variables) as child:
        children.append(child)
        assert child.wait() == -signal.SIGKILL
    CardRequest.objects.update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.parametrize(
    "attempt",
    [with_lost_answer, pytest.param(with_killed_worker, marks=pytest.mark.slow)],
)
def test_none_is_opened_twice_whatever_is_lost_after_the_commit(
    entry: Submission, hub: Hub, attempt: Callable[[CardRequest, Hub], None]
) -> None:
    request = asked(entry)
    attempt(request, hub)
    assert len(hub.pull_requests) == 1
    request.refresh_from_db()
    assert (request.state != "done", request.url) == (True, "")
    CardRequest.objects.update(due=Now())
    assert sweep_hub_jobs() == 1  # a message for another worker
    found = opened(request)
    assert (found.state, found.url) == ("done", f"{hub.url}/alice/model/discussions/1")
    opened(found)  # a message that comes twice
    with pytest.raises(StateError, match="already"):
        asked(entry, "Alice/Model")
    assert len(hub.pull_requests) == 1


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "no repository": ({"refuse": (404, "RepoNotFound")}, "not_found"),
    "a gate": ({"refuse": (403, "GatedRepo")}, "gated"),
    "a wrong token": ({"refuse": (401, "")}, "no_access"),
    "a token that may only read": ({"tricks": {COMMIT: answer(403)}}, "no_write_access"),
    "an address elsewhere": (
        {"tricks": {COMMIT: lambda it: it.send_json({"pullRequestUrl": "https://example.org/"})}},
        "unreadable",
    ),
}


def test_what_the_hub_refuses_ends_without_the_token_and_may_be_asked_for_again(
    entry: Submission, hub: Hub, subtests: pytest.Subtests
) -> None:
    for name, (what, reason) in REFUSALS.items():
        with subtests.test(name):
            hub.refuse, hub.tricks = None, {}
            for column, value in what.items():
                setattr(hub, column, value)
            found = opened(asked(entry))
            assert (found.state, found.reason, found.key) == ("failed", reason, "")
    assert hub.pull_requests == []
    hub.refuse, hub.tricks = None, {}
    assert opened(asked(entry)).state == "done"


def test_a_pull_request_whose_number_is_none_is_no_fault_of_ours(
    entry: Submission, hub: Hub
) -> None:
    request = asked(entry)
    with_lost_answer(request, hub)
    [title] = [one.title for one in hub.pull_requests]
    listed = {"discussions": [{"title": title, "num": "../../x"}], "count": 1, "start": 0}
    hub.tricks = {"/api/models/alice/model/discussions": lambda it: it.send_json(listed)}
    CardRequest.objects.update(due=Now())
    found = opened(request)
    assert (found.state, found.reason, found.key) == ("failed", "unreadable", "")


def test_it_waits_as_long_as_the_hub_asks(entry: Submission, hub: Hub) -> None:
    hub.limited, hub.wait = 1, {"Retry-After": "900"}
    found = opened(asked(entry))
    assert (found.state, found.reason) == ("waiting", "rate_limited")
    assert CardRequest.objects.filter(due__gt=Now() + timedelta(seconds=800)).exists()
    assert found.key
    assert opened(found).state == "done"


def test_nothing_is_opened_for_what_is_not_public_under_its_name(
    entry: Submission, hub: Hub, bob: User, subtests: pytest.Subtests
) -> None:
    request = asked(entry)
    Submission.objects.update(state="withdrawn")
    found = opened(request)
    assert (found.state, found.reason, found.key, hub.asked) == ("failed", "not_published", "", [])
    Submission.objects.update(state="published")
    with pytest.raises(StateError) as refused:
        request_pull_request(entry, "alice/model", TOKEN, by=bob)
    assert refused.value.code == "not_allowed"
    Release.objects.update(hidden=True)
    with pytest.raises(StateError) as refused:
        asked(Submission.objects.get())
    assert refused.value.code == "not_published"


def test_requests_are_limited_and_cancelled(
    entry: Submission, hub: Hub, settings: Settings
) -> None:
    first = asked(entry)
    with pytest.raises(StateError, match="already"):
        asked(entry, "alice/other")
    assert entry.owner
    cancel_pull_request(entry, by=entry.owner)
    first.refresh_from_db()
    assert (first.state, first.key) == ("cancelled", "")
    with pytest.raises(StateError, match="waiting"):
        cancel_pull_request(entry, by=entry.owner)
    for _ in range(19):
        asked(entry)
        cancel_pull_request(entry, by=entry.owner)
    with pytest.raises(QuotaError):
        asked(entry)
    settings.ENDPOINT_KEY_SECRETS = []
    with pytest.raises(EndpointKeyError):
        asked(entry)
    assert hub.asked == []


def test_the_repository_is_known_from_links(entry: Submission) -> None:
    model = entry.language_model
    for link, repository in {
        "https://huggingface.co/alice/model": "alice/model",
        "https://huggingface.co/alice/model/tree/main": "alice/model",
        "https://huggingface.co/datasets/alice/data": "",
        "https://example.org/alice/model": "",
        "": "",
    }.items():
        model.link = link
        assert repository_on_hub(entry) == repository


# Pages and the API


def test_a_person_sees_the_file_and_what_becomes_of_the_request(
    client: Client, entry: Submission, hub: Hub, bob: User, rita: User
) -> None:
    alice = User.objects.get(submissions=entry)
    page, here = signed_in(alice), f"/submissions/{entry.pk}/model-card/"
    assert here in page.get(f"/submissions/{entry.pk}/").content.decode()
    shown = html.page(page.get(here))
    public = client.get(f"/entries/{entry.pk}/eval-results.yaml").content.decode()
    [card] = shown.select("[data-card]")
    assert card.text.strip() == public.strip()
    for other in (bob, rita):
        assert signed_in(other).get(here).status_code == 404
    wrong = page.post(here, {"repository": "datasets/alice/x", "token": "hf canary"})
    assert wrong.status_code == 422
    assert errors_of(wrong) == {"no_source", "invalid"}
    assert "canary" not in wrong.content.decode()
    asked_for = {"repository": f"{hub.url}/alice/model", "token": TOKEN}
    assert page.post(here, asked_for).headers["Location"] == here
    waiting = page.get(here)
    assert html.page(waiting).select("[data-request='waiting']")
    assert TOKEN not in waiting.content.decode()
    poll, etag = {"HX-Request": "true"}, waiting.context["page"].etag
    assert page.get(f"{here}?etag={etag}", headers=poll).status_code == 204
    opened(CardRequest.objects.get())
    assert page.get(f"{here}?etag={etag}", headers=poll).headers["HX-Refresh"] == "true"
    done = html.page(page.get(here))
    assert done.select(f"[data-request='done'] a[href='{hub.url}/alice/model/discussions/1']")
    assert errors_of(page.post(here, asked_for)) == {"already_opened"}
    page.post(here, {**asked_for, "repository": "alice/other"})
    page.post(f"{here}cancel/")
    assert html.page(page.get(here)).select("[data-request='cancelled']")


def errors_of(answer: Answer) -> set[str]:
    return {str(one["data-error"]) for one in html.all_of(answer, "[data-error]")}


def test_a_program_reads_the_file_asks_follows_and_cancels(
    entry: Submission, hub: Hub, alice: User
) -> None:
    client, address = program(alice, Scope.READ, Scope.SUBMIT), f"{LIST}{entry.pk}/model-card/"
    document = client.get(address).json()
    assert len(parse_eval_result_entries(yaml.safe_load(document["content"]))) == len(TASKS) + 1
    assert (document["repository"], document["pull_requests"]) == (None, [])

    def asks(**fields: object) -> Answer:
        body = {"repository": "alice/model", "token": TOKEN, **fields}
        return client.post(address, body, content_type="application/json")

    assert problem_of(asks(repository=[1], token=""))[0] == 422
    made = asks()
    assert (made.status_code, made.json()["pull_requests"][0]["state"]) == (202, "waiting")
    assert TOKEN not in made.content.decode()
    assert problem_of(asks()) == (409, "being_opened")
    assert client.delete(address).status_code == 204
    assert problem_of(client.delete(address)) == (409, "wrong_state")
    hub.refuse = (401, "")
    asks()
    opened(CardRequest.objects.first() or CardRequest())
    [failed, cancelled] = client.get(address).json()["pull_requests"]
    assert (failed["code"], cancelled["state"]) == ("no_access", "cancelled")
    assert "token" in failed["detail"]
