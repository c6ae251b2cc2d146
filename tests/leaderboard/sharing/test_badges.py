"""Badges: what the page of an entry shows, as SVG for embedding on other sites."""

from xml.etree import ElementTree as ET

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from leaderboard.charts.texts import text_width
from portal.board_version import raise_board_version
from portal.models import LanguageModel, Release, Submission, SubmissionState, User
from portal.scores.comparison.separations import update_separations
from tests.support import html
from tests.support.clients import Answer
from tests.support.factories import ALL, add_examples, published, reported

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    add_examples(official)
    found = [published(alice, official, name, ALL) for name in ("First", "Second")]
    assert update_separations()
    return found[0]


def badge(client: Client, entry_id: object, query: str = "") -> ET.Element:
    response = client.get(f"/entries/{entry_id}/badge.svg{query}")
    assert response.status_code == 200
    return ET.fromstring(response.content)


def texts(svg: ET.Element) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text")]


def title(svg: ET.Element) -> str:
    return svg.findtext(f"{SVG}title") or ""


def test_a_badge_has_the_score_interval_and_rank_of_the_page(
    client: Client, entry: Submission
) -> None:
    response = client.get(f"/entries/{entry.entry_id}/")
    cell = response.context["details"].sheet.overall.cells[0][1]
    left, right = texts(svg := badge(client, entry.entry_id))
    assert left == "∞Bench · First"
    assert right == f"{cell.text} ({cell.interval}) · #1–2 of 2"
    assert f"{cell.text}, 95 % interval {cell.interval}, rank 1–2 of 2, release hf" in title(svg)


def test_another_metric_set_or_release_is_named(
    client: Client, alice: User, entry: Submission
) -> None:
    assert (
        texts(badge(client, entry.entry_id, "?metric_set=strict"))[0] == "∞Bench · strict · First"
    )
    assert client.get(f"/entries/{entry.entry_id}/badge.svg?metric_set=other").status_code == 404
    Release.objects.update(official=False)
    raise_board_version()
    assert texts(badge(client, entry.entry_id))[0] == "∞Bench · hf · First"


def test_what_is_not_verified_says_so(client: Client, entry: Submission) -> None:
    one = reported("Third", {"passkey": 25.0})
    left, right = texts(badge(client, one.entry_id))
    assert (left, right) == ("∞Bench · Third", "1 of 12 tasks · reported")


@pytest.mark.parametrize(
    "name", ["通义千问" * 20, "A very long name of a model " * 4, "<&>\x01\"'"]
)
def test_no_name_breaks_a_badge(client: Client, entry: Submission, name: str) -> None:
    LanguageModel.objects.filter(name="First").update(name=name)
    svg = badge(client, entry.entry_id)
    assert name.replace("\x01", "") in title(svg)
    for text in svg.iter(f"{SVG}text"):
        assert float(text.get("textLength", 0)) == pytest.approx(
            text_width(text.text or "", 11), abs=0.1
        )
        assert float(text.get("x", 0)) + float(text.get("textLength", 0)) < int(svg.get("width", 0))
    assert int(svg.get("width", 0)) < 560


def test_a_hidden_release_shows_only_what_is_disclosed(client: Client, entry: Submission) -> None:
    Release.objects.update(hidden=True)
    response = client.get(f"/entries/{entry.entry_id}/")
    cell = response.context["details"].sheet.overall.cells[0][1]
    right = texts(badge(client, entry.entry_id))[1]
    assert "(" not in right
    assert right.startswith(cell.text if cell else "0 of 12 tasks")


def test_other_sites_may_show_it_and_ask_again(client: Client, entry: Submission) -> None:
    first = client.get(f"/entries/{entry.entry_id}/badge.svg")
    assert first["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert first["Cache-Control"] == "public, no-cache"
    assert first["Content-Type"].startswith("image/svg+xml")
    again = {"If-None-Match": first["ETag"]}
    assert client.get(f"/entries/{entry.entry_id}/badge.svg", headers=again).status_code == 304


def test_a_withdrawn_entry_has_no_badge(client: Client, entry: Submission) -> None:
    Submission.objects.filter(pk=entry.pk).update(state=SubmissionState.WITHDRAWN)
    assert client.get(f"/entries/{entry.entry_id}/badge.svg").status_code == 404


def test_the_page_has_what_to_copy(client: Client, entry: Submission) -> None:
    LanguageModel.objects.filter(name="First").update(name="A [b] <c>")
    response = client.get(f"/entries/{entry.entry_id}/")
    shown, address = _snippets(response), f"https://localhost/entries/{entry.entry_id}/"
    assert shown["markdown"] == rf"[![∞Bench: A \[b\] \<c\>]({address}badge.svg)]({address})"
    link = BeautifulSoup(shown["html"], "html.parser").select("a > img")[0]
    assert (link["alt"], link["src"]) == ("∞Bench: A [b] <c>", f"{address}badge.svg")
    assert (
        html.one(response, "[data-help=badge] img")["src"] == f"/entries/{entry.entry_id}/badge.svg"
    )


def _snippets(response: Answer) -> dict[str, str]:
    found = html.page(response).select("[data-snippet]")
    return {str(one["data-snippet"]): one.get_text() for one in found}
