"""The pages behind a board: what they show, and to whom they do not exist."""

import re

import pytest
from django.test import Client

from portal.models import (
    Action,
    Release,
    ReportedEntry,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.states import change_submission
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import ALL, published, release_of_all_tasks, reported


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    return published(alice, official, "Model A", ALL | {"passkey": 62.5})


def body(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_an_entry_is_shown_under_every_metric_set(entry: Submission, client: Client) -> None:
    page = body(client, f"/entries/{entry.entry_id}/")
    assert "62.50" in page
    assert "31.25" in page  # strict
    assert "51.04" in page  # overall


def test_an_entry_says_what_makes_intervals_doubtful(entry: Submission, client: Client) -> None:
    def doubts() -> list[str]:
        html = client.get(f"/entries/{entry.entry_id}/").content.decode()
        return re.findall(r'data-texts="(\w+)"', html)

    assert doubts() == ["unknown"]
    TaskScore.objects.update(texts=40)
    assert doubts() == []
    TaskScore.objects.filter(task="code_run").update(texts=14)
    assert doubts() == ["few"]


def test_a_reported_entry_names_its_source(official: Release, client: Client) -> None:
    found = reported("Model B", {"passkey": 99.0}, source="Table 3 of a paper")
    ReportedEntry.objects.update(average=45.6)
    page = body(client, f"/entries/{found.entry_id}/")
    assert "Table 3 of a paper" in page
    assert "45.60" in page


@pytest.mark.parametrize("state", ["private", "in review", "hidden", "rejected", "withdrawn"])
def test_an_unpublished_entry_is_not_found(
    alice: User, official: Release, client: Client, state: str
) -> None:
    found = published(alice, official, "Model A", ALL, state=SubmissionState(state))
    assert client.get(f"/entries/{found.entry_id}/").status_code == 404
    assert client.get("/models/model-a/").status_code == 404


def test_a_withdrawn_entry_leaves_a_tombstone_without_scores(
    alice: User, rita: User, official: Release, client: Client
) -> None:
    found = published(alice, official, "Model A", ALL, state=SubmissionState.IN_REVIEW)
    found = change_submission(found, Action.PUBLISH, by=rita, reason="Complete.")
    change_submission(found, Action.WITHDRAW, by=alice)
    response = client.get(f"/entries/{found.entry_id}/")
    assert response.status_code == 410
    assert "50.00" not in response.content.decode()
    assert (html.one(response, "h1").text, html.one(response, "dl a")["href"]) == (
        "Model A",
        "/releases/hf/",
    )
    gone = client.get("/models/model-a/")
    assert gone.status_code == 410
    assert html.one(gone, "dl")["data-state"] == "withdrawn"


def test_a_hidden_entry_leaves_a_tombstone_that_names_the_other_entries_of_the_model(
    alice: User, rita: User, adam: User, official: Release, client: Client
) -> None:
    found = published(alice, official, "Model A", ALL, state=SubmissionState.IN_REVIEW)
    other = published(alice, official, "Model A", {"passkey": 77.0})
    found = change_submission(found, Action.PUBLISH, by=rita, reason="Complete.")
    change_submission(found, Action.HIDE, by=adam, reason="It has to be looked at.")
    response = client.get(f"/entries/{found.entry_id}/")
    assert response.status_code == 410
    assert html.one(response, "dl")["data-state"] == "hidden"
    assert [link["href"] for link in html.page(response).select("li a[href^='/entries/']")] == [
        f"/entries/{other.entry_id}/"
    ]
    assert not {"50.00", "77.00", "looked at"} & set(html.text_of(response).split())
    change_submission(found, Action.RESTORE, by=adam, reason="It is all right.")
    assert client.get(f"/entries/{found.entry_id}/").status_code == 200


@pytest.mark.parametrize("undone", [True, False])
def test_an_entry_that_was_not_public_when_it_was_withdrawn_leaves_nothing(
    alice: User, rita: User, official: Release, client: Client, undone: bool
) -> None:
    found = published(alice, official, "Model A", ALL, state=SubmissionState.IN_REVIEW)
    if undone:
        found = change_submission(found, Action.PUBLISH, by=rita, reason="Complete.")
        change_submission(found, Action.UNDO_DECISION, by=rita)
    change_submission(found, Action.WITHDRAW, by=alice)
    assert client.get(f"/entries/{found.entry_id}/").status_code == 404
    assert client.get("/models/model-a/").status_code == 404


def test_a_model_has_all_of_its_entries(
    entry: Submission, alice: User, official: Release, client: Client
) -> None:
    again = published(alice, official, "Model A", {"passkey": 1.0})
    table, newer = (reported("Model A", ALL, source=name) for name in ("A table", "B table"))
    _, _, page = body(client, "/models/model-a/").partition('id="entries"')
    ids = (again.entry_id, entry.entry_id, newer.entry_id, table.entry_id)
    places = [page.index(f"/entries/{id_}/") for id_ in ids]
    assert places == sorted(places)  # the newest first, reported results last
    for address in (entry.entry_id, again.entry_id, table.entry_id):
        assert f"/entries/{address}/" in page
    assert "1 of 12" in page


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_a_page(entry: Submission, client: Client, task: str) -> None:
    page = body(client, f"/tasks/{task}/")
    assert TASKS[task].title in page
    assert "Model A" in page


def test_a_task_page_shows_the_top_of_a_board_with_ranked_entries(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Other task", {"kv_retrieval": 1.0})
    published(alice, release_of_all_tasks("made-up", official=False), "Model A", ALL)
    page = body(client, "/tasks/passkey/")
    assert "Release made-up, percent" in page
    assert "Model A" in page
    assert "Other task" not in page


def test_a_task_without_ranked_entries_has_no_top_list(
    alice: User, official: Release, client: Client
) -> None:
    published(alice, official, "Other task", {"kv_retrieval": 1.0})
    assert 'data-best="none"' in body(client, "/tasks/passkey/")


def test_a_release_names_the_hashes_of_its_labels(entry: Submission, client: Client) -> None:
    page = body(client, "/releases/hf/")
    assert "hf-passkey" in page
    assert "/board/hf/" in page


def test_historical_files_have_no_page_of_a_release(official: Release, client: Client) -> None:
    files = release_of_all_tasks("historical-gpt-4", official=False)
    found = published(None, files, "GPT-4", ALL, origin=Submission.Origin.HISTORICAL)
    assert client.get("/releases/historical-gpt-4/").status_code == 404
    assert "/releases/historical-gpt-4/" not in body(client, f"/entries/{found.entry_id}/")


@pytest.mark.parametrize(
    "address",
    ["/entries/x/", "/entries/reported-0/", "/entries/reported-99999999999999/",
     "/entries/reported-٣/", "/models/none/", "/tasks/luck/", "/releases/none/"],
)  # fmt: skip
def test_an_unknown_address_is_not_found(official: Release, client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_pages_work_without_data(official: Release, client: Client) -> None:
    for address in ("/tasks/passkey/", "/releases/hf/", "/board/hf/?errors=on"):
        body(client, address)


@pytest.mark.django_db
def test_a_task_has_a_page_before_there_is_any_release(client: Client) -> None:
    body(client, "/tasks/passkey/")
