"""Notes and reports of labels in a browser: by keyboard, without JavaScript, accessible."""

from playwright.sync_api import Browser, Dialog, Page, expect

from tests.browser.people import sign_in
from tests.browser.test_accessible import look_at
from tests.support.planted import SLUG, TASK
from tests.support.servers import Site


def open_first_example(page: Page) -> None:
    """With three answers opened."""
    page.goto(f"/examples/{SLUG}/{TASK}/")
    page.locator("tbody th a:visible").first.click()
    ids = page.locator("li[data-entry]").evaluate_all("all => all.map((one) => one.dataset.entry)")
    page.goto(f"{page.url.partition('?')[0]}?{'&'.join(f'entry={one}' for one in ids[:3])}")
    expect(page.locator("article.opened")).to_have_count(3)


def write_note(page: Page, place: int, text: str) -> None:
    notes = page.locator("details.notes").nth(place)
    if notes.get_attribute("open") is None:
        notes.locator("summary").click()
    notes.locator("textarea").fill(text)
    notes.get_by_role("button", name="Save note").click()
    expect(notes.locator(".note .text").last).to_contain_text(text[:3])


def test_a_note_is_written_edited_and_removed_by_keyboard(page: Page, planted: Site) -> None:
    sign_in(page, planted, "reviewer")
    open_first_example(page)
    notes = page.locator("#notes")
    notes.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(notes.get_by_label("New note on this question")).to_be_focused()
    page.keyboard.type("By keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(notes.locator(".note .text")).to_have_text("By keyboard")
    notes.get_by_role("link", name="Edit your note").press("Enter")
    page.get_by_label("Note", exact=True).fill("Edited")
    page.get_by_role("button", name="Save note").press("Enter")
    expect(notes.locator(".note .text")).to_have_text("Edited")
    notes.get_by_role("button", name="Remove the note").press("Enter")
    expect(notes.locator(".note .text")).to_have_count(0)


def test_what_is_typed_is_not_lost_without_asking(page: Page, planted: Site) -> None:
    sign_in(page, planted, "reviewer")
    open_first_example(page)
    page.locator("#notes summary").click()
    page.locator("#notes textarea").fill("half a thought")
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.get_by_role("link", name="Tasks", exact=True).first.click()
    page.wait_for_url("**/tasks/")
    assert asked == ["beforeunload"]


def test_a_note_needs_no_javascript(chromium: Browser, planted: Site) -> None:
    context = chromium.new_context(base_url=planted.address, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, planted, "reviewer")
    open_first_example(page)
    write_note(page, 1, "Without a script")
    expect(page.locator("article.opened").first.locator(".note")).to_have_count(1)
    context.close()


def test_notes_and_reports_are_accessible(page: Page, planted: Site) -> None:
    sign_in(page, planted, "reviewer")
    open_first_example(page)
    write_note(page, 0, "Odd:\n\na question")
    write_note(page, 2, "Odd answer")
    edit = page.locator("[data-note] a[href*='/edit/']").first.get_attribute("href") or ""
    report = page.locator("a[data-report]").get_attribute("href") or ""
    pages = (
        page.url,
        edit,
        report,
        "/review/labels/",
        f"/examples/{SLUG}/{TASK}/?is=noted",
        "/review/examples/",
    )
    assert [wrong for address in pages for wrong in look_at(page, address)] == []
