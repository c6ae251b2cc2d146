"""Charts as files: self-contained, and with the same numbers as the JSON."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from leaderboard.charts.stylesheet import styles_of
from leaderboard.charts.texts import lines_of, shortened, text_width
from portal.models import LanguageModel, Release, Submission
from tests.leaderboard.charts.test_entry_page import entry
from tests.support import html
from tests.support.clients import Answer
from tests.support.paths import ROOT

__all__ = ["entry"]

SVG = "{http://www.w3.org/2000/svg}"
BOTTOM, TOP = 134, 8  # on the score axis of a chart of positions
POSITIONS = "breakdowns.svg?task=kv_retrieval&by=depth"


def root(response: Answer) -> ET.Element:
    assert response.status_code == 200
    return ET.fromstring(response.content)


def texts(svg: ET.Element) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text")]


def test_every_picture_of_the_page_is_a_file(client: Client, entry: Submission) -> None:
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    for figure in page.select("figure.plot[data-by]"):
        link = str(figure.select("[data-files] a")[0]["href"])
        response = client.get(link)
        svg = root(response)
        title = svg.findtext(f"{SVG}title") or ""
        assert html.text(figure.select("[data-finding]")[0]) in title.replace("\xa0", " ")
        assert title == str(figure.select("svg")[0]["aria-label"])
        assert response["Content-Type"].startswith("image/svg+xml")
        assert response["Content-Disposition"].startswith("attachment; ")
        assert response["Content-Security-Policy"] == "sandbox"


def test_a_file_names_its_data_metric_scorer_and_address(client: Client, entry: Submission) -> None:
    entry.evaluations.update(signature={"scorer": "1.2.3"})
    evaluation = entry.evaluations.get()
    notes = " ".join(
        texts(root(client.get(f"/entries/{entry.entry_id}/{POSITIONS}&metric_set=strict")))
    )
    for about in ("Model", entry.release.slug, "strict", "n = 60", f"/entries/{entry.entry_id}/"):
        assert about in notes
    assert f"scorer 1.2.3, {evaluation.finished:%Y-%m-%d}" in notes


def test_the_ends_of_intervals_are_those_of_the_json(client: Client, entry: Submission) -> None:
    address = f"/api/v1/entries/{entry.entry_id}/breakdowns/?task=kv_retrieval&by=depth"
    bins = client.get(address).json()["bins"]
    svg = root(client.get(f"/entries/{entry.entry_id}/{POSITIONS}"))
    whiskers = "".join(
        one.get("d", "") for one in svg.iter(f"{SVG}path") if one.get("class") == "whisker"
    )
    drawn = [
        [100 * (BOTTOM - float(end)) / (BOTTOM - TOP) for end in ends]
        for ends in re.findall(r"M\S+ ([0-9.]+)V([0-9.]+)", whiskers)
    ]
    expected = [[one["low"], one["high"]] for one in bins]
    assert drawn == [pytest.approx(one, abs=0.05) for one in expected]


def test_a_file_needs_nothing_from_elsewhere(client: Client, entry: Submission) -> None:
    text = client.get(f"/entries/{entry.entry_id}/{POSITIONS}").content.decode()
    style = text.partition("<style>")[2].partition("</style>")[0]
    classes = {name for names in re.findall(r'class="([^"]*)"', text) for name in names.split()}
    assert all(f".{name}" in style for name in classes - {"note"})
    assert "var(" not in style
    assert not re.search(r"url\(|@import|<script|<image|href=", text)


def test_the_colours_of_files_are_literal() -> None:
    names = {
        name
        for file in ("charts", "ladder", "components")
        for name in re.findall(
            r"\.([a-z][-a-z0-9]*)", (ROOT / f"static/css/{file}.css").read_text()
        )
    }
    style = styles_of(names)
    colours = re.findall(r"[{;](?:fill|stroke):([^;}]+)", style)
    assert len(set(colours)) > 10
    assert all(re.fullmatch(r"#[0-9a-f]{6}|none|currentColor", colour) for colour in colours)
    assert not re.search(r"var\(|:is\(|oklch|light-dark|rem\b", style)


@pytest.mark.parametrize(
    ("classes", "rule"),
    [
        ({"plot", "point"}, ".plot .point{fill:#1b54aa"),
        ({"plot", "slope", "domain-code", "curve"}, ".plot .domain-code .curve{stroke:#6e519d}"),
        ({"decay", "series-3", "band"}, ".decay .band.series-3{fill:#117555}"),
        ({"decay", "series-2", "curve"}, "stroke:#bd4d00;stroke-dasharray:7 3}"),
    ],
)
def test_a_file_has_the_rules_for_its_marks(classes: set[str], rule: str) -> None:
    assert rule in styles_of(classes)
    assert ".cell" not in styles_of(classes)


def test_no_name_makes_a_file_that_is_not_xml(client: Client, entry: Submission) -> None:
    LanguageModel.objects.update(name="]]><b>&\x01\x1b\ufffe 通义千问 ∞")
    svg = root(client.get(f"/entries/{entry.entry_id}/{POSITIONS}"))
    assert "]]><b>& 通义千问 ∞" in texts(svg)


def test_there_is_no_file_of_what_is_no_picture(client: Client, entry: Submission) -> None:
    answers = {
        "breakdowns.svg?task=passkey&by=length": 404,  # nothing is known about its examples
        "breakdowns.svg?task=kv_retrieval&by=colour": 400,
        "breakdowns.svg": 400,
    }
    found = {one: client.get(f"/entries/{entry.entry_id}/{one}").status_code for one in answers}
    assert found == answers


def test_a_hidden_release_has_no_file(client: Client, entry: Submission) -> None:
    Release.objects.update(hidden=True)
    assert client.get(f"/entries/{entry.entry_id}/{POSITIONS}").status_code == 404


def test_a_reader_who_has_the_file_gets_304(client: Client, entry: Submission) -> None:
    address = f"/entries/{entry.entry_id}/{POSITIONS}"
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("iiii", 11.2), ("漢字", 20), ("e\u0301", 6.2), ("W", 9.9)]
)
def test_the_width_of_a_text_is_known(text: str, width: float) -> None:
    assert text_width(text, 10) == pytest.approx(width)


def test_long_texts_are_broken_or_cut() -> None:
    english = "position matters (p < 0.001): 98 % at the start, 12 % at the end"
    for text in (english, "位置有影响：开头为 98 %，结尾为 12 %，中间最差，为 3 %。" * 2):
        lines = lines_of(text, 10, 150)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert len(lines) > 1
        assert all(text_width(line, 10) <= 160 for line in lines)
        assert not any(line.startswith(("，", "。", "：")) for line in lines)
    assert shortened("short", 10, 100) == "short"
    cut = shortened("Qwen2.5-72B-Instruct 通义千问 " * 9, 10, 100)
    assert cut.endswith("…")
    assert 80 < text_width(cut, 10) <= 100
