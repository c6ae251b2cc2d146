"""Images for link previews. Without a font there are none: names would be missing from them."""

import struct

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.sharing import views
from portal.models import LanguageModel, Release, Submission, User
from portal.web import pictures, throttle
from portal.web.pictures import check_font, picture_font, png_of
from tests.support import html
from tests.support.factories import ALL, published, reported

needs_font = pytest.mark.skipif(
    not any(one.path.is_file() for one in pictures.PLACES), reason="no font with Chinese"
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">'
    '<text y="20" font-family="sans-serif">{}</text></svg>'
)


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    reported("Reported", ALL)
    return published(alice, official, "First", ALL)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would be drawn, regardless of the fonts on this machine."""
    found: list[str] = []
    monkeypatch.setattr(views, "picture_font", lambda: True)

    def png(svg: str) -> bytes:
        found.append(svg)
        return b"\x89PNG"

    monkeypatch.setattr(views, "png_of", png)
    return found


@needs_font
@pytest.mark.parametrize("text", ["Yi-34B", "通义千问", "∞ 4–5 · …"])
def test_letters_are_really_drawn(text: str) -> None:
    assert png_of(SVG.format(text)) != png_of(SVG.format(""))


@needs_font
def test_different_texts_are_different_pictures() -> None:
    assert len({png_of(SVG.format(text)) for text in ("千", "问", "Q", "R")}) == 4


@pytest.mark.parametrize("family", ["", "Another"])
def test_a_font_that_draws_nothing_is_none(
    settings: Settings, client: Client, entry: Submission, family: str
) -> None:
    place = next((one.path for one in pictures.PLACES if one.path.is_file()), "/none.ttf")
    settings.PICTURE_FONT, settings.PICTURE_FONT_FAMILY = str(place), family
    assert picture_font() is None
    assert png_of(SVG.format("A")) is None
    assert [one.id for one in check_font()] == ["portal.I001"]
    assert client.get("/board/hf/picture.png").status_code == 404
    assert client.get(f"/entries/{entry.entry_id}/picture.png").status_code == 404
    assert not html.page(client.get("/board/hf/")).select('meta[property="og:image"]')


@needs_font
def test_a_picture_is_a_png_of_the_size_that_previews_ask_for(
    client: Client, entry: Submission
) -> None:
    for path in ("/board/hf/picture.png", f"/entries/{entry.entry_id}/picture.png"):
        response = client.get(path)
        assert response["Content-Type"] == "image/png"
        assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert response.content.startswith(b"\x89PNG\r\n")
        assert struct.unpack(">II", response.content[16:24]) == (1200, 630)
        again = client.get(path, headers={"If-None-Match": response["ETag"]})
        assert again.status_code == 304
    assert not check_font()


@needs_font
def test_pages_name_their_picture(client: Client, entry: Submission) -> None:
    for path in ("/board/hf/", f"/entries/{entry.entry_id}/"):
        page = html.page(client.get(path))
        found = str(page.select('meta[property="og:image"]')[0]["content"])
        assert found == f"https://localhost{path}picture.png"
        assert client.get(found.removeprefix("https://localhost")).status_code == 200


def test_a_picture_shows_the_first_rows_of_the_board(
    client: Client, entry: Submission, drawn: list[str]
) -> None:
    LanguageModel.objects.filter(name="First").update(name="通义 <&> \x01")
    assert client.get("/board/hf/picture.png?set=official-2024-06").status_code == 302
    assert client.get("/board/hf/picture.png").status_code == 200
    [svg] = drawn
    assert "通义 &lt;&amp;&gt;" in svg
    assert "\x01" not in svg
    page = client.get("/board/hf/")
    shown = [html.text(one) for one in html.page(page).select("td.overall span")]
    assert all(f">{one}</text>" in svg for one in shown)
    assert "reported, not verified" in svg


def test_a_picture_is_made_once_for_each_version_of_the_board(
    client: Client, entry: Submission, drawn: list[str]
) -> None:
    for _ in range(3):
        client.get("/board/hf/picture.png")
        client.get(f"/entries/{entry.entry_id}/picture.png")
    assert len(drawn) == 2


@pytest.mark.parametrize(
    ("query", "leads_to"),
    [
        ("?q=first&weights=open&pin=x", ""),
        ("?sort=passkey&dir=back&errors=on", "?sort=passkey"),
        ("?set=strict&tasks=code&heat=off", "?set=strict&tasks=code"),
        ("?tasks=passkey:2,kv_retrieval", ""),
        ("?sort=model", ""),
    ],
)
def test_there_are_few_pictures_of_a_board(
    client: Client, entry: Submission, query: str, leads_to: str
) -> None:
    response = client.get(f"/board/hf/picture.png{query}")
    assert response["Location"] == f"/board/hf/picture.png{leads_to}"


def test_pictures_count_as_expensive(
    client: Client, entry: Submission, drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 1)
    statuses = [
        client.get(f"/board/hf/picture.png?sort={task}").status_code
        for task in ("passkey", "kv_retrieval")
    ]
    assert statuses == [200, 429]


def test_there_is_no_picture_without_a_rank(
    client: Client, official: Release, drawn: list[str]
) -> None:
    assert client.get("/board/hf/picture.png").status_code == 404
    assert client.get("/board/none/picture.png").status_code == 404
    assert client.get("/entries/none/picture.png").status_code == 404


def test_a_hidden_release_shows_only_what_is_disclosed(
    client: Client, entry: Submission, drawn: list[str]
) -> None:
    Release.objects.update(hidden=True)
    client.get("/board/hf/picture.png")
    client.get(f"/entries/{entry.entry_id}/picture.png")
    assert len(drawn) == 2
    assert not any("95 %:" in svg for svg in drawn)
    assert "54.17" not in drawn[1]
