"""Two entries are chosen in a form and compared; each difference leads to its claim."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.support.servers import Site


def broken_rules(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_entries_are_compared_and_a_claim_is_opened(
    site: Site, page: Page, width: int, theme: str
) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/compare/?release=synthetic-demo")
    assert broken_rules(page) == []
    page.locator("select[name=a]").select_option(index=1)
    page.locator("select[name=b]").select_option(index=2)
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector(".compare-table")
    assert page.locator("tr[data-column]").count() > 1
    assert broken_rules(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("tr[data-column] a[href^='/claims/']").first.click()
    page.wait_for_selector("[data-claim]")
    assert broken_rules(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
