"""With a baseline a board shows differences to it in place of scores."""

import pytest
from bs4 import Tag
from django.test import Client

from leaderboard.board import ranges
from portal.models import Release, ScoreVector, Submission, User
from portal.scores.separations import entry_key, update_separations
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import add_examples, published


@pytest.fixture
def entries(alice: User, official: Release) -> dict[str, Submission]:
    add_examples(official)
    percents = {"First": 100.0, "Second": 50.0, "Third": 50.0}
    found = {
        name: published(alice, official, name, dict.fromkeys(TASKS, percent))
        for name, percent in percents.items()
    }
    return {**found, "Partial": published(alice, official, "Partial", {"passkey": 25.0})}


def overall(client: Client, query: str) -> dict[str, Tag]:
    """The cell of each entry, by its name."""
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    return {row.select("th.model bdi")[0].text: row.select("td.overall")[0] for row in rows}


def test_differences_take_the_place_of_scores(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    cells = overall(client, f"?baseline={entries['Second'].pk}")
    assert html.text(cells["First"]) == "+50.00"
    assert html.text(cells["Second"]) == "50.00"  # itself keeps its scores
    assert html.text(cells["Third"]) == "0.00"
    assert "difference-ahead" in cells["First"]["class"]
    assert "difference-noise" in cells["Third"]["class"]


def test_until_entries_are_compared_nothing_is_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    cells = overall(client, f"?baseline={entries['Second'].pk}")
    assert {"difference-unknown"} <= set(cells["First"]["class"]) & set(cells["Third"]["class"])


def test_with_tasks_of_one_s_own_the_differences_of_tasks_are_still_compared(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    query = f"?tasks=passkey:2,kv_retrieval&baseline={entries['Second'].pk}"
    rows = html.page(client.get(f"/board/hf/{query}")).select("tbody tr:has(th.model)")
    [first] = [row for row in rows if row.select("th.model bdi")[0].text == "First"]
    assert "difference-unknown" in first.select("td.overall")[0]["class"]
    assert first.select("td.difference-ahead")


def test_of_an_entry_that_was_not_compared_nothing_is_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    """It was scored before the scores of single questions were kept."""
    ScoreVector.objects.filter(task_score__evaluation__submission=entries["First"]).delete()
    update_separations()
    cells = overall(client, f"?baseline={entries['Second'].pk}")
    assert "difference-unknown" in cells["First"]["class"]
    assert "difference-noise" in cells["Third"]["class"]


def test_of_a_hidden_release_nothing_is_ever_said_about_chance(
    client: Client, entries: dict[str, Submission]
) -> None:
    update_separations()
    for submission in entries.values():
        for row in submission.evaluations.get().task_scores.all():
            row.public_percent = round(row.mean)
            row.save()
    Release.objects.update(hidden=True)
    cells = overall(client, f"?baseline={entries['Second'].pk}")
    assert "difference-unknown" in cells["First"]["class"]
    assert "difference-unknown" in cells["Third"]["class"]


def test_an_unknown_baseline_leads_to_the_board(
    client: Client, entries: dict[str, Submission]
) -> None:
    response = client.get("/board/hf/?baseline=nothing")
    assert (response.status_code, response["Location"]) == (302, "/board/hf/")


def test_what_is_pinned_first_can_become_the_baseline(
    client: Client, entries: dict[str, Submission]
) -> None:
    """Nobody would find it behind the rank alone."""
    second, partial = entries["Second"].pk, entries["Partial"].pk
    href = f"?pin={second}&baseline={second}"
    assert html.page(client.get(f"/board/hf/?pin={second}")).select(f'.found a[href="{href}"]')
    assert not html.page(client.get(f"/board/hf/{href}")).select(f'.found a[href="{href}"]')
    both = html.page(client.get(f"/board/hf/?pin={second}&pin={partial}"))
    assert both.select(f'.found a.button[href="/compare/?a={second}&b={partial}"]')


def test_a_difference_that_counts_is_never_printed_as_nothing(
    alice: User, client: Client, entries: dict[str, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    release = entries["First"].release
    close = published(alice, release, "Close", dict.fromkeys(TASKS, 50.02))
    key = entry_key(close.evaluations.get().pk)
    monkeypatch.setattr(ranges, "read_apart", lambda *_: {"passkey": {key: True}})
    update_separations()
    content = html.page(client.get(f"/board/hf/?baseline={entries['Second'].pk}"))
    cells = content.select('td.difference-ahead[data-label="Retrieve.PassKey"]')
    assert [html.text(cell) for cell in cells] == ["+0.02"]
