"""Any window of a context as JSON, and searches in it."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from leaderboard.examples.context.places import LONGEST_QUERY
from leaderboard.examples.context.views import MOST_HITS, MOST_TOKENS
from portal.models import Context, Release
from portal.releases import context_search
from portal.web import throttle
from tests.support.contexts import release_with_contexts, store_context

pytestmark = pytest.mark.django_db

# Characters of one to four bytes, so that tokens of four bytes often end within one.
TEXT = "".join(
    f"Zeile {number}: Öl, 他的 Wörter 𝄞 und\tmehr{'.' * (number % 3)}\n" for number in range(400)
)
KEY = "a/b c?#%é"
HERE = f"/examples/words/longbook_qa_chn/{quote(KEY, safe='')}"


@pytest.fixture
def context(db: None) -> Context:
    context = store_context(TEXT)
    release_with_contexts("words", "longbook_qa_chn", {"0": None, KEY: context})
    return context


def get(client: Client, address: str, query: dict[str, Any], status: int = 200) -> Any:
    response = client.get(f"{HERE}/{address}", query)
    assert response.status_code == status, response.content
    return response.json()


def all_hits(client: Client, query: str, limit: int) -> list[dict[str, Any]]:
    """All hits, found by following ``next``."""
    found, place = [], 0
    while place is not None:
        page = get(client, "search", {"q": query, "from": place, "limit": limit})
        found += page["hits"]
        place = page["next"]
    assert page["total"] == len(found)
    return found


@pytest.mark.parametrize("tokens", [7, 997, MOST_TOKENS])
def test_windows_next_to_each_other_are_the_text(
    client: Client, context: Context, tokens: int
) -> None:
    start = context.tokens - 5 * tokens if tokens < 100 else 0
    parts, place = [], start
    while place < context.tokens:
        window = get(client, "context", {"from": place, "tokens": tokens})
        assert (window["from"], window["total"]) == (place, context.tokens)
        assert window["text"] == TEXT[slice(*window["characters"])]
        assert window["line"] == TEXT[: window["characters"][0]].count("\n") + 1
        parts.append(window["text"])
        place = window["to"]
    assert TEXT.endswith("".join(parts))
    assert start or "".join(parts) == TEXT


def test_a_window_begins_with_a_line(client: Client, context: Context) -> None:
    window = get(client, "context", {"line": 301, "tokens": 20})
    assert window["line"] in (300, 301)  # a token may begin with the end of the previous line
    assert "Zeile 300:" in window["text"]


def test_a_window_says_where_a_string_occurs_in_it(client: Client, context: Context) -> None:
    """Even if it begins before the window or ends after it."""
    spans = [found.span() for found in re.finditer("Wörter", TEXT)]
    cut = 0
    for start in range(1_000, 1_040):
        window = get(client, "context", {"from": start, "tokens": 90, "q": "WÖRTER"})
        first, last = window["characters"]
        inside = [[a, b] for a, b in spans if a < last and b > first]
        assert window["hits"] == inside
        cut += any(a < first < b or a < last < b for a, b in inside)
    assert cut


def test_estimated_tokens_are_said_to_be(client: Client) -> None:
    release_with_contexts("words", "longbook_qa_chn", {KEY: store_context(TEXT, estimated=True)})
    assert get(client, "context", {})["estimated"] is True


@pytest.mark.parametrize(
    ("query", "limit"),
    [("zeile 14", 1), ("他的", 60), ("ÖL", MOST_HITS), ("..\n", 90), ("Zeile 7: Öl, 他的 W", 1)],
)
def test_all_hits_are_found_once(client: Client, context: Context, query: str, limit: int) -> None:
    hits = all_hits(client, query, limit)
    expected = [found.span() for found in re.finditer(re.escape(query), TEXT, re.IGNORECASE)]
    assert [tuple(hit["characters"]) for hit in hits] == expected
    for number, hit in enumerate(hits, 1):
        start, end = hit["characters"]
        assert hit["number"] == number
        assert hit["match"] == TEXT[start:end]
        assert hit["before"] == TEXT[max(0, start - context_search.AROUND) : start]
        assert hit["after"] == TEXT[end : end + context_search.AROUND]
        assert hit["token"] == len(TEXT[:start].encode()) // 4


def test_hits_of_one_token_stay_together(client: Client) -> None:
    release_with_contexts("words", "longbook_qa_chn", {KEY: store_context("aaaa" * 5)})
    page = get(client, "search", {"q": "a", "limit": 5})
    assert (len(page["hits"]), page["next"], page["total"]) == (8, 2, 20)
    assert len(all_hits(client, "a", 1)) == 20


def test_the_hits_before_a_place_are_the_last_ones(client: Client, context: Context) -> None:
    every = all_hits(client, "他的", MOST_HITS)
    place = every[300]["token"]
    found = get(client, "search", {"q": "他的", "before": place, "limit": 3})
    assert found["hits"] == every[297:300]
    assert found["total"] == len(every)


@pytest.mark.parametrize(
    ("address", "query", "code"),
    [
        ("context", {"from": "-1"}, "bad_from"),
        ("context", {"from": "x"}, "bad_from"),
        ("context", {"from": "٣"}, "bad_from"),
        ("context", {"from": 10**9}, "bad_from"),
        ("context", {"from": 10**13}, "bad_from"),
        ("context", {"tokens": 0}, "bad_tokens"),
        ("context", {"tokens": MOST_TOKENS + 1}, "bad_tokens"),
        ("context", {"line": 0}, "bad_line"),
        ("context", {"line": 402}, "bad_line"),
        ("context", {"line": 1, "from": 1}, "bad_line"),
        ("context", {"q": "x" * (LONGEST_QUERY + 1)}, "bad_q"),
        ("search", {}, "bad_q"),
        ("search", {"q": "  "}, "bad_q"),
        ("search", {"q": "x" * (LONGEST_QUERY + 1)}, "bad_q"),
        ("search", {"q": "x", "limit": MOST_HITS + 1}, "bad_limit"),
        ("search", {"q": "x", "before": "y"}, "bad_before"),
    ],
)
def test_what_there_cannot_be_is_refused_by_name(
    client: Client, context: Context, address: str, query: dict[str, Any], code: str
) -> None:
    error = get(client, address, query, 400)
    assert error["code"] == code
    assert error["detail"]


@pytest.mark.parametrize(
    "path", ["words/longbook_qa_chn/0", "words/longbook_qa_chn/9", "words/passkey/0", "no/no/0"]
)
@pytest.mark.parametrize("address", ["context", "search?q=a"])
def test_without_a_context_there_is_nothing(
    client: Client, context: Context, path: str, address: str
) -> None:
    response = client.get(f"/examples/{path}/{address}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_the_end_is_an_empty_window(client: Client, context: Context) -> None:
    window = get(client, "context", {"from": context.tokens})
    assert (window["from"], window["to"], window["text"]) == (context.tokens, context.tokens, "")


def test_contexts_of_hidden_releases_are_public_and_say_nothing_else(
    client: Client, context: Context
) -> None:
    before = [get(client, "context", {"from": 40}), get(client, "search", {"q": "Öl"})]
    Release.objects.update(hidden=True)
    context.examples.update(evidence=[[500, 510]], depth=0.5, label=["Wörter"], hops=3, kind="k")
    assert [get(client, "context", {"from": 40}), get(client, "search", {"q": "Öl"})] == before


@pytest.mark.parametrize("address", ["search?q={}", "?find={}"])
def test_letters_may_not_be_searched_for_without_end(
    client: Client, context: Context, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 1)
    asked = [client.get(f"{HERE}/{address.format(query)}") for query in ("mehr", "mehr", "e", "e")]
    assert [one.status_code for one in asked] == [200, 200, 200, 429]


@pytest.mark.parametrize("address", ["search?q={}", "?find={}"])
def test_words_are_searched_for_more_often_but_not_without_end(
    client: Client, context: Context, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(throttle, "MOST_SEARCHES", 2)
    asked = [client.get(f"{HERE}/{address.format(query)}") for query in ("das", "x", "das", "die")]
    assert [one.status_code for one in asked] == [200, 200, 200, 429]
    assert client.get(f"{HERE}/").status_code == 200
