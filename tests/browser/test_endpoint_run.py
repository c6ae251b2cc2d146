"""The last step of the README's tour: the site asks an endpoint."""

import re

from playwright.sync_api import Page

from tests.browser.people import sign_in
from tests.browser.readme import LADDER, named_in_the_tour
from tests.support.servers import Site


def test_an_endpoint_is_asked_in_seconds(site: Site, page: Page) -> None:
    submit, way, release, new, smoke, window, save, go_on, start = named_in_the_tour()[LADDER + 1 :]
    sign_in(page, site, "author")
    page.get_by_role("link", name=submit, exact=True).click()
    page.get_by_role("link", name=way).click()
    printed = (site.state / "log" / "endpoint.log").read_text()
    [(model, url)] = re.findall(r"(\S+) listens at (http\S+/v1)", printed)
    page.get_by_label("Address").fill(url)
    page.get_by_label("Model name at the endpoint").fill(model)
    page.get_by_label(release).check()
    page.get_by_label(new).check()
    page.get_by_label("Name", exact=True).fill("A reader that goes by rules")
    page.get_by_label(smoke).check()
    page.get_by_label(window).fill("32K")
    page.get_by_role("button", name=save).click()
    page.get_by_role("link", name=go_on).click()
    page.get_by_role("button", name=start).click()
    page.locator("[data-state=ended]").wait_for()
    page.locator("[data-submission=private]").wait_for()
