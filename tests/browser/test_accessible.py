"""Every page, in both themes: no rule of WCAG 2.2 AA is broken, and nothing scrolls sideways."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.people import sign_in
from tests.support.servers import Site

PUBLIC = (
    "/", "/?errors=on", "/about/", "/board/synthetic-demo/", "/releases/",
    "/releases/synthetic-demo/", "/releases/synthetic-demo/lengths/", "/tasks/",
    "/tasks/passkey/", "/formats/", "/compare/", "/reproduction/", "/api/v1/",
    "/api/v1/docs/submissions/",
    "/examples/", "/examples/synthetic-demo/passkey/",
    "/examples/synthetic-demo/passkey/?is=right&tokens_from=1K",
    "/examples/synthetic-demo/passkey/0/?find=key",
    "/examples/synthetic-demo/passkey/contexts?q=key",
    "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/demo/mail/",
)  # fmt: skip
OF_AUTHORS = (
    "/submit/",
    "/runs/",
    "/runs/new/",
    "/submissions/",
    "/my-models/",
    "/profile/",
    "/accounts/email/",
)
OF_REVIEWERS = ("/review/",)
WIDE, PHONE = 1440, 390  # pixels


# What is right needs no description, which takes longer than to find it.
RULES: dict[str, object] = {"resultTypes": ["violations"]}
COLOURS: dict[str, object] = {
    **RULES, "runOnly": {"type": "rule", "values": ["color-contrast"]}
}  # fmt: skip


def look_at(page: Page, address: str, *, with_rules: bool = True) -> list[str]:
    """What is wrong with a page, in both themes and on a phone; whether by rules, too.

    It is loaded once: themes and widths change nothing but what stylesheets say.
    """
    found = []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.goto(address)
    if with_rules:
        found += broken_rules(page, f"{address} in the light", RULES)
        # In the dark only colours differ, and they are the same on a phone.
        page.emulate_media(color_scheme="dark")
        found += broken_rules(page, f"{address} in the dark", COLOURS)
        page.emulate_media(color_scheme="light")
    found += scrolling(page, f"{address} on a screen")
    page.set_viewport_size({"width": PHONE, "height": 900})
    if with_rules:
        found += broken_rules(page, f"{address} on a phone", RULES)
    return found + scrolling(page, f"{address} on a phone")


def broken_rules(page: Page, where: str, options: dict[str, object]) -> list[str]:
    return [
        f"{where}: {violation['id']} {[node['target'] for node in violation['nodes']]}"
        for violation in Axe().run(page, options=options).response["violations"]
    ]


def scrolling(page: Page, where: str) -> list[str]:
    size = page.viewport_size
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [f"{where}: scrolls sideways"] if size and wide > size["width"] else []


def test_public_pages_are_accessible(page: Page) -> None:
    assert [wrong for address in PUBLIC for wrong in look_at(page, address)] == []


def test_pages_for_signed_in_users_are_accessible(site: Site, page: Page) -> None:
    sign_in(page, site, "reviewer")
    pages = OF_AUTHORS + OF_REVIEWERS
    assert [wrong for address in pages for wrong in look_at(page, address)] == []
