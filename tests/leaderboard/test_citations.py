"""Boards and entries say how to cite them, in BibTeX that LaTeX accepts."""

from datetime import date

from django.test import Client
from pytest_django import Settings

from leaderboard.citations import badge_snippets, page_citation
from portal.models import Release, User
from portal.scores.comparison.separations import update_separations
from tests.support.factories import ALL, add_examples, published
from tests.support.html import page


def test_special_characters_are_escaped_but_not_in_addresses(settings: Settings) -> None:
    settings.SITE_URL = "https://example.org"
    text = page_citation("x", "R&D_1 {50 %}", "∞", "/entries/a_b/?x=1&y=2", date(2026, 11, 22))
    assert r"title = {{R\&D\_1 \{50 \%\}}}" in text
    assert r"note = {$\infty$}" in text
    assert "url = {https://example.org/entries/a_b/?x=1&y=2}" in text
    assert "year = {2026}" in text


def test_a_name_is_neither_html_nor_markdown_in_the_snippets_of_a_badge() -> None:
    snippets = badge_snippets('"><script> [x](y)', "model")
    assert 'alt="∞Bench: &quot;&gt;&lt;script&gt; [x](y)"' in snippets.html
    assert r'[![∞Bench: "\>\<script\> \[x\](y)](' in snippets.markdown


def test_a_board_is_cited_as_it_is_shown(alice: User, official: Release, client: Client) -> None:
    published(alice, official, "Model", ALL)
    content = page(client.get("/board/hf/?set=strict&weights=open&weights=unknown"))
    own, paper = (one.get_text() for one in content.select("[data-help=cite] pre"))
    assert "/board/hf/?set=strict&weights=open&weights=unknown}" in own
    assert "zhang-etal-2024-bench" in paper


def test_an_entry_is_cited_with_its_mean_and_range_of_ranks(
    alice: User, official: Release, client: Client
) -> None:
    add_examples(official)
    found = [published(alice, official, name, ALL) for name in ("First", "Second")]
    assert update_separations()
    response = client.get(f"/entries/{found[0].entry_id}/")
    text = page(response).select("[data-help=cite] pre")[0].get_text()
    assert f"/entries/{found[0].entry_id}/" in text
    assert "metric official-2024-06, scorer 0, overall" in text.replace("\\_", "_")
    assert {place.rank_text for place in response.context["ranks"].places} == {"1–2"}
