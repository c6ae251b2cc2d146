"""Searching through all contexts of a task."""

from typing import Any
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from django.core.files.storage import default_storage
from django.test import Client

from leaderboard.examples.context import task_search
from portal.models import Context, Example, Release
from portal.web import throttle
from tests.support import html
from tests.support.contexts import release_with_contexts, store_context

pytestmark = pytest.mark.django_db

HERE = "/examples/many/longbook_qa_chn/contexts"
KEY = "a/b?"


@pytest.fixture
def contexts(db: None) -> list[Context]:
    texts = ["the pass key", "nothing", "他的 key and THE KEY", "key" * 1_200]
    stored = [store_context(text) for text in texts]
    about = {KEY: stored[0], "1": stored[1], "2": stored[2], "none": None, "3": stored[3]}
    about |= {f"also {number}": stored[0] for number in range(7)}
    release_with_contexts("many", "longbook_qa_chn", about)
    return stored


def search(client: Client, **query: Any) -> BeautifulSoup:
    response = client.get(HERE, query)
    assert response.status_code == 200
    return html.page(response)


def counts(page: BeautifulSoup) -> list[int]:
    return [int(str(row["data-occurrences"])) for row in page.select("[data-found] > li")]


def test_every_context_is_searched(client: Client, contexts: list[Context]) -> None:
    page = search(client, q="KEY")
    assert counts(page) == [1, 2, task_search.MOST_COUNTED]
    marks = [mark.get_text() for mark in page.select("mark")]
    assert marks == ["key", "key", "key"]
    assert not page.select("[data-more]")
    link = page.select("[data-found] a")[0]
    assert link["href"] == f"/examples/many/longbook_qa_chn/{quote(KEY, safe='')}/?find=KEY#context"
    assert len(page.select("[data-found] > li")[0].select("a")) == 5


def test_what_no_context_has_is_not_found(client: Client, contexts: list[Context]) -> None:
    page = search(client, q="no such words")
    assert counts(page) == []
    assert not page.select_one("[data-none][hidden]")


def test_a_long_search_goes_on_in_shares(
    client: Client, contexts: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = counts(search(client, q="key"))
    monkeypatch.setattr(task_search, "BYTES_AT_ONCE", 1)
    found: list[int] = []
    place, shares = "?q=key", 0
    while place:
        page = html.page(client.get(f"{HERE}{place}"))
        found += counts(page)
        shares += 1
        more = page.select_one("a[data-more]")
        progress = page.select_one("[data-progress]")
        assert progress
        assert (progress["data-searched"], progress["data-total"]) == (str(shares), "4")
        place = str(more["href"]) if more else ""
    assert (found, shares) == (whole, 4)


def test_it_stops_where_enough_contexts_are_found(
    client: Client, contexts: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_search, "MOST_FOUND", 2)
    page = search(client, q="key")
    assert counts(page) == [1, 2]
    more = page.select_one("a[data-more]")
    assert more
    assert counts(html.page(client.get(f"{HERE}{more['href']}"))) == [task_search.MOST_COUNTED]


@pytest.mark.parametrize("start", ["99", "-1", "x", "9" * 30])
def test_any_start_is_answered(client: Client, contexts: list[Context], start: str) -> None:
    assert client.get(HERE, {"q": "key", "from": start}).status_code == 200


def test_a_lost_file_is_passed_over(client: Client, contexts: list[Context]) -> None:
    default_storage.delete(str(contexts[0].text.name))
    assert counts(search(client, q="key")) == [2, task_search.MOST_COUNTED]


def test_without_a_query_nothing_is_searched(client: Client, contexts: list[Context]) -> None:
    assert not search(client).select("[data-progress]")
    assert not search(client, q=" ").select("[data-progress]")


def test_searches_are_counted(
    client: Client, contexts: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 0)
    assert client.get(HERE, {"q": "key"}).status_code == 429
    assert client.get(HERE).status_code == 200


def test_contexts_of_a_hidden_release_are_searched_too(
    client: Client, contexts: list[Context]
) -> None:
    before = str(search(client, q="key").select_one(".page"))
    Release.objects.update(hidden=True)
    Example.objects.update(evidence=[[1, 2]], depth=0.3, label=["y"])
    assert str(search(client, q="key").select_one(".page")) == before


def test_what_is_typed_and_what_is_found_stays_text(client: Client) -> None:
    evil = "<script>alert(1)</script>"
    release_with_contexts("many", "longbook_qa_chn", {evil: store_context(f"a {evil} b")})
    page = search(client, q=evil)
    assert [str(one.get("src", "")) for one in page.select("main script")] == []
    assert page.select("mark")[0].get_text() == evil
