"""A real browser at the real site: the demo as a person starts it, and Debian's Chromium."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.support.databases import open_folder
from tests.support.processes import DEADLINE
from tests.support.servers import Site, prepare_demo, started

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

expect.set_options(timeout=DEADLINE * 1000)

folder = pytest.fixture(open_folder, scope="package")


@pytest.fixture(scope="package")
def prepared(folder: Path) -> Path:
    """A demo without real data; not to be started, but to be copied."""
    return prepare_demo(folder / "prepared")


@pytest.fixture(scope="package")
def site(folder: Path, prepared: Path) -> Iterator[Site]:
    """The demo with its worker and database."""
    with started(folder / "demo", prepared) as running:
        yield running


@pytest.fixture(scope="package")
def planted(site: Site) -> Site:
    """With a release of which some labels are wrong (``tests.support.planted``)."""
    site.manage("shell", "-c", "from tests.support.planted import plant_some; plant_some()")
    return site


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Closed with the last of these tests: Playwright's event loop forbids Django its database."""
    if not CHROMIUM.exists():
        pytest.skip(f"NO BROWSER: {CHROMIUM} is absent; install Debian's chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, site: Site) -> Iterator[Page]:
    """A new visitor."""
    with visitor(chromium, site.address) as visit:
        yield visit


@contextmanager
def visitor(chromium: Browser, address: str) -> Iterator[Page]:
    """Whatever the browser complains of, a breach of the CSP first, is a failure."""
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"{message.location.get('url')}: {message.text}")

    # Without animations, which take a whole processor where there is no graphics card.
    context = chromium.new_context(base_url=address, reduced_motion="reduce")
    visit = context.new_page()
    visit.on("console", listen)
    visit.on("pageerror", lambda error: complaints.append(str(error)))
    yield visit
    context.close()
    assert complaints == []
