"""Actions of users on the site: sign up, sign in, submit, publish."""

import secrets
import time
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.processes import DEADLINE
from tests.support.servers import Site

PASSWORD = "correct horse battery"


def sign_up(page: Page, first_name: str) -> str:
    """A new user's name: many tests share a site, so the first name alone may be taken."""
    name = f"{first_name}-{secrets.token_hex(4)}"
    page.goto("/accounts/signup/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Email address").fill(f"{name}@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return name


def sign_in(page: Page, site: Site, name: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name or email address").fill(name)
    page.get_by_label("Password").fill(site.passwords.get(name, PASSWORD))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def fill_in(page: Page, folder: Path, *, release: str, model: str) -> None:
    """The form with a folder of predictions of a new language model, ready to be sent."""
    page.goto("/submit/")
    page.locator("input[type=file][webkitdirectory]").set_input_files(folder)
    page.get_by_label(release).first.check()
    page.locator("[name=language_model][value=new]").check()
    page.get_by_label("Name", exact=True).fill(model)
    page.get_by_label("Organisation").fill("The authors")


def request_publication(page: Page) -> None:
    """Of the submission that is shown, without stating its settings."""
    page.get_by_role("link", name="Request publication").click()
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_label("What I left empty is not known").check()
    page.get_by_role("button", name="Send request").click()


def send(page: Page) -> None:
    """Until the scores are there."""
    page.get_by_role("button", name="Upload and score").click()
    expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_visible()


def publish_as_reviewer(page: Page, site: Site, model: str) -> None:
    sign_in(page, site, "reviewer")
    page.goto("/review/")
    page.get_by_role("link", name=model).first.click()
    publish(page)
    sign_out(page)


def publish(page: Page) -> None:
    """On its review page, once the sweeper has compared its answers with those of other entries."""
    page.get_by_label("Reason").wait_for()  # the page has been loaded
    end = time.monotonic() + DEADLINE
    while page.locator("[data-code='not compared']").count() and time.monotonic() < end:
        page.wait_for_timeout(1000)
        page.reload()
        page.get_by_label("Reason").wait_for()
    page.get_by_label("Reason").fill("Complete, with its settings, and plausible.")
    answer = page.locator("[name=flags_answer]")
    if answer.count():
        answer.fill("The flags are those of a small test.")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".messages")).to_contain_text("published")
