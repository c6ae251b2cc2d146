"""Two published entries are compared, a difference leads to its claim, and a page says where one
fails."""

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.people import (
    fill_in,
    publish_as_reviewer,
    request_publication,
    send,
    sign_out,
    sign_up,
)
from tests.browser.test_accessible import COLOURS, RULES
from tests.browser.test_whole_way import worse_than
from tests.support.servers import Site

RELEASE = "Answers to compare"
MODELS = ("Compared Better", "Compared Worse")


def publish_two(site: Site, page: Page, folder: Path) -> None:
    """Unless another test has done so."""
    if page.request.get("/board/compared/").ok:
        return
    data = site.state / "releases" / "synthetic-demo"
    site.manage("import_release", data, "--slug", "compared", "--title", RELEASE)
    good = site.state / "demo-samples"
    for name, model, predictions in zip(
        ("ada", "karl"), MODELS, (good, worse_than(good, folder / "worse")), strict=True
    ):
        sign_up(page, name)
        fill_in(page, predictions, release=RELEASE, model=model)
        send(page)
        request_publication(page)
        page.locator("[data-state='in review']").first.wait_for()
        sign_out(page)
        publish_as_reviewer(page, site, model)


def wrong_on(page: Page) -> list[str]:
    """In both themes, on a screen and on a phone."""
    found = []
    for theme, width in (("light", 1440), ("light", 390), ("dark", 1440)):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        checked = Axe().run(page, options=COLOURS if theme == "dark" else RULES)
        found += [one["id"] for one in checked.response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"scrolls sideways at {width}")
    return found


def test_entries_are_compared_cited_and_looked_into(site: Site, page: Page, tmp_path: Path) -> None:
    publish_two(site, page, tmp_path)
    page.goto("/compare/?release=compared")
    for letter, model in zip("ab", MODELS, strict=True):
        option = page.locator(f"select[name={letter}] option", has_text=model)
        page.locator(f"select[name={letter}]").select_option(option.get_attribute("value"))
    assert wrong_on(page) == []
    page.get_by_role("button", name="Compare").click()
    row = page.locator("tr[data-column=passkey]")
    assert row.get_attribute("data-verdict") == "better"
    assert page.locator("tr[data-column=kv_retrieval]").get_attribute("data-verdict") == "open"
    assert wrong_on(page) == []
    row.locator("a[href^='/claims/']").click()
    page.locator("[data-claim=holds]").wait_for()
    assert wrong_on(page) == []
    page.goto("/board/compared/")
    page.locator("td.mark a").first.click()
    figures = page.locator("figure.plot")
    assert figures.count() > 12  # more than one for most tasks
    for table in figures.locator("details").all():
        table.locator("summary").click()
    assert figures.locator("tbody tr").count() > figures.count()
    assert wrong_on(page) == []
    page.locator("[data-extremes] summary").click()
    page.get_by_role("link", name="By which examples").click()
    page.locator("figure[data-chart=metric-sets]").wait_for()
    assert wrong_on(page) == []
    page.goto("/board/compared/metrics/?task=passkey")
    assert page.locator("figure[data-chart=metric-ranks] .slope").count() == len(MODELS)
    assert wrong_on(page) == []
    page.goto("/board/compared/")
    of_model = page.locator("a[href^='/models/compared-better']").first
    page.goto(of_model.get_attribute("href") or "")
    assert page.locator("figure[data-chart=profile] .point").count() > 12
    assert wrong_on(page) == []
    page.goto("/releases/compared/lengths/")
    assert page.locator("tr[data-entry]").count() == 2
    page.locator(".decay summary").click()
    page.locator("[data-choose] summary").click()
    assert wrong_on(page) == []
