"""A long context is read and searched in a browser, and no character of it is lost."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.test_comparison import wrong_on
from tests.support.servers import Site

# Lines that differ, with characters of one to four bytes, some from right to left, and some that
# nobody sees.
LINES = [
    f"{number}: Öl und 他的书 𝄞 <b>&amp;</b> مرحبا{chr(0x202E) * (number % 9 == 0)} "
    + "lantern and harbour " * (number % 5)
    for number in range(1_500)
]
TEXT = "\n".join(LINES)
EVIDENCE = LINES[900][:20]
MOST = 14  # windows in the document, as in context.js
# What is loaded, with the characters in place of their signs.
LOADED = """text => {
  const copy = text.cloneNode(true);
  for (const sign of copy.querySelectorAll("i.control")) {
    sign.replaceWith(String.fromCodePoint(parseInt(sign.dataset.code, 16)));
  }
  return copy.textContent;
}"""
# The text of this page as the server sends it.
SENT = """async () => {
  const page = await (await fetch(location.href)).text();
  const text = new DOMParser().parseFromString(page, "text/html").querySelector("[data-text] > *");
  text.querySelector("[data-anchor]").remove();
  text.normalize();
  return text.innerHTML;
}"""


@pytest.fixture(scope="module")
def address(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of an example of code, whose lines are numbered."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "facets").mkdir()
    start = TEXT.index(EVIDENCE)
    row = {"id": 0, "context": TEXT, "input": "Which?", "answer": [1], "options": []}
    facets = {"id": 0, "evidence": [[start, start + len(EVIDENCE)]], "kind": "", "hops": 2}
    for place, one in ((folder, row), (folder / "facets", facets)):
        (place / "code_run.jsonl").write_text(json.dumps(one) + "\n", encoding="utf-8")
    site.manage("import_release", folder, "--slug", "looked-into", "--title", "Looked into")
    return "/examples/looked-into/code_run/0/"


def open_context(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address)
    page.locator("[data-context=ready]").wait_for()


def loaded(page: Page) -> tuple[int, int]:
    """The characters of the text that are in the document, without a gap."""
    text: str = page.locator("[data-text]").evaluate(LOADED)
    start = TEXT.find(text)
    assert text
    assert start >= 0, text[:300]
    return start, start + len(text)


def test_scrolling_through_a_context_drops_no_text(page: Page, address: str) -> None:
    open_context(page, f"{address}?at=0")
    pane, blocks = page.locator("[data-pane]"), page.locator("[data-text] > span")
    seen, most = 0, 0
    while seen < len(TEXT):
        last = str(blocks.last.get_attribute("data-to"))  # before ``end``: more may arrive between
        start, end = loaded(page)
        assert start <= seen
        seen, most = end, max(most, blocks.count())
        pane.evaluate("pane => pane.scrollBy(0, pane.scrollHeight)")
        if end < len(TEXT):
            expect(blocks.last).not_to_have_attribute("data-to", last)
    assert most == MOST
    assert loaded(page)[0] > 0  # far ones are dropped
    for _ in range(3):  # and back
        first = str(blocks.first.get_attribute("data-from"))
        start, end = loaded(page)
        assert end >= seen
        seen = start
        pane.evaluate("pane => pane.scrollTo(0, 0)")
        expect(blocks.first).not_to_have_attribute("data-from", first)
    assert blocks.count() == MOST


def test_a_context_opens_at_its_evidence(page: Page, address: str) -> None:
    open_context(page, address)
    evidence = page.locator("mark.evidence").first
    expect(evidence).to_be_in_viewport()
    assert evidence.inner_text().startswith("900:")
    expect(page.locator("i.line[data-line='901']")).to_have_count(1)
    assert wrong_on(page) == []


def test_a_script_shows_the_same_as_the_server(page: Page, address: str) -> None:
    open_context(page, f"{address}?at=0&find=HARBOUR+LANTERN")
    sent = str(page.evaluate(SENT)).replace("current ", "")
    page.locator("[data-pane]").press("Home")
    first = page.locator("[data-text] > span").first
    expect(page.locator("[data-text] [data-anchor]")).to_have_count(0)  # of the server alone
    shown = first.evaluate("block => (block.normalize(), block.innerHTML)")
    shown = str(shown).rpartition("\n")[0]
    assert shown.count('class="hit"') > 10
    assert sent.startswith(shown)


def test_places_are_searched_and_gone_to(page: Page, address: str) -> None:
    open_context(page, address)
    page.locator("#context-find").fill("900: öl")
    page.keyboard.press("Enter")
    expect(page.locator("[data-total-hits='1']")).to_be_visible()
    page.locator("#context-find").fill("harbour")
    page.keyboard.press("Enter")
    total = str(TEXT.count("harbour"))
    expect(page.locator(f"[data-total-hits='{total}']")).to_be_visible()
    number, current = page.locator("[data-hit-number]"), page.locator("mark.current")
    expect(number).to_have_text("1")
    for shown, direction in (("2", 1), ("3", 1), ("2", -1)):
        page.locator(f"[data-hit='{direction}']").click()
        expect(number).to_have_text(shown)
        expect(current).to_be_in_viewport()
    place = page.url
    for typed, unit, percent in (("50", "percent", "50.0"), ("1", "line", "0.0")):
        page.locator("[data-go] [name=go]").fill(typed)
        page.locator("[data-go] [name=unit]").select_option(unit)
        page.locator("[data-go] button").click()
        expect(page.locator("[data-percent]")).to_have_text(percent)
    page.go_back()
    page.go_back()
    expect(page).to_have_url(place)
    page.locator("[data-context=ready]:not([aria-busy])").wait_for()  # the one that was asked for
    expect(current).to_be_in_viewport()
    whole = page.locator("[data-map]")
    box = whole.bounding_box()
    assert box
    whole.click(position={"x": 9, "y": 0.75 * box["height"]})
    expect(page.locator("[data-percent]")).to_have_text(re.compile(r"7[45]\.\d"))
    loaded(page)


def test_a_window_that_comes_after_a_jump_leaves_no_gap(page: Page, address: str) -> None:
    open_context(page, f"{address}?at=0")
    asked: list[Route] = []

    def answer(route: Route) -> None:
        """The two windows of the jump wait for the next one; that one waits for this test."""
        asked.append(route)
        if len(asked) >= 3:
            for other in asked[:2] if len(asked) == 3 else [route]:
                other.continue_()

    page.route("**/context?*", answer)
    page.locator("[data-go] [name=go]").fill("75")
    page.locator("[data-go] [name=unit]").select_option("percent")
    page.locator("[data-go] button").click()
    page.locator("[data-pane]").evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
    expect(page.locator("[data-percent]")).to_have_text("75.0")
    with page.expect_response(asked[2].request.url):
        asked[2].continue_()
    expect(page.locator("[data-text] > span").nth(3)).to_be_attached()
    loaded(page)


def test_a_range_is_copied_as_it_is(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_context(page, f"{address}?at=0")
    page.locator(".context-copy summary").click()
    page.locator("[data-copy] [name=from]").fill("0")
    page.locator("[data-copy] [name=tokens]").fill("200000")
    page.locator("[data-copy-text]").click()
    expect(page.locator("[data-copy] output")).not_to_be_empty()
    assert page.evaluate("navigator.clipboard.readText()") == TEXT


def test_without_a_script_the_parts_of_a_context_are_pages(
    site: Site, chromium: Browser, address: str
) -> None:
    context = chromium.new_context(base_url=site.address, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}?at=0")
    first = page.locator("[data-text]").inner_text()
    page.locator("[data-pages] [rel=next]").click()
    second = page.locator("[data-text]").inner_text()
    assert first.startswith("0: Öl")
    assert second[:20] in TEXT
    page.locator("#context-find").fill("1499:")
    page.locator("[role=search] button").first.click()
    expect(page.locator("mark.current")).to_have_text("1499:")
    page.locator("[data-go] [name=go]").fill("901")
    page.locator("[data-go] [name=unit]").select_option("line")
    page.locator("[data-go] button").click()
    expect(page.locator("mark.evidence").first).to_be_visible()
    context.close()


def test_keys_lead_through_the_list_and_to_its_filter(page: Page, address: str) -> None:
    page.goto(address.removesuffix("0/"))
    page.keyboard.press("j")
    expect(page.locator("[data-stops] th a")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#q")).to_have_value("j")
    page.locator("[data-keys] summary").click()
    page.locator("[data-keys] input").uncheck()
    page.locator("[data-keys] summary").focus()
    page.keyboard.press("/")
    expect(page.locator("#q")).not_to_be_focused()
