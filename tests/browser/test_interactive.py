"""Charts of Plotly in the policy of the site: zoomed, toggled and read, by hand and by keys."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from portal.web.plotly import plotly_style_ids
from tests.browser.test_comparison import publish_two, wrong_on
from tests.support.servers import Site

LADDER = "/releases/compared/lengths/"

pytestmark = pytest.mark.skipif(
    plotly_style_ids() is None, reason="NO PLOTLY: the package is not installed"
)


def range_of(page: Page, axis: str) -> list[float]:
    found: list[float] = page.evaluate(
        f"document.querySelector('[data-chart]').layout.{axis}.range.slice()"
    )
    return found


def open_chart(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Interactive").click()
    page.locator("[data-interactive=ready]").wait_for()


def test_a_chart_is_zoomed_toggled_and_read(
    site: Site, page: Page, chromium: Browser, tmp_path: Path
) -> None:
    """Not one complaint of the browser: see the fixture ``page``."""
    publish_two(site, page, tmp_path)
    page.goto(LADDER)
    entries = page.locator("tr[data-entry]").evaluate_all("rows => rows.map(r => r.dataset.entry)")
    assert len(entries) == 2
    assert wrong_on(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        answers.append(answer)

    page.on("response", keep)
    open_chart(page, LADDER)
    [script] = [one for one in answers if "plotly.min" in one.url]
    assert script.headers["content-encoding"] in ("br", "gzip")
    assert "immutable" in script.headers["cache-control"]
    assert int(script.headers["content-length"]) < 1_500_000
    expect(page.locator("figure.decay > svg")).to_be_hidden()
    assert wrong_on(page) == []
    read_and_zoom(page)
    page.emulate_media(media="print")
    expect(page.locator("figure.decay > svg")).to_be_visible()
    expect(page.locator("[data-chart]")).to_be_hidden()
    page.emulate_media(media="screen")

    open_chart(page, f"/compare/?a={entries[0]}&b={entries[1]}")
    page.locator("[data-chart]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-value]")).to_contain_text("Compared")
    assert wrong_on(page) == []

    plain = chromium.new_context(base_url=site.address, java_script_enabled=False).new_page()
    plain.goto(f"{LADDER}?interactive=1")
    expect(plain.locator("figure.decay > svg")).to_be_visible()
    expect(plain.locator("[data-interactive]")).to_be_hidden()
    plain.context.close()


def read_and_zoom(page: Page) -> None:
    chart, value = page.locator("[data-chart]"), page.locator("[data-value]")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(value).to_contain_text("4K")
    page.keyboard.press("ArrowRight")
    expect(value).to_contain_text("16K")
    first = value.inner_text()
    page.keyboard.press("ArrowDown")
    expect(value).not_to_have_text(first)
    whole = range_of(page, "xaxis")
    page.keyboard.press("+")
    start, end = range_of(page, "xaxis")
    assert end - start < whole[1] - whole[0]
    page.get_by_role("button", name="Whole chart").click()
    assert range_of(page, "xaxis") == pytest.approx(whole)
    curves = page.locator(".scatterlayer .trace:has(.points path)")
    assert curves.count() == 2
    page.locator("[data-group='1']").uncheck()
    expect(curves).to_have_count(1)
