"""The way of an author: sign up, hand in, read the scores."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sites import Site

SOON = 20_000  # milliseconds; only a failing test waits so long


def sign_up(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill(name)
    page.get_by_label("E-mail address").fill(f"{name}@example.org")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()


def describe_model(page: Page, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Organisation").fill("The authors")


@pytest.fixture
def paper(site: Site, data: Path) -> None:
    site.manage("import_release", data / "gold" / "paper", "--slug", "paper", "--title", "Paper")


@pytest.mark.usefixtures("paper")
def test_an_author_signs_up_hands_in_a_folder_and_reads_the_scores(
    site: Site, page: Page, data: Path, tell: Callable[[str], None]
) -> None:
    sign_up(page, "ada")
    page.goto("/submit/")
    page.get_by_label("Or a folder").set_input_files(data / "results" / "gpt4")
    page.get_by_label("Release").select_option(label="Paper")
    describe_model(page, "GPT-4")
    page.get_by_label("Math.Calc answers repeat").check()
    web, begun = site.web_seconds(), time.perf_counter()
    page.get_by_role("button", name="Upload and score").click()
    expect(page.get_by_role("heading", name="Scores")).to_be_visible(timeout=SOON)
    seconds, web = time.perf_counter() - begun, site.web_seconds() - web
    tell(f"GPT-4's files from click to scores: {seconds:.2f} s, the web's share {web:.2f} s")
    row = page.get_by_role("row", name="Math.Find")
    expect(row).to_contain_text("60.00")
    assert web < 1
