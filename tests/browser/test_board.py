"""What can be chosen on a board, with a mouse and on a phone."""

from playwright.sync_api import Page, expect

BOARD = "/board/synthetic-demo/"


def test_on_a_phone_it_is_folded_away_and_elsewhere_in_sight(page: Page) -> None:
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


def test_its_address_says_what_was_chosen_and_nothing_else(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{BOARD}?set=strict")
    page.get_by_role("searchbox").fill("reader")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url(f"**{BOARD}?set=strict&q=reader")


def test_no_page_moves_the_bar(page: Page) -> None:
    """Nor the beginning of what it shows."""
    page.set_viewport_size({"width": 1920, "height": 900})
    edges = set()
    for address in (BOARD, "/tasks/", "/about/", "/releases/", "/accounts/login/"):
        page.goto(address)
        for start in (".bar .name", "h1", ".foot p"):
            box = page.locator(start).first.bounding_box()
            assert box
            edges.add(round(box["x"]))
    assert len(edges) == 1
