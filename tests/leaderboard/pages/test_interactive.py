"""Plotly charts: opened by a link, under the same policy as every page, and nowhere else."""

import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.staticfiles import finders
from django.test import Client

from portal.models import Submission, User
from portal.web import plotly
from portal.web.plotly import plotly_style_ids
from tests.support import html
from tests.support.ladders import LENGTHS, ladder_release, reader

pytestmark = pytest.mark.django_db

LADDER = "/releases/steps/lengths/"
OWN = {"js/site.js"}
PLOTLY = {"plotly/plotly.min.js", "js/interactive.js"}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the package is installed, whether or not it is."""
    for module in ("leaderboard.releases.ladders", "leaderboard.comparison.views"):
        monkeypatch.setattr(f"{module}.plotly_style_ids", lambda: ("a" * 64,))


@pytest.fixture
def readers(alice: User) -> list[Submission]:
    release = ladder_release()
    return [reader(alice, release, f"Reader {window}", window) for window in reversed(LENGTHS)]


@pytest.fixture
def comparison(readers: list[Submission]) -> str:
    return f"/compare/?a={readers[0].entry_id}&b={readers[1].entry_id}"


def scripts(page: BeautifulSoup) -> set[str]:
    sources = (str(one["src"]) for one in page.select("script[src]"))
    return {one.removeprefix("/static/") for one in sources}


def figure(page: BeautifulSoup) -> Any:
    [found] = page.select("[data-interactive] script[type='application/json']")
    return json.loads(found.text)


def test_only_a_page_with_an_open_chart_loads_more_than_the_scripts_of_the_site(
    client: Client, readers: list[Submission], comparison: str
) -> None:
    for address, opened in (
        (LADDER, f"{LADDER}?interactive=1"),
        (comparison, f"{comparison}&interactive=1"),
    ):
        closed = html.page(client.get(address))
        assert scripts(closed) == OWN
        assert not closed.select("[data-interactive]")
        links = [str(one["href"]) for one in closed.select("[data-opens=chart]")]
        assert links == [f"?{opened.partition('?')[2]}#chart"]
        page = html.page(client.get(opened))
        assert scripts(page) == OWN | PLOTLY
        assert page.select(".plot svg, .compare-table svg")  # the static chart stays
    for address in ("/", "/board/steps/", f"/entries/{readers[0].entry_id}/"):
        assert scripts(html.page(client.get(address))) == OWN


def test_the_policy_is_that_of_every_page(client: Client, readers: list[Submission]) -> None:
    policy = client.get("/about/")["Content-Security-Policy"]
    assert client.get(f"{LADDER}?interactive=1")["Content-Security-Policy"] == policy
    assert "unsafe" not in policy


def test_the_chart_of_a_ladder_has_the_figures_of_its_files(
    client: Client, readers: list[Submission]
) -> None:
    found = figure(html.page(client.get(f"{LADDER}?interactive=1&entry={readers[1].entry_id}")))
    [entry] = json.loads(client.get(f"{LADDER}curves.json?entry={readers[1].entry_id}").content)[
        "entries"
    ]
    [curve] = [one for one in found["data"] if "text" in one]
    assert curve["x"] == [point["tokens"] for point in entry["points"]]
    assert curve["y"] == [point["mean"] for point in entry["points"]]
    assert all("Reader 16000" in text for text in curve["text"])
    assert found["layout"]["xaxis"]["ticktext"] == ["4K", "16K", "64K"]
    others, band = (one for one in found["data"] if "text" not in one)
    assert (others["legendgroup"], band["legendgroup"]) == ("", curve["legendgroup"])


def test_the_chart_of_a_comparison_has_its_scores(client: Client, comparison: str) -> None:
    found = figure(html.page(client.get(f"{comparison}&interactive=1")))
    names = [one["name"] for one in found["data"]]
    assert names == ["Reader 64000", "Reader 16000"]
    rows = found["layout"]["yaxis"]["ticktext"]
    page = html.page(client.get(comparison))
    assert len(rows) == len(page.select(".compare-table tr[data-column]"))
    assert all(len(one["x"]) == len(one["text"]) == len(rows) for one in found["data"])


def test_without_the_package_there_is_no_such_chart(
    client: Client, readers: list[Submission], comparison: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("leaderboard.releases.ladders", "leaderboard.comparison.views"):
        monkeypatch.setattr(f"{module}.plotly_style_ids", lambda: None)
    for address in (f"{LADDER}?interactive=1", f"{comparison}&interactive=1"):
        page = html.page(client.get(address))
        assert scripts(page) == OWN
        assert not page.select("[data-opens=chart]")


def test_a_claim_does_not_depend_on_the_chart(client: Client, comparison: str) -> None:
    page = html.page(client.get(f"{comparison}&interactive=1"))
    claims = [str(one["href"]) for one in page.select("a[href^='/claims/']")]
    assert claims
    assert not [one for one in claims if "interactive" in one]


@pytest.mark.skipif(plotly_style_ids() is None, reason="NO PLOTLY: the package is not installed")
def test_the_script_comes_from_the_package_and_nothing_else_of_it() -> None:
    found = finders.find("plotly/plotly.min.js")
    assert found is not None
    assert found.endswith("package_data/plotly.min.js")
    assert [name for name, _ in plotly.PlotlyFinder().list([])] == ["plotly.min.js"]
    assert len(plotly_style_ids() or ()) == 1
