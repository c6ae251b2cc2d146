"""Ranges of ranks on a board: pending until its entries are compared, then with ties."""

import re

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from portal.models import Release, Submission, User
from portal.scores.comparison.separations import update_separations
from scoring.catalog import TASKS
from tests.support.clients import submission_html
from tests.support.factories import add_examples, published


@pytest.fixture
def four(alice: User, official: Release) -> list[Submission]:
    add_examples(official)
    percents = {"First": 100.0, "Second": 50.0, "Third": 50.0}
    found = [
        published(alice, official, name, dict.fromkeys(TASKS, percent))
        for name, percent in percents.items()
    ]
    return [*found, published(alice, official, "Partial", {"passkey": 25.0})]


def ranks_of(client: Client, query: str = "") -> dict[str, str]:
    """Ranks as printed, by name."""
    rows = client.get(f"/board/hf/{query}").content.decode().split("<tr")[1:]
    names = [re.search(r"<bdi>(\w+)</bdi>", row) for row in rows]
    cells = [re.search(r'<td class="rank">(.*?)</td>', row, re.DOTALL) for row in rows]
    return {
        name[1]: re.sub(r"<[^>]*>", "", cell[1]).strip()
        for name, cell in zip(names, cells, strict=True)
        if name and cell
    }


def test_ranks_are_plain_until_their_ranges_are_known(
    client: Client, four: list[Submission]
) -> None:
    assert ranks_of(client) == {"First": "1", "Second": "2", "Third": "2", "Partial": ""}
    assert 'data-ranges="pending"' in client.get("/board/hf/").content.decode()
    update_separations()
    assert ranks_of(client) == {"First": "1", "Second": "2–3", "Third": "2–3", "Partial": ""}
    assert 'data-ranges="known"' in client.get("/board/hf/").content.decode()


def test_a_chosen_row_marks_those_that_are_alike(client: Client, four: list[Submission]) -> None:
    update_separations()
    response = client.get(f"/board/hf/?focus={four[1].entry_id}")
    ranges = response.context["board"].ranges
    assert ranges.alike == {four[1].entry_id, four[2].entry_id}
    html = response.content.decode()
    assert html.count('class="alike"') == 2
    assert 'data-alike="2"' in html
    unknown = client.get("/board/hf/?focus=nothing")
    assert unknown.context["board"].ranges.focused is None


def test_the_page_of_a_published_submission_says_the_same(
    client: Client, alice: User, four: list[Submission]
) -> None:
    assert outlook_rank(client, alice, four[1]) == "#2"
    update_separations()
    assert outlook_rank(client, alice, four[1]) == "2–3"
    assert outlook_rank(client, alice, four[0]) == "#1"


def outlook_rank(client: Client, owner: User, submission: Submission) -> str:
    html = submission_html(client, owner, submission)
    [rank] = BeautifulSoup(html, "html.parser").select("#standing [data-ranked] strong")
    return rank.get_text(strip=True)


def test_each_column_has_its_own_ranges(client: Client, four: list[Submission]) -> None:
    update_separations()
    by_task = ranks_of(client, "?sort=passkey")
    assert by_task["Partial"].endswith("–4")  # four questions say little
    assert ranks_of(client, "?tasks=realistic")["First"] == "1"
    own = ranks_of(client, "?tasks=passkey,math_find:2")
    assert own == {"First": "1", "Second": "2", "Third": "2", "Partial": ""}  # plain


def test_realistic_tasks_have_ranges_where_some_are_missing(
    client: Client, alice: User, official: Release
) -> None:
    official.data_sets.set(official.data_sets.filter(task__in=["passkey", "code_debug"]))
    add_examples(official)
    for name, percent in (("First", 100.0), ("Second", 50.0)):
        published(alice, official, name, {"passkey": 50.0, "code_debug": percent})
    update_separations()
    response = client.get("/board/hf/?tasks=realistic")
    assert 'data-ranges="known"' in response.content.decode()


def test_a_named_choice_that_is_not_compared_is_not_pending(
    client: Client, alice: User, official: Release
) -> None:
    official.data_sets.set(official.data_sets.filter(task__in=["passkey", "kv_retrieval"]))
    add_examples(official)
    published(alice, official, "First", {"passkey": 50.0, "kv_retrieval": 50.0})
    update_separations()
    response = client.get("/board/hf/?tasks=retrieval")  # one of its tasks is missing
    assert "data-ranges" not in response.content.decode()


def test_a_hidden_release_has_no_ranges(client: Client, four: list[Submission]) -> None:
    update_separations()  # before it was hidden
    Release.objects.update(hidden=True)
    html = client.get("/board/hf/").content.decode()
    assert "data-ranges" not in html
