"""The Atom feed of a board, read by an XML parser as a feed reader would."""

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from portal.board_version import raise_board_version
from portal.models import Action, AuditEntry, LanguageModel, Release, Submission, User
from tests.support import html
from tests.support.factories import ALL, published, reported

ATOM = "{http://www.w3.org/2005/Atom}"
SITE = "https://localhost"


@pytest.fixture
def entries(alice: User, official: Release) -> list[Submission]:
    """Two entries of one model, published in the opposite order."""
    found = [published(alice, official, "Model", ALL, method=name) for name in ("a", "b")]
    for one in reversed(found):
        AuditEntry.objects.create(action=Action.PUBLISH, submission=one, actor=alice)
    return found


def feed(client: Client, query: str = "") -> ET.Element:
    response = client.get(f"/board/hf/feed.atom{query}")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(response.content)


def ids(root: ET.Element) -> list[str]:
    return [one.findtext(f"{ATOM}id") or "" for one in root.iter(f"{ATOM}entry")]


def links(element: ET.Element) -> dict[str, str]:
    return {one.get("rel", ""): one.get("href", "") for one in element.findall(f"{ATOM}link")}


def test_the_newest_publication_is_first(client: Client, entries: list[Submission]) -> None:
    assert ids(feed(client)) == [f"urn:uuid:{one.pk}" for one in entries]


def test_a_feed_has_what_atom_asks_for(client: Client, entries: list[Submission]) -> None:
    root = feed(client, "?set=strict")
    assert root.tag == f"{ATOM}feed"
    assert root.findtext(f"{ATOM}id") == f"{SITE}/board/hf/feed.atom?set=strict"
    assert root.findtext(f"{ATOM}title")
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "∞Bench"
    assert links(root) == {
        "self": f"{SITE}/board/hf/feed.atom?set=strict",
        "alternate": f"{SITE}/board/hf/?set=strict",
    }
    dates = [root.findtext(f"{ATOM}updated") or ""]
    for one in root.iter(f"{ATOM}entry"):
        assert links(one)["alternate"].startswith(f"{SITE}/entries/model-")
        assert one.findtext(f"{ATOM}title") in ("Model + a", "Model + b")
        assert "54.17" not in (one.findtext(f"{ATOM}summary") or "")  # but its half
        dates += [one.findtext(f"{ATOM}{name}") or "" for name in ("updated", "published")]
    times = [datetime.fromisoformat(date) for date in dates]
    assert all(time.tzinfo for time in times)
    assert times[0] == max(times)


def test_a_feed_obeys_the_filters(client: Client, entries: list[Submission]) -> None:
    reported("Other", {"passkey": 1.0})
    assert len(ids(feed(client))) == 3
    assert len(ids(feed(client, "?q=model"))) == 2
    assert len(ids(feed(client, "?trust=reported"))) == 1
    assert ids(feed(client, "?sort=passkey&errors=on&pin=x")) == ids(feed(client))


def test_a_feed_has_entries_that_are_not_the_best_of_their_model(
    client: Client, alice: User, official: Release
) -> None:
    for percent in (1.0, 2.0):
        published(
            alice, official, "Model", dict.fromkeys(ALL, percent), prompt_strategy=f"{percent}"
        )
    assert len(ids(feed(client))) == 2


def test_an_empty_feed_is_dated_all_the_same(client: Client, official: Release) -> None:
    root = feed(client)
    assert datetime.fromisoformat(root.findtext(f"{ATOM}updated") or "") < datetime.now(UTC)
    assert ids(root) == []


def test_a_name_cannot_break_the_feed(client: Client, entries: list[Submission]) -> None:
    LanguageModel.objects.update(name="<b>]]>&\x01\ufffe 通义", organisation="<script>")
    titles = [one.findtext(f"{ATOM}title") for one in feed(client).iter(f"{ATOM}entry")]
    assert titles == ["<b>]]>& 通义 + a", "<b>]]>& 通义 + b"]
    summary = feed(client).findtext(f"{ATOM}entry/{ATOM}summary") or ""
    assert "&lt;script&gt;" in summary  # it is HTML


def test_a_reader_who_has_the_feed_gets_304(client: Client, entries: list[Submission]) -> None:
    tag = {"If-None-Match": client.get("/board/hf/feed.atom")["ETag"]}
    assert client.get("/board/hf/feed.atom", headers=tag).status_code == 304
    reported("New", {"passkey": 1.0})
    raise_board_version()
    assert client.get("/board/hf/feed.atom", headers=tag).status_code == 200


def test_the_page_of_a_board_names_its_feed(client: Client, entries: list[Submission]) -> None:
    selector = 'link[rel="alternate"][type="application/atom+xml"]'
    for path in ("/", "/board/hf/"):
        link = html.one(client.get(f"{path}?set=strict&sort=passkey&trust=scored"), selector)
        assert link["href"] == "/board/hf/feed.atom?set=strict&trust=scored"


def test_a_hidden_release_has_no_interval_in_its_feed(
    client: Client, entries: list[Submission]
) -> None:
    Release.objects.update(hidden=True)
    text = client.get("/board/hf/feed.atom").content.decode()
    assert "54.17" not in text
    assert "–" not in text
