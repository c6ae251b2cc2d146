"""Scores of pinned and selected rows of a board link to their examples."""

import re

import pytest
from django.test import Client

from portal.models import Release, Submission, User
from portal.scores.comparison.separations import update_separations
from tests.support.factories import add_examples, published, release_of_all_tasks, reported


@pytest.fixture
def two(alice: User, official: Release) -> list[Submission]:
    add_examples(official)
    scores = ({"passkey": 100.0, "math_find": 50.0}, {"passkey": 25.0, "math_find": 0.0})
    names = ("First", "Second")
    return [published(alice, official, name, one) for name, one in zip(names, scores, strict=True)]


def lists(client: Client, query: str, board: str = "hf") -> list[str]:
    html = client.get(f"/board/{board}/{query}").content.decode()
    return re.findall(r'<td[^>]*><a href="(/examples/[^"]*)"', html)


def test_each_task_of_a_pinned_row_leads_to_its_examples(
    client: Client, two: list[Submission]
) -> None:
    addresses = lists(client, f"?pin={two[1].entry_id}")
    assert addresses == [
        f"/examples/hf/{task}/?entry={two[1].entry_id}" for task in ("passkey", "math_find")
    ]
    assert client.get(addresses[0]).status_code == 200
    assert lists(client, "") == []


def test_a_chosen_row_leads_to_its_examples_under_the_metric_of_the_board(
    client: Client, two: list[Submission]
) -> None:
    update_separations()
    (first, _) = lists(client, f"?set=strict&focus={two[0].entry_id}")
    assert first == f"/examples/hf/passkey/?entry={two[0].entry_id}&amp;set=strict"


def test_differences_and_reported_scores_lead_to_no_examples(
    client: Client, two: list[Submission]
) -> None:
    row = reported("Told", {"passkey": 40.0})
    assert lists(client, f"?pin={two[1].entry_id}&baseline={two[0].entry_id}") == []
    pinned = f"?pin={row.entry_id}"
    assert "data-pinned" in client.get(f"/board/hf/{pinned}").content.decode()
    assert lists(client, pinned) == []


def test_scores_of_a_hidden_release_lead_to_no_examples(client: Client, alice: User) -> None:
    hidden = release_of_all_tasks("secret", official=False)
    Release.objects.filter(pk=hidden.pk).update(hidden=True)
    entry = published(alice, hidden, "First", {"passkey": 100.0})
    address = f"/board/secret/?pin={entry.entry_id}"
    assert "data-pinned" in client.get(address).content.decode()
    assert lists(client, f"?pin={entry.entry_id}", "secret") == []
