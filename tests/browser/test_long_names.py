"""Names as long as the form takes, without a space: they break, and no page scrolls sideways."""

from playwright.sync_api import Page, expect

from tests.browser.people import (
    fill_in,
    publish_as_reviewer,
    request_publication,
    send,
    sign_in,
    sign_out,
    sign_up,
)
from tests.support.servers import Site

NAME = "W" * 120
WIDE, PHONE = 1280, 390  # pixels
_SCROLLS = """() => [
    document.documentElement,
    ...document.querySelectorAll("main .table-scroll:not([data-wide])"), // by figures, not names
].some((box) => box.scrollWidth > box.clientWidth)"""


def wide_pages(page: Page, *addresses: str) -> list[str]:
    """Those where the page or a table in it scrolls sideways."""
    found = []
    for width in (PHONE, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        for address in addresses:
            page.goto(address)
            if page.evaluate(_SCROLLS):
                found.append(f"{address} at {width}")
    return found


def test_a_long_name_widens_no_page(site: Site, page: Page) -> None:
    sign_up(page, "mary")
    fill_in(page, site.state / "demo-samples", release="Short texts", model=NAME)
    page.get_by_label("Organisation").fill("W" * 120)
    send(page)
    mine = page.url
    request_publication(page)
    expect(page.get_by_text("in review").first).to_be_visible()
    assert wide_pages(page, mine, "/submissions/", "/my-models/", "/submit/") == []
    sign_out(page)
    publish_as_reviewer(page, site, NAME)
    board = "/board/synthetic-demo/"
    page.goto(board)
    entry = page.locator('a[href^="/entries/"]').first.get_attribute("href") or ""
    page.goto(entry)
    model = page.locator('a[href^="/models/"]').first.get_attribute("href") or ""
    assert wide_pages(page, board, entry, model) == []
    sign_in(page, site, "reviewer")
    assert wide_pages(page, f"/review/{mine.rstrip('/').rpartition('/')[2]}/", "/review/") == []
