"""Passkeys in a browser, with an authenticator that Chromium imitates."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.conftest import visitor
from tests.browser.people import PASSWORD, sign_out, sign_up
from tests.browser.test_accessible import look_at
from tests.support.servers import Site


@pytest.fixture
def page(chromium: Browser, site: Site) -> Iterator[Page]:
    """At a name: no browser has passkeys for a bare number."""
    with visitor(chromium, site.address.replace("127.0.0.1", "localhost")) as visit:
        yield visit


def add_device(page: Page) -> tuple[CDPSession, str]:
    """One that knows whose finger it is. Returns also its number."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    able = dict.fromkeys(("hasResidentKey", "hasUserVerification", "isUserVerified"), True)
    options = {"protocol": "ctap2", "transport": "internal", **able}
    made = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return devtools, made["authenticatorId"]


def add_passkey(page: Page, name: str = "phone") -> None:
    page.goto("/accounts/2fa/webauthn/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("[data-recovery-codes]")).to_be_visible()


def test_a_passkey_signs_in_without_a_password(page: Page) -> None:
    name = sign_up(page, "alice")
    add_device(page)
    add_passkey(page)
    sign_out(page)
    page.goto("/accounts/login/?next=/profile/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator("h1")).to_have_text("Your profile")
    expect(page.locator(".facts bdi").first).to_have_text(name)


def test_a_passkey_is_the_second_factor_after_the_password(page: Page) -> None:
    name = sign_up(page, "alice")
    add_device(page)
    add_passkey(page)
    sign_out(page)
    page.goto("/accounts/login/")
    page.get_by_label("User name or email address").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_passkey_confirms_renames_and_removes_itself(page: Page) -> None:
    sign_up(page, "alice")
    add_device(page)
    add_passkey(page, "old name")
    page.goto("/accounts/reauthenticate/?next=/accounts/2fa/webauthn/")
    page.locator("[data-way*=webauthn]").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("link", name="Rename old name").click()
    page.get_by_label("Name").fill("new name")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Remove new name").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("[data-empty=passkeys]")).to_be_visible()


def test_what_fails_is_said(page: Page) -> None:
    sign_up(page, "alice")
    devtools, device = add_device(page)
    add_passkey(page)
    sign_out(page)
    other = {"authenticatorId": device, "isUserVerified": False}  # as by another finger
    devtools.send("WebAuthn.setUserVerified", other)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator("[data-passkey-says=failed]")).to_be_visible()


def test_at_a_bare_number_the_page_says_that_there_are_none(chromium: Browser, site: Site) -> None:
    with visitor(chromium, site.address) as page:
        page.goto("/accounts/login/")
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.locator("[data-passkey-says=none]")).to_be_visible()


def test_without_javascript_the_page_says_what_to_do(chromium: Browser, site: Site) -> None:
    context = chromium.new_context(base_url=site.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/accounts/login/")
    expect(page.locator("[data-passkey-needs=script]")).to_be_visible()
    expect(page.locator("[data-passkey-button]")).to_be_hidden()
    context.close()


def test_the_pages_of_the_second_factor_are_accessible(page: Page) -> None:
    sign_up(page, "alice")
    add_device(page)
    add_passkey(page)
    pages = ("", "webauthn/", "webauthn/add/", "totp/activate/", "recovery-codes/")
    found = [look_at(page, f"/accounts/2fa/{path}") for path in pages]
    assert [*found, look_at(page, "/accounts/sessions/")] == 6 * [[]]
