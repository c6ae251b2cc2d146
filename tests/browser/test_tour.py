"""The tour of the README, step by step, by the names that it gives."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import sign_in, sign_out
from tests.browser.readme import LADDER, named_in_the_tour, tour
from tests.support.databases import open_folder
from tests.support.paths import ROOT
from tests.support.servers import Site, started

MODEL = "Any name I like"
SMALL = ("--tokens", "4000,12000,40000", "--synthetic", "4", "--realistic", "1")

fresh_folder = pytest.fixture(open_folder, scope="module")


@pytest.fixture(scope="module")
def site(fresh_folder: Path, prepared: Path) -> Iterator[Site]:
    """A fresh demo."""
    with started(fresh_folder / "demo", prepared) as running:
        yield running


def test_the_tour(site: Site, page: Page) -> None:
    (submit, folder, release, send, ask, unknown, answer, request, review, publish, shown_on) = (
        named_in_the_tour()[:LADDER]
    )
    sign_in(page, site, "author")
    page.get_by_role("link", name=submit, exact=True).click()
    page.get_by_label(folder).set_input_files(site.state / "demo-samples")
    page.get_by_label(release).check()
    page.get_by_label("Name", exact=True).fill(MODEL)
    page.get_by_role("button", name=send).click()
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()
    overall = page.get_by_role("row", name="Overall").first.inner_text()
    page.get_by_role("link", name=ask).click()
    page.get_by_label(unknown).check()
    page.get_by_label(answer, exact=True).check()
    page.get_by_role("button", name=request).click()
    sign_out(page)
    sign_in(page, site, "reviewer")
    page.get_by_role("link", name=review, exact=True).click()
    page.get_by_role("link", name=MODEL).first.click()
    page.get_by_label("Reason").fill("As the tour says.")
    page.get_by_role("button", name=publish).click()
    expect(page.locator(".messages")).to_contain_text("published")
    page.goto("/")
    page.locator(".board-bar summary", has_text="InfiniteBench").first.click()
    page.locator(".board-bar").get_by_role("link", name=shown_on).click()
    expect(page.locator("table.board-table")).to_contain_text(MODEL)
    for mean in scored_at_home(site).values():
        assert f"{mean:.2f}" in overall


def scored_at_home(site: Site) -> dict[str, float]:
    """The overall means that the last step's command finds, with the demo in its own folder."""
    command = re.findall(r"^ +(\.venv\S+ -m scoring .+)$", tour(), re.MULTILINE)[0]
    here = command.replace("demo-samples", f"{site.state}/demo-samples")
    words = shlex.split(here.replace(".demo/", f"{site.state}/"))
    words[0] = str(ROOT / words[0])
    done = subprocess.run([*words, "--json", "-"], capture_output=True, text=True, check=True)
    means: dict[str, float] = json.loads(done.stdout[done.stdout.index("{") :])["overall"]
    return means


def test_on_the_ladder_a_reader_with_a_larger_window_ranks_higher(site: Site, page: Page) -> None:
    site.manage("prepare_ladder", *SMALL)
    page.goto("/board/ladder/?set=strict")
    expect(page.get_by_role("heading", level=1)).to_contain_text(named_in_the_tour()[LADDER])
    names = page.locator("table.board-table th.model a").all_inner_texts()
    assert [name.split(", ")[1] for name in names if "Reference" in name] == [
        "131,072 tokens", "32,768 tokens", "8,192 tokens"
    ]  # fmt: skip
    site.manage("prepare_ladder", *SMALL)  # is done, and changes nothing
    page.goto("/board/ladder/")
    assert page.locator("table.board-table th.model a").count() == len(names)
