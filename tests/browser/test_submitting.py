"""The journey of an author: sign up, submit, read the scores."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import fill_in, send, sign_up
from tests.support.servers import Site


@pytest.fixture
def paper(site: Site, real_data: Path) -> None:
    site.manage(
        "import_release", real_data / "gold" / "paper", "--slug", "paper", "--title", "Paper"
    )


@pytest.mark.usefixtures("paper")
def test_an_author_signs_up_submits_a_folder_and_reads_the_scores(
    site: Site, page: Page, real_data: Path, summary_line: Callable[[str], None]
) -> None:
    sign_up(page, "edith")
    fill_in(page, real_data / "results" / "gpt4", release="Paper", model="GPT-4")
    page.get_by_label("Math.Calc answers repeat").check()
    web, begun = site.web_seconds(), time.perf_counter()
    send(page)
    seconds, web = time.perf_counter() - begun, site.web_seconds() - web
    summary_line(
        f"GPT-4's files from click to scores: {seconds:.2f} s, the web's share {web:.2f} s"
    )
    expect(page.get_by_role("row", name="Math.Find")).to_contain_text("60.00")
    expect(page.get_by_role("row", name="En.MC")).to_contain_text("67.25")
    assert web < 5  # as promised for any upload
