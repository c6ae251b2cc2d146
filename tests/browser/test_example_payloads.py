"""Texts of others are only texts: payloads in every field of examples and answers, in filters and
searches, on every page about examples."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

from tests.browser.people import sign_in
from tests.support.hostile import SLUG, TASK, write_release
from tests.support.payloads import PAYLOADS, pieces
from tests.support.servers import Site

LIST = f"/examples/{SLUG}/{TASK}"
# Elements and attributes that no template of ours has.
_FOREIGN = r"""() => [...document.querySelectorAll("*")].filter((one) =>
    one.matches("iframe, object, embed, base, math, marquee, animate, video, audio, style")
    || one.matches("script:not([src^='/static/']), img:not([src^='/']), svg script, noscript")
    || [...one.attributes].some(({ name, value }) =>
        /^(on|hx-|data-hx|srcdoc|formaction|style)/.test(name)
        || /^(href|src|action|xlink:href)$/.test(name)
            && /^\s*(javascript|vbscript|data|(https?:)?\/\/x\.invalid)/i.test(value))
).map((one) => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def hostile(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = write_release(tmp_path_factory.mktemp("hostile"))
    title = "<script>alert(1)</script>"
    site.manage("import_release", folder, "--slug", SLUG, "--title", title)
    for what in ("store_answers", "store_notes"):
        site.manage("shell", "-c", f"from tests.support.hostile import {what}; {what}()")
    return site


@pytest.fixture
def page(chromium: Browser, hostile: Site) -> Iterator[Page]:
    """No dialog, and no complaint, as of a breach of the CSP, but that a filter is wrong
    and JSON has no icon."""
    found: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        found.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def listen(message: ConsoleMessage) -> None:
        is_expected = "400 (Bad Request)" in message.text or message.location.get(
            "url", ""
        ).endswith("/favicon.ico")
        if message.type in ("error", "warning") and not is_expected:
            found.append(message.text)

    context = chromium.new_context(base_url=hostile.address, reduced_motion="reduce")
    visitor = context.new_page()
    visitor.on("dialog", dismiss)
    visitor.on("console", listen)
    visitor.on("pageerror", lambda error: found.append(str(error)))
    yield visitor
    context.close()
    assert found == []


def visit(page: Page, address: str) -> list[str]:
    """What is on the page that we did not make."""
    page.goto(address)
    return [f"{address}: {one}" for one in page.evaluate(_FOREIGN)]


def test_no_payload_is_more_than_text(page: Page) -> None:
    assert len(PAYLOADS) > 100
    found = [*visit(page, "/examples/"), *visit(page, f"{LIST}/")]
    assert page.locator("tr[data-key]").count() == len({*pieces(120)})
    first = page.locator("tr[data-key] th a").first.get_attribute("href") or ""
    found += visit(page, f"{LIST}/?words=alert")
    assert page.locator("td.answer").count()
    entries = page.locator("thead th a").evaluate_all("all => all.map((one) => one.pathname)")
    opened = [("entry", one.strip("/").rpartition("/")[2]) for one in entries[:4]]
    for number in (1, 2):
        found += visit(page, f"{first}?{urlencode([*opened, ('page', number)])}")
        assert page.locator("article.opened").count() == len(opened)
    for piece in pieces(200):
        found += visit(page, f"{first}?{urlencode({'find': piece, 'q': piece, 'go': piece})}")
        found += visit(page, f"{LIST}/contexts?{urlencode({'q': piece})}")
    for piece in pieces(500):
        found += visit(page, f"{LIST}/?{urlencode({'words': piece})}")
    assert found == []


def test_no_payload_is_more_than_text_as_data(page: Page) -> None:
    example = page.request.get(f"{LIST}.json").json()["examples"][0]["url"].rstrip("/")
    for address, kind in (
        (f"{example}.json", "application/json"),
        (f"{example}.md", "text/markdown"),
    ):
        answer = page.request.get(address)
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["x-content-type-options"] == "nosniff"
    page.goto(f"{example}.json?tokens=2000")
    assert page.locator("body > :not(pre, div)").count() == 0


def test_no_payload_in_a_note_is_more_than_text(page: Page, hostile: Site) -> None:
    """Nor in what else reviewers see of examples."""
    sign_in(page, hostile, "reviewer")
    found = visit(page, f"{LIST}/?is=noted")
    chip = page.locator("tr[data-key] .chip").first.get_attribute("href") or ""
    first, opened = chip.partition("?")[0], list[tuple[str, str]]()
    for number in range(1, 9):  # of the pages with all answers
        found += visit(page, f"{first}?{urlencode({'page': number})}")
        ids = "all => all.map((one) => one.dataset.entry)"
        opened += [("entry", one) for one in page.locator("li[data-entry]").evaluate_all(ids)]
        if not page.locator(".answers nav [rel=next]").count():
            break
    on_page = 0
    while opened and on_page < 4 * len(PAYLOADS):
        query, opened = opened[:4], opened[4:]
        found += visit(page, f"{first}?{urlencode(query)}")
        on_page = page.locator("[data-note]").count()
    assert on_page == 4 * len(PAYLOADS)
    assert page.locator(".note .text a").count() == 0
    assert found == []


def test_a_note_of_payloads_is_edited_as_text(page: Page, hostile: Site) -> None:
    """What comes back into the form, and what is shown after it was sent."""
    sign_in(page, hostile, "reviewer")
    example = page.request.get(f"{LIST}.json").json()["examples"][-1]["url"]
    page.goto(example)
    page.locator("details.notes > summary").first.click()
    for piece in pieces(3_900):
        page.locator("details.notes textarea").first.fill(piece)
        page.get_by_role("button", name="Save note").first.click()
        page.locator("[data-note]").first.wait_for()
        assert page.evaluate(_FOREIGN) == []
        found = visit(
            page, page.locator("[data-note] a[href*='/edit/']").last.get_attribute("href") or ""
        )
        assert found == []
        page.get_by_role("button", name="Save note").click()
        page.locator("[data-note]").first.wait_for()


def test_no_payload_in_the_queue_of_examples_is_more_than_text(page: Page, hostile: Site) -> None:
    sign_in(page, hostile, "reviewer")
    found = visit(page, f"/review/examples/?{urlencode({'release': SLUG, 'task': TASK})}")
    for piece in pieces(200):
        found += visit(page, f"/review/examples/?{urlencode({'release': piece, 'task': piece})}")
    assert found == []
