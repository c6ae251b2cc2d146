"""What the released files are known to show can be read off the pages."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.servers import Site

GPT4, KIMI = "GPT-4 (1106-preview)", "Kimi-Chat"
FILES = {
    GPT4: ("gpt4", "code_run", "math_find", "code_debug", "code_debug_step_by_step"),
    KIMI: ("kimi", "kv_retrieval", "longbook_qa_chn"),
}


@pytest.fixture(scope="module")
def imported(site: Site, real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site with those released files that take no time to score."""
    for model, (name, *tasks) in FILES.items():
        folder = tmp_path_factory.mktemp(name)
        for task in tasks:
            shutil.copy(real_data / "results" / name / f"preds_{task}.jsonl", folder)
        site.manage("import_historical", folder, "--model", model)
    return site


def open_entry(page: Page, model: str) -> None:
    """From the page of reproduced results, where each model is a link."""
    page.goto("/reproduction/")
    page.locator("#acl-2024").get_by_role("link", name=model, exact=True).click()


def scores(page: Page, task: str, by: str) -> list[float]:
    """Of a breakdown, as its table has them."""
    figure = page.locator(f'figure[data-task="{task}"][data-by="{by}"]')
    figure.get_by_text("Table", exact=True).click()
    cells = figure.locator("tbody tr > td:first-of-type").all_inner_texts()
    return [float(cell) for cell in cells]


def finding(page: Page, task: str, by: str) -> str:
    return page.locator(f'figure[data-task="{task}"][data-by="{by}"] [data-finding]').inner_text()


def test_kimi_finds_values_near_the_end(imported: Site, page: Page) -> None:
    open_entry(page, KIMI)
    by_tenths = [2, 26, 30, 48, 44, 46, 74, 86, 80, 100]
    assert scores(page, "kv_retrieval", "depth") == by_tenths
    assert "0.001" in finding(page, "kv_retrieval", "depth")


def test_gpt_4_loses_the_thread_after_a_few_calls(imported: Site, page: Page) -> None:
    open_entry(page, GPT4)
    by_hops = [63.75, 35, 7.5, 8.75, 1.25]
    assert scores(page, "code_run", "hops") == pytest.approx(by_hops, abs=0.051)


def test_gpt_4_finds_extremes_but_no_third_and_no_median(imported: Site, page: Page) -> None:
    open_entry(page, GPT4)
    assert scores(page, "math_find", "kind") == [100, 98, 44, 100, 52, 8, 18]


def test_context_recalling_stands_beside_step_by_step(imported: Site, page: Page) -> None:
    open_entry(page, GPT4)
    page.get_by_role("link", name=GPT4, exact=True).first.click()
    row = page.locator('[data-strategies] [data-task="code_debug"]')
    assert "37.06" in row.inner_text()
    assert "15.74" in row.inner_text()


def test_reproduced_numbers_are_the_paper_s(imported: Site, page: Page) -> None:
    """Differences of the first version have their reason; a file that misses rows is named."""
    page.goto("/reproduction/")
    acl = page.locator("#acl-2024 [data-equal]")
    assert acl.get_attribute("data-equal") == acl.get_attribute("data-checked") == "5"
    assert page.locator("#arxiv-v1 [data-reason=never-released]").count() == 1
    assert page.locator("#arxiv-v1 [data-reason=earlier-answers]").count() == 1
    assert "16.61" in page.locator("main").inner_text()
