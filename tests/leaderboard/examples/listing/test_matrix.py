"""Entries and examples as a matrix, and all questions of a task as a picture."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.test import Client

from leaderboard.examples.listing import matrix
from portal.models import Release, Submission, User
from tests.leaderboard.examples.conftest import KEYS, TASK
from tests.support import html

pytestmark = pytest.mark.django_db

MATRIX, LIST = f"/examples/hf/{TASK}.matrix/", f"/examples/hf/{TASK}/"


def cells(client: Client, query: str = "", **more: str) -> dict[str, list[str]]:
    """The texts of an entry's cells, by its name."""
    page = html.page(client.get(MATRIX, {"q": query, **more}))
    return {
        html.text(row.select("th")[0]): [str(cell["class"][0]) for cell in row.select("td[class]")][
            1:
        ]
        for row in page.select(".matrix tbody tr")
    }


@pytest.mark.usefixtures("good", "bad", "fair")
def test_every_cell_says_what_the_answer_is(client: Client) -> None:
    assert cells(client) == {
        "Good": ["right", "right", "partial", "right"],
        "Fair": ["right", "right", "wrong", "wrong"],
        "Bad": ["right", "blank", "missing", "wrong"],
    }
    assert cells(client, "model:bad sort:-place") == {"Bad": ["wrong", "missing", "blank", "right"]}
    assert cells(client, "stone model:good") == {"Good": ["right"]}


def test_every_cell_opens_its_answer(client: Client, good: Submission) -> None:
    page = html.page(client.get(MATRIX))
    links = [urlsplit(str(one["href"])) for one in page.select(".matrix td a")]
    assert [unquote(one.path) for one in links] == [f"../{TASK}/{key}/" for key in KEYS]
    assert [parse_qs(one.query) for one in links] == 4 * [{"entry": [good.entry_id]}]
    assert [one["aria-label"] for one in page.select(".matrix td a")][
        2
    ] == f"{KEYS[2]}: partly right"


@pytest.mark.usefixtures("good", "bad", "fair")
def test_large_matrices_have_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "MOST_COLUMNS", 3)
    monkeypatch.setattr(matrix, "MOST_ROWS", 2)
    assert list(cells(client)) == ["Good", "Fair"]
    page = html.page(client.get(MATRIX))
    [further, others] = (str(one["href"]) for one in page.select("main nav.row a"))
    assert (
        html.page(client.get(further)).select(".matrix thead a")[0]["aria-label"]
        == f"Example {KEYS[3]}"
    )
    scores = [html.text(row.select("td")[0]) for row in page.select(".matrix tbody tr")]
    assert scores[0] == "81.3"  # of all four examples, not of the three on this page
    assert cells(client, entries="2") == {"Bad": ["right", "blank", "missing"]}
    assert "entries=2" in others


def test_a_matrix_discloses_nothing_of_a_hidden_release(
    client: Client, alice: User, rita: User, good: Submission, fair: Submission
) -> None:
    Release.objects.update(hidden=True)
    for reader in (None, alice):
        if reader:
            client.force_login(reader)
        assert client.get(MATRIX).status_code == 404
        assert not html.page(client.get(LIST)).select(".portrait, [href*=matrix]")
    client.force_login(rita)  # the author of “Fair”
    assert cells(client)["Good"] == ["right", "right", "partial", "right"]
    assert cells(client)["Fair"] == 4 * ["unasked"]


def test_a_wrong_filter_is_refused(client: Client, good: Submission) -> None:
    response = client.get(MATRIX, {"q": "colour:red"})
    assert (response.status_code, html.one(response, "#filter-error")["data-code"]) == (
        400,
        "unknown_field",
    )


@pytest.mark.usefixtures("good", "bad", "fair")
def test_the_portrait_leads_to_all_questions(client: Client) -> None:
    page = html.page(client.get(LIST, {"q": "hops>1"}))
    assert html.one(client.get(LIST), ".portrait")["data-questions"] == "4"
    seen = []
    for link in page.select(".portrait svg a"):
        listed = html.page(client.get(str(link["href"])))
        seen += [str(row["data-key"]) for row in listed.select("tbody tr[data-key]")]
    assert seen == [KEYS[0], KEYS[1], KEYS[3], KEYS[2]]
    assert len(page.select(".portrait tbody tr")) == len(page.select(".portrait svg a"))
    [marks] = page.select(".portrait > svg path.mark")
    assert str(marks["d"]).count("M") == 2


def test_without_answers_there_is_no_portrait(client: Client, board: Release) -> None:
    assert not html.page(client.get(LIST)).select(".portrait")
    assert client.get(MATRIX).status_code == 200


def test_a_matrix_without_entries_says_so(client: Client, board: Release) -> None:
    assert "No published entry" in html.text(html.one(client.get(MATRIX), "[data-nothing]"))
