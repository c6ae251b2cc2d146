"""Django's admin in a browser, under our policy: the page fixture fails at any complaint."""

import re

from playwright.sync_api import Page, expect

from tests.support.servers import Site


def test_an_admin_can_navigate_the_admin(site: Site, page: Page) -> None:
    page.goto("/admin/")
    page.get_by_label("User name or email address").fill("admin")
    page.get_by_label("Password").fill(site.passwords["admin"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Site administration")).to_be_visible()
    for name in ("Examples", "Submissions", "Evaluations", "Releases", "Language models"):
        page.goto("/admin/")
        page.get_by_role("main").get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_url(re.compile(f"/portal/{name[:-1].lower().replace(' ', '')}/"))


def test_scripts_of_the_admin_run(site: Site, page: Page) -> None:
    page.goto("/accounts/login/?next=/admin/portal/reportedentry/add/")
    page.get_by_label("User name or email address").fill("admin")
    page.get_by_label("Password").fill(site.passwords["admin"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Add another Reported score").click()
    expect(page.locator("#id_scores-0-percent")).to_be_visible()
