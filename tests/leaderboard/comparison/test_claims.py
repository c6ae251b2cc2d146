"""A claim has an address that says whether it currently holds."""

from typing import Any

import pytest
from django.test import Client

from portal.models import Action, Release, ScoreVector, Submission, SubmissionState, User
from portal.states import change_submission
from tests.leaderboard.comparison.conftest import STRONG, answered
from tests.support import html
from tests.support.factories import ALL, published, reported


def claim(a: object, b: object, **query: str) -> Any:
    return Client().get("/claims/", {"a": str(a), "b": str(b), **query})


def answer(a: object, b: object, **query: str) -> str:
    response = claim(a, b, **query)
    assert response.status_code == 200
    return str(html.one(response, "[data-claim]")["data-claim"])


def test_a_claim_holds_or_its_opposite_does_or_neither(
    strong: Submission, weak: Submission
) -> None:
    assert answer(strong.entry_id, weak.entry_id, task="passkey") == "holds"
    assert answer(weak.entry_id, strong.entry_id, task="passkey") == "opposite"
    assert answer(strong.entry_id, weak.entry_id, task="kv_retrieval") == "open"
    assert answer(strong.entry_id, weak.entry_id) == "holds"


def test_it_says_difference_interval_p_test_release_metric_and_date(
    strong: Submission, weak: Submission
) -> None:
    response = claim(strong.entry_id, weak.entry_id, task="passkey", metric_set="strict")
    text = html.text_of(response)
    assert html.one(response, "[data-test]")["data-test"] == "mcnemar-exact"
    assert all(part in text for part in ("+45.0", "p < 0.001", "Data", "strict"))
    evaluation = strong.evaluations.get()
    assert evaluation.finished
    changed = str(html.one(response, "time")["datetime"])
    assert changed.startswith(f"{max(evaluation.finished, weak.created):%Y-%m-%d}")


def test_the_address_to_cite_is_the_one_of_the_claim(strong: Submission, weak: Submission) -> None:
    first = claim(
        strong.entry_id,
        weak.entry_id,
        task="passkey",
        q="x",
        metric_set="official-2024-06",
        more="y",
    )
    cited = html.one(first, "pre.cite").text
    assert cited.endswith(f"/claims/?a={strong.entry_id}&b={weak.entry_id}&task=passkey")
    assert html.one(claim(strong.entry_id, weak.entry_id, task="passkey"), "pre.cite").text == cited


@pytest.mark.parametrize("query", [{"task": "En.MC"}, {"metric_set": "stric"}])
def test_a_claim_in_an_unknown_task_or_metric_is_not_taken_for_another(
    strong: Submission, weak: Submission, query: dict[str, str]
) -> None:
    assert claim(strong.entry_id, weak.entry_id, **query).status_code == 404


def test_an_entry_has_one_spelling_in_addresses(strong: Submission, weak: Submission) -> None:
    for spelling in (strong.entry_id.upper(), strong.pk.hex, f"urn:uuid:{strong.entry_id}"):
        assert claim(spelling, weak.entry_id).status_code == 404


def test_the_claims_of_a_comparison_are_about_its_release(
    strong: Submission, weak: Submission
) -> None:
    query = {"a": strong.entry_id, "b": weak.entry_id, "release": "data"}
    page = html.page(Client().get("/compare/", query))
    addresses = [str(link["href"]) for link in page.select("a[href^='/claims/']")]
    assert addresses
    assert all("release=data" in address for address in addresses)


def test_a_claim_about_scores_without_their_questions_is_not_tested(
    strong: Submission, weak: Submission
) -> None:
    ScoreVector.objects.filter(task_score__evaluation__submission=weak).delete()
    assert answer(strong.entry_id, weak.entry_id, task="passkey") == "untested"


def test_it_agrees_with_the_comparison_and_the_api(strong: Submission, weak: Submission) -> None:
    query = {"a": strong.entry_id, "b": weak.entry_id, "task": "longbook_qa_eng"}
    found = Client().get("/api/v1/compare/", query).json()
    text = html.text_of(claim(strong.entry_id, weak.entry_id, task="longbook_qa_eng"))
    assert f"{found['difference']:+.1f}" in text
    assert f"{found['low']:+.1f} … {found['high']:+.1f}" in text


def test_a_reported_score_allows_no_claim(alice: User, official: Release) -> None:
    here = published(alice, official, "Here", ALL)
    there = reported("There", {"passkey": 10.0}).entry_id
    assert answer(here.entry_id, there, task="passkey") == "reported"
    assert answer(here.entry_id, there, task="code_run") == "missing"
    assert answer(here.entry_id, there, task="passkey", metric_set="strict") == "missing"


@pytest.fixture
def gone(alice: User, rita: User, data: Release) -> Submission:
    """An entry that is still published: tests make it disappear."""
    entry = answered(alice, data, "Gone", STRONG, SubmissionState.IN_REVIEW)
    return change_submission(entry, Action.PUBLISH, by=rita, reason="Complete.")


@pytest.mark.parametrize("action", [Action.WITHDRAW, Action.HIDE])
def test_a_claim_about_an_entry_that_is_gone_says_so(
    gone: Submission, adam: User, weak: Submission, action: Action
) -> None:
    assert answer(gone.entry_id, weak.entry_id) == "holds"
    change_submission(gone, action, by=adam, reason="It has to be looked at.")
    response = claim(gone.entry_id, weak.entry_id)
    assert response.status_code == 410
    assert html.one(response, "[data-claim]")["data-claim"] == "gone"
    assert not {"looked", "+45.0", "points"} & set(html.text_of(response).split())
    assert (
        Client().get("/api/v1/compare/", {"a": gone.entry_id, "b": weak.entry_id}).status_code
        == 410
    )


def test_without_two_entries_it_leads_to_the_comparison(strong: Submission) -> None:
    for query in ({"a": strong.entry_id}, {"a": strong.entry_id, "b": strong.entry_id}):
        assert Client().get("/claims/", query)["Location"] == "/compare/"
