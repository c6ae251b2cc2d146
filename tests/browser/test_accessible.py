"""Every page, in both themes: no rule of WCAG 2.2 AA is broken, and nothing scrolls sideways."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.people import sign_in
from tests.support.servers import Site

PUBLIC = (
    "/", "/?errors=on", "/about/", "/board/synthetic-demo/", "/releases/",
    "/releases/synthetic-demo/", "/releases/synthetic-demo/lengths/", "/tasks/",
    "/tasks/passkey/", "/formats/", "/compare/", "/reproduction/", "/api/v1/",
    "/examples/", "/examples/synthetic-demo/passkey/",
    "/examples/synthetic-demo/passkey.matrix/",
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


def look_at(
    page: Page,
    address: str,
    rules_at: tuple[int, ...] = (WIDE,),
    options: dict[str, object] = RULES,
) -> list[str]:
    """What is wrong with a page, on a screen and on a phone; its rules at some widths only."""
    found = []
    for width in (WIDE, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        checked = Axe().run(page, options=options).response if width in rules_at else {}
        for violation in checked.get("violations", []):
            targets = [node["target"] for node in violation["nodes"]]
            found.append(f"{address} at {width}: {violation['id']} {targets}")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{address} at {width}: scrolls sideways")
    return found


# In the dark only colours differ, and they are the same on a phone.
THEMES: dict[str, tuple[tuple[int, ...], dict[str, object]]] = {
    "light": ((WIDE, PHONE), RULES),
    "dark": ((WIDE,), COLOURS),
}


@pytest.mark.parametrize("theme", THEMES)
def test_public_pages_are_accessible(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    assert [wrong for address in PUBLIC for wrong in look_at(page, address, *THEMES[theme])] == []


@pytest.mark.parametrize("theme", THEMES)
def test_pages_for_signed_in_users_are_accessible(site: Site, page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    sign_in(page, site, "reviewer")
    pages = OF_AUTHORS + OF_REVIEWERS
    assert [wrong for address in pages for wrong in look_at(page, address, *THEMES[theme])] == []


def test_chinese_pages_are_accessible(site: Site, page: Page) -> None:
    """Chosen by its button, which leads back to the page."""
    sign_in(page, site, "reviewer")
    page.goto("/tasks/")
    page.get_by_role("button", name="中文").click()
    page.wait_for_selector("html[lang=zh-hans]")
    assert page.url.endswith("/tasks/")
    # The rules look at the same elements as in English: on some pages they are enough.
    with_rules = {"/", "/submit/", "/review/"}
    pages = (*PUBLIC, *OF_AUTHORS, *OF_REVIEWERS)
    wrong = [look_at(page, one, (WIDE,) if one in with_rules else ()) for one in pages]
    assert [found for of_page in wrong for found in of_page] == []
