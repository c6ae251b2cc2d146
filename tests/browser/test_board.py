"""What can be chosen on a board, with a mouse and on a phone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.servers import Site

BOARD = "/board/synthetic-demo/"


def test_filters_are_collapsed_on_a_phone_and_open_on_wide_screens(page: Page) -> None:
    search, summary = page.get_by_role("searchbox"), page.locator(".board-choices > summary")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(BOARD)
    expect(search).to_be_visible()
    expect(summary).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(BOARD)
    expect(search).to_be_hidden()
    summary.click()
    expect(search).to_be_visible()


def test_choices_apply_at_once_and_the_url_contains_only_them(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{BOARD}?set=strict")
    expect(page.get_by_role("button", name="Apply")).to_be_hidden()
    search = page.get_by_role("searchbox")
    search.press_sequentially("reader")
    page.wait_for_url(f"**{BOARD}?set=strict&q=reader")
    expect(page.locator("[data-found]")).to_be_visible()
    expect(search).to_be_focused()
    page.go_back()
    page.wait_for_url(f"**{BOARD}?set=strict")
    expect(page.locator("[data-found]")).to_have_count(0)


def test_a_facet_stays_open_while_its_values_are_chosen(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(BOARD)
    facet = page.locator('[data-facet="more"]')
    facet.locator("summary").click()
    facet.get_by_role("radio").last.check()
    page.wait_for_url(f"**{BOARD}?entries=all")
    expect(facet.get_by_role("radio").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(facet.get_by_role("radio").last).to_be_hidden()


def test_filters_work_without_a_script(chromium: Browser, site: Site) -> None:
    context = chromium.new_context(base_url=site.address, java_script_enabled=False)
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{BOARD}?set=strict")
    page.get_by_role("searchbox").fill("reader")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(f"**{BOARD}?set=strict&q=reader")
    page.get_by_role("link", name="Show all entries").click()
    page.wait_for_url(f"**{BOARD}?set=strict")
    context.close()


def test_the_bar_has_the_same_position_on_all_pages_and_text_is_centred(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 900})
    edges = set()
    for address in (BOARD, "/tasks/", "/about/", "/releases/", "/accounts/login/"):
        page.goto(address)
        for start in (".bar .name", ".foot p"):
            box = page.locator(start).first.bounding_box()
            assert box
            edges.add(round(box["x"]))
        content = page.locator(".page").first.bounding_box()
        assert content
        assert content["x"] == pytest.approx(1920 - content["x"] - content["width"], abs=1)
    assert len(edges) == 1
