"""A new version: it starts with the files of the last one, and the page says what it will have."""

import json
import os
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.people import fill_in, send, sign_in
from tests.support.servers import Site

RELEASE = "Short texts"


def holds(page: Page) -> Locator:
    return page.locator("[data-holds]")


def new_version(page: Page) -> None:
    page.get_by_role("link", name="Submit a new version").click()
    expect(page.get_by_role("heading", name="Submit predictions")).to_be_visible()


def kept_rows(page: Page) -> Locator:
    return page.locator("[data-kept] tbody tr")


def fates(page: Page) -> dict[str, int]:
    found = [row.get_attribute("data-fate") for row in kept_rows(page).all()]
    return {str(fate): found.count(fate) for fate in set(found)}


def corrected(folder: Path, place: Path) -> Path:
    """The file of one task, with other answers."""
    lines = (folder / "preds_kv_retrieval.jsonl").read_text().splitlines()
    rows = map(json.loads, lines)
    place.write_text("".join(json.dumps(row | {"prediction": "none"}) + "\n" for row in rows))
    return place


def test_a_version_replaces_one_task_and_leaves_out_another(
    site: Site, page: Page, tmp_path: Path
) -> None:
    sign_in(page, site, "author")
    folder = site.state / "demo-samples"
    fill_in(page, folder, release=RELEASE, model="Versioned Model")
    send(page)
    first = page.url
    new_version(page)
    expect(kept_rows(page)).to_have_count(12)
    expect(holds(page)).to_contain_text("12")
    file = corrected(folder, tmp_path / "preds_kv_retrieval.jsonl")
    page.get_by_label("Choose files").set_input_files(file)
    expect(page.locator("[data-fate=replaced]")).to_have_count(1)
    expect(page.locator("[data-fate=replaced]")).to_contain_text("Retrieve.KV")
    page.locator("[data-kept]").get_by_label("Math.Calc").uncheck()
    assert fates(page) == {"kept": 10, "replaced": 1, "dropped": 1}
    expect(holds(page)).to_contain_text("11")
    picture(page, "form")
    send(page)
    assert page.url != first
    expect(page.locator("[data-version='2']")).to_be_visible()
    expect(page.locator("#kept-tasks [data-from='1']")).to_contain_text("10 tasks")
    expect(page.locator("#kept-tasks [data-from='']")).to_contain_text("Retrieve.KV")
    expect(page.locator("dd[data-file]")).to_have_count(2)
    expect(page.locator("dd[data-kept]")).to_contain_text("version 1")
    expect(page.get_by_role("row", name="Retrieve.KV").first).to_contain_text("0.00")
    expect(page.get_by_role("row", name="Math.Calc")).not_to_contain_text("100.00")
    picture(page, "page")


def test_without_javascript_a_setting_is_changed_without_an_upload(
    chromium: Browser, site: Site, page: Page
) -> None:
    sign_in(page, site, "author")
    fill_in(page, site.state / "demo-samples", release=RELEASE, model="Reset Model")
    send(page)
    context = chromium.new_context(
        base_url=site.address,
        java_script_enabled=False,
        storage_state=page.context.storage_state(),
    )
    plain = context.new_page()
    plain.goto(page.url)
    new_version(plain)
    expect(holds(plain)).to_contain_text("12")
    plain.get_by_label("Prompt strategy").fill("few-shot")
    plain.get_by_role("button", name="Upload and score").click()
    expect(plain.locator("[data-version='2']")).to_be_visible()
    expect(plain.locator("dd[data-kept]")).to_have_count(1)
    context.close()
    page.goto("/submissions/")
    expect(page.get_by_role("link", name="Reset Model").first).to_be_visible()


def picture(page: Page, name: str) -> None:
    folder = os.environ.get("PICTURES")
    if not folder:
        return
    for width in (1440, 390):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
