"""One composed site for all tests, and a browser."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.image.stack import Stack, composed

# A second attempt comes in seconds.
_SOONER = """SWEEP_SECONDS=5
RESEND_SECONDS=10
"""


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    assert os.geteuid() == 0, "run this as root"
    folder = tmp_path_factory.mktemp("composed")
    for place in (folder, folder.parent):
        place.chmod(0o755)  # users of containers read releases from here
    with composed(folder, _SOONER) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, stack: Stack) -> Iterator[Page]:
    """A new visitor, who trusts the certificate that was made at the first start."""
    context = chromium.new_context(
        base_url=stack.address, reduced_motion="reduce", ignore_https_errors=True
    )
    yield context.new_page()
    context.close()
