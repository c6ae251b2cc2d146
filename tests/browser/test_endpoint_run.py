"""An author gives the demo's own endpoint, and the site asks it: from the form to the scores."""

import json
from collections import Counter
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from portal.demo.__main__ import READER, REQUESTS
from tests.browser.people import sign_up
from tests.browser.test_comparison import wrong_on
from tests.support.servers import Site

QUESTIONS = 36  # of the sample


def state_of(page: Page, state: str) -> None:
    """Wait until the live page says so, which keeps itself up to date."""
    page.locator(f"[data-state={state}]").wait_for()


def test_a_run_is_configured_tried_started_paused_and_resumed(site: Site, page: Page) -> None:
    sign_up(page, "erin")
    page.goto("/submit/")
    page.get_by_role("link", name="Give an endpoint").click()
    port = (urlsplit(site.address).port or 0) + 1
    page.get_by_label("Address").fill(f"http://127.0.0.1:{port}/v1")
    page.get_by_label("Model name at the endpoint").fill(READER)
    page.get_by_label("New model").check()
    page.get_by_label("Name", exact=True).fill("Rule Reader")
    page.get_by_label("Short texts").check()
    page.get_by_label("A sample").check()
    page.locator("[name=sample]").fill(str(QUESTIONS))
    page.get_by_label("Window used").fill("32K")
    page.get_by_label("Requests at once").fill("2")
    page.get_by_role("button", name="Save and estimate").click()
    expect(page.get_by_role("link", name="Go on to start")).to_be_visible()
    assert wrong_on(page) == []
    page.get_by_role("link", name="Test the connection", exact=True).click()
    page.get_by_role("button", name="Test the connection").click()
    page.locator(".notice.good").wait_for()
    page.get_by_role("link", name="Start", exact=True).click()
    log = site.state / "log" / REQUESTS
    tried = len(log.read_text().splitlines())
    page.get_by_role("button", name="Start the run").click()
    page.locator("[data-ended]:not([data-ended='0'])").wait_for()
    page.get_by_role("button", name="Pause").click()
    state_of(page, "paused")
    assert wrong_on(page) == []
    page.get_by_role("button", name="Resume", exact=True).click()
    state_of(page, "ended")
    assert page.locator("[data-outcome=answered]").inner_text() == str(QUESTIONS)
    asked = [json.loads(line)["question"] for line in log.read_text().splitlines()[tried:]]
    assert len(asked) == QUESTIONS
    assert set(Counter(asked).values()) == {1}  # a pause asks nothing twice
    page.get_by_role("link", name="To the submission and its scores").click()
    page.locator("[data-state=scored], [data-state=private]").first.wait_for()
