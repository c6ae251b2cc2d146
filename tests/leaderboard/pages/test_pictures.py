"""The charts of other pages as files: the same marks as on the page."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from portal.models import Release, Submission, User
from scoring.catalog import TASKS
from tests.support import html
from tests.support.factories import add_examples, published
from tests.support.ladders import LENGTHS, ladder_release, reader

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    add_examples(official)
    return published(alice, official, "Model", dict.fromkeys(TASKS, 50.0) | {"passkey": 100.0})


def check(client: Client, path: str, figure: str, file: str) -> None:
    page = html.page(client.get(path)).select(figure)[0]
    found = [str(link["href"]) for link in html.page(client.get(path)).select(f'a[href*="{file}"]')]
    assert len(found) == 1
    response = client.get(found[0])
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith("attachment; ")
    root = ET.fromstring(response.content)
    for shape, where in (("path", "d"), ("circle", "cx")):
        of_page = [str(one[where]) for one in page.select(f"svg {shape}")]
        assert [one.get(where) for one in root.iter(f"{SVG}{shape}")] == of_page
        assert of_page or shape == "circle"
    finding = html.text(page.select("[data-finding]")[0]) if page.select("[data-finding]") else ""
    assert finding in (root.findtext(f"{SVG}title") or "").replace("\xa0", " ")
    style = root.findtext(f"{SVG}style") or ""
    assert re.search(r"(fill|stroke):#[0-9a-f]{6}", style)
    assert "var(" not in style


def test_the_metric_sets_of_an_entry(client: Client, entry: Submission) -> None:
    check(client, f"/entries/{entry.entry_id}/metrics/", "figure.plot", "metrics.svg")


def test_the_metric_sets_of_a_board(client: Client, alice: User, entry: Submission) -> None:
    published(alice, entry.release, "Other", dict.fromkeys(TASKS, 25.0))
    check(client, "/board/hf/metrics/?task=passkey", "figure.plot", "metrics.svg")


def test_the_profile_of_a_model(client: Client, entry: Submission) -> None:
    check(client, "/models/model/", "figure[data-chart=profile]", "profile.svg")
    for query in ("?board=nowhere", "?board=hf&metric_set=luck"):
        assert client.get(f"/models/model/profile.svg{query}").status_code == 404


def test_the_curves_of_a_ladder(client: Client, alice: User, db: None) -> None:
    release = ladder_release()
    for window in LENGTHS:
        reader(alice, release, f"Reader {window}", window)
    check(client, "/releases/steps/lengths/?task=kv_retrieval", "figure.decay", "curves.svg")


def test_a_hidden_release_has_none_of_them(client: Client, entry: Submission) -> None:
    Release.objects.update(hidden=True)
    for path in (
        f"/entries/{entry.entry_id}/metrics.svg",
        "/board/hf/metrics.svg",
        "/models/model/profile.svg?board=hf",
        "/releases/hf/lengths/curves.svg",
    ):
        assert client.get(path).status_code == 404
