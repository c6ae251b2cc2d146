"""Every view of a board has one address, and no link or form on it loses the current choices."""

import csv
import io
import json
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from django.test import Client

from leaderboard.board import board as board_module
from portal.models import Release, Submission, User
from tests.support.factories import ALL, model, published, release_of_all_tasks, reported
from tests.support.html import page
from tests.support.kept_pages import forget_kept_pages

CHOSEN = {
    "set": "strict", "weights": "open", "method": "alone", "complete": "yes", "entries": "all",
    "tasks": "passkey,math_find:2", "heat": "off", "q": "model",
}  # fmt: skip


@pytest.fixture
def some(alice: User, official: Release) -> Submission:
    model("Model C", weights="closed", organisation="Org C")
    published(alice, official, "Model C", ALL)
    for name in ("Model A", "Model B"):
        model(name, weights="open", organisation="Org", parameters="8B")
        found = published(alice, official, name, ALL)
    return found


def names(client: Client, query: str) -> list[str]:
    rows = page(client.get(f"/board/hf/{query}")).select("tbody th.model")
    return [row.a.get_text().strip() for row in rows if row.a]


def test_every_link_to_a_board_keeps_what_is_chosen(some: Submission, client: Client) -> None:
    release_of_all_tasks("paper")
    query = "&".join(f"{name}={value}" for name, value in CHOSEN.items()) + f"&pin={some.entry_id}"
    response = client.get(f"/board/hf/?{query}", follow=True)
    assert response.redirect_chain == []
    links = page(response).select(
        "main thead a[href], main nav a[href], .toggles a[href], main footer a[href]"
    )
    addresses = [str(a["href"]) for a in links if "?" in str(a["href"])]
    boards = [one for one in addresses if "feed.atom" not in one]  # it has no order
    assert len(boards) > 25
    for href in boards:
        sent = parse_qs(urlsplit(href).query)
        for name, value in CHOSEN.items():
            is_changed = name == "tasks" or (name in ("set", "heat") and name not in sent)
            assert is_changed or name in ("set", "heat") or sent[name] == [value], (name, href)
        if not any(f"board.{ending}" in href for ending in ("csv", "json", "tex", "md")):
            assert sent["pin"] == [some.entry_id]


def test_forms_send_all_that_is_chosen(some: Submission, client: Client) -> None:
    query = "&".join(f"{name}={value}" for name, value in CHOSEN.items()) + f"&pin={some.entry_id}"
    content = page(client.get(f"/board/hf/?{query}"))
    for form in content.select("main form"):
        fields = form.select("input, select") + content.select(f'[form="{form.get("id")}"]')
        sent = []
        for field in fields:
            if field.name == "select":
                [option] = field.select("[selected]")
                sent.append((str(field["name"]), str(option["value"])))
            elif field.get("type") not in ("checkbox", "radio") or field.has_attr("checked"):
                sent.append((str(field["name"]), str(field.get("value", ""))))
        answer = client.get("/board/hf/", sent and _multi(sent))
        assert sorted(parse_qsl(urlsplit(answer["Location"]).query)) == sorted(parse_qsl(query))


def _multi(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("page=9999", ""), ("page=0", ""), ("tasks=passkey:-1", ""), ("tasks=passkey:nan", ""),
        ("tasks=passkey:0,code_run", "?tasks=code_run"), ("weights=any", ""), ("weights=x", ""),
        ("size=0&size=1", ""), ("labels=none", ""), ("pin=%22", ""), ("trust=", ""),
        ("organisation=Org+C", "?organisation=orgc"),
        ("weights=open&weights=open", "?weights=open"),
        ("organisation=" + 3_000 * "x", "?organisation=" + 100 * "x"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_leads_to_what_can(
    some: Submission, client: Client, query: str, address: str
) -> None:
    for path in ("/board/hf/", "/"):
        answer = client.get(f"{path}?{query}")
        assert (answer.status_code, answer["Location"]) == (302, path + address)
        assert client.get(answer["Location"]).status_code == 200
    for ending in ("csv", "json"):
        assert client.get(f"/board/hf/board.{ending}?{query}").status_code == 200


def test_long_queries_are_no_error(some: Submission, client: Client) -> None:
    for name in ("q", "organisation", "prompt", "tasks", "pin", "labels", "page", "set"):
        assert client.get(f"/board/hf/?{name}={10_000 * 'x'}").status_code in (200, 302)


def test_hidden_rows_are_counted_with_a_way_back(some: Submission, client: Client) -> None:
    reported("Model D", ALL)
    response = client.get("/board/hf/?weights=open")
    content = page(response)
    assert [one.get_text() for one in content.select("[data-found]")] == ["2 of 4 entries shown"]
    assert [one.a["href"] for one in content.select("[data-hidden-note]") if one.a] == [
        "?weights=open&weights=unknown"
    ]
    assert content.select('.found a[href="."]')


def test_pinned_rows_are_on_top_and_can_be_unpinned(some: Submission, client: Client) -> None:
    query = f"?weights=closed&pin={some.entry_id}"
    assert names(client, query) == ["Model B", "Model C"]
    assert page(client.get(f"/board/hf/{query}")).select('[data-pinned] a[href="?weights=closed"]')


def test_pinned_rows_are_compared_under_the_metric_of_the_board(
    some: Submission, client: Client
) -> None:
    other = Submission.objects.exclude(pk=some.pk)[0]
    href = f"/compare/?a={some.entry_id}&b={other.entry_id}"
    for query, expected in (("?", href), ("?set=strict&", f"{href}&metric_set=strict")):
        content = page(client.get(f"/board/hf/{query}pin={some.entry_id}&pin={other.entry_id}"))
        [link] = content.select('.found a[href^="/compare/"]')
        ids, sent = (dict(parse_qsl(urlsplit(str(one)).query)) for one in (expected, link["href"]))
        assert {*sent.values()} == {*ids.values()}


def test_files_have_all_pages_and_follow_the_filters(
    some: Submission, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "PAGE_ROWS", 1)
    forget_kept_pages()
    assert names(client, "?weights=open&page=2") == ["Model B"]
    query = f"?weights=open&page=2&pin={some.entry_id}"
    rows = csv.DictReader(
        io.StringIO(client.get(f"/board/hf/board.csv{query}").content.decode("utf-8-sig"))
    )
    assert [row["model"] for row in rows] == ["Model A", "Model B"]
    assert len(json.loads(client.get(f"/board/hf/board.json{query}").content)["entries"]) == 2


def test_files_name_a_choice_of_tasks(some: Submission, client: Client) -> None:
    query = "?tasks=passkey,math_find:2"
    document = json.loads(client.get(f"/board/hf/board.json{query}").content)
    assert document["weights"] == {"passkey": 1, "math_find": 2}
    assert document["entries"][0]["selection"]["percent"] == 50.0
    assert "overall" not in document["entries"][0]
    assert b"selection_stderr" in client.get(f"/board/hf/board.csv{query}").content


def test_facets_are_offered_where_entries_differ(some: Submission, client: Client) -> None:
    content = page(client.get("/board/hf/"))
    menus = {
        str(menu["data-facet"]): [str(one["data-options"]) for one in menu.select("fieldset")]
        for menu in content.select("[data-facet]")
    }
    assert menus == {
        "weights": ["weights"],
        "size": ["size"],
        "more": ["organisation", "entries"],
    }
    options = content.select('[data-facet="weights"] label')
    assert [" ".join(one.get_text().split()) for one in options] == [
        "open weights 2",
        "closed weights 1",
    ]
