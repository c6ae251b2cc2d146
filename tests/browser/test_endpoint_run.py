"""An author gives the demo's own endpoint, and the site asks it: from the form to the scores."""

import json
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from portal.demo.__main__ import READER, REQUESTS
from tests.browser.conftest import visitor
from tests.browser.people import sign_up
from tests.browser.test_comparison import wrong_on
from tests.support.processes import eventually, free_port
from tests.support.servers import Site, started

QUESTIONS, AT_ONCE = 48, 2  # of the sample
# What was lost with a worker is given to another soon: these are seconds.
SOON = {"LEASE": "4", "HEARTBEAT": "1", "SWEEP": "0.5", "RESEND": "2"}


def state_of(page: Page, state: str) -> None:
    """Wait until the live page says so, which keeps itself up to date."""
    page.locator(f"[data-state={state}]").wait_for()


def test_a_run_is_paused_and_resumed_and_survives_the_death_of_the_whole_site_twice(
    folder: Path, prepared: Path, chromium: Browser
) -> None:
    state, port = folder / "killed", free_port()
    log = state / "log" / REQUESTS
    variables = {f"{name}_SECONDS": value for name, value in SOON.items()} | {"PORT": str(port)}
    with visitor(chromium, f"http://127.0.0.1:{port}") as page:
        with started(state, prepared, **variables) as site:
            configure(page, site)
            tried = len(log.read_text().splitlines())
            page.get_by_role("button", name="Start the run").click()
            page.locator("[data-ended]:not([data-ended='0'])").wait_for()
            run = page.url
            page.get_by_role("button", name="Pause").click()
            state_of(page, "paused")
            assert wrong_on(page) == []
            page.get_by_role("button", name="Resume", exact=True).click()
            state_of(page, "running")
            die(site, page, log, tried + QUESTIONS // 3)
        with started(state, **variables) as site:
            page.goto(run)
            state_of(page, "running")
            die(site, page, log, tried + 2 * QUESTIONS // 3)
        with started(state, **variables):
            page.goto(run)
            state_of(page, "ended")
            # The endpoint dies with the site: what it was asked just then may have failed for good.
            answered = int(page.locator("[data-outcome=answered]").inner_text())
            assert QUESTIONS - 2 * AT_ONCE <= answered <= QUESTIONS
            page.get_by_role("link", name="To the submission and its scores").click()
            page.locator("[data-state=scored], [data-state=private]").first.wait_for()
            leave(page)
    asked = [json.loads(line) for line in log.read_text().splitlines()[tried:]]
    times = Counter(one["question"] for one in asked)
    assert len(times) == QUESTIONS
    assert times.total() - QUESTIONS <= 2 * AT_ONCE  # what was on its way when the site died


def configure(page: Page, site: Site) -> None:
    """Ends on the page that starts the run."""
    sign_up(page, "erin")
    page.goto("/submit/")
    page.get_by_role("link", name="Give an endpoint").click()
    port = (urlsplit(site.address).port or 0) + 1
    page.get_by_label("Address").fill(f"http://127.0.0.1:{port}/v1")
    page.get_by_label("Model name at the endpoint").fill(READER)
    page.get_by_label("Name", exact=True).fill("Rule Reader")
    page.get_by_label("A sample").check()
    page.locator("[name=sample]").fill(str(QUESTIONS))
    page.get_by_label("Context window used").fill("32K")
    page.get_by_label("Requests at once").fill(str(AT_ONCE))
    page.get_by_role("button", name="Save and estimate").click()
    expect(page.get_by_role("link", name="Go on to start")).to_be_visible()
    assert wrong_on(page) == []
    page.get_by_role("link", name="Test the connection", exact=True).click()
    page.get_by_role("button", name="Test the connection").click()
    page.locator(".notice.good").wait_for()
    page.get_by_role("link", name="Start", exact=True).click()
    page.get_by_role("button", name="Start the run").wait_for()


def die(site: Site, page: Page, log: Path, least: int) -> None:
    """As soon as the endpoint has been asked so often."""
    eventually(lambda: len(log.read_text().splitlines()) >= least, "questions that were asked")
    leave(page)
    site.kill()


def leave(page: Page) -> None:
    """Before the site ends: a page that could not be brought up to date would be a complaint."""
    page.goto("about:blank")
