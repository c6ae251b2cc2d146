"""A dispute in a browser: filed by one reviewer, decided by another, and read by everybody."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.people import sign_in
from tests.browser.test_accessible import look_at
from tests.support.planted import SLUG, TASK
from tests.support.servers import Site

REASON = "The context has another answer in its last chapter."


def open_example(page: Page, place: int) -> str:
    """Its address."""
    page.goto(f"/examples/{SLUG}/{TASK}/")
    page.locator("tbody th a:visible").nth(place).click()
    return page.url


def file_dispute(page: Page, place: int) -> tuple[str, str]:
    """The addresses of the example and of the dispute."""
    example = open_example(page, place)
    page.get_by_role("link", name="Dispute this label").click()
    page.get_by_label("The question cannot be answered: leave it out").check()
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="File the dispute").click()
    expect(page.locator("[data-code=own_dispute]")).to_be_visible()
    return example, page.url


def test_a_dispute_is_filed_decided_and_shown_without_javascript(
    chromium: Browser, planted: Site
) -> None:
    context = chromium.new_context(base_url=planted.address, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, planted, "reviewer")
    example, dispute = file_dispute(page, 0)
    context.clear_cookies()
    sign_in(page, planted, "admin")
    page.goto(dispute)
    expect(page.locator("tr[data-entry]").first).to_be_visible()
    page.get_by_label("Question ambiguous").check()
    page.get_by_label("Reason").fill("Two answers fit.")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("link", name="proposed data set").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the data set").click()
    assert download.value.suggested_filename == f"{TASK}.jsonl"
    context.clear_cookies()
    page.goto(example)
    expect(page.locator("[data-state=ambiguous]")).to_contain_text("Two answers fit.")
    context.close()


def test_disputes_are_accessible(page: Page, planted: Site) -> None:
    sign_in(page, planted, "reviewer")
    open_example(page, 1)
    form = page.locator("a[data-dispute]").get_attribute("href") or ""
    example, dispute = file_dispute(page, 2)
    pages = (example, dispute, form, "/disputes/")
    assert [wrong for address in pages for wrong in look_at(page, address)] == []
