"""From sign-up to the board, and off it again: the whole way of two authors and a reviewer."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.people import (
    fill_in,
    publish_as_reviewer,
    request_publication,
    send,
    sign_in,
    sign_out,
    sign_up,
)
from tests.support.processes import eventually
from tests.support.servers import Site

RELEASE, BOARD = "A board of its own", "/board/whole-way/"
PAUSE = 0.5  # seconds between two visits of a page
FOR_REVIEW = "waiting for review"  # one submission or several: other tests leave some waiting


@pytest.fixture
def empty_board(site: Site) -> None:
    folder = site.state / "releases" / "synthetic-demo"
    site.manage("import_release", folder, "--slug", "whole-way", "--title", RELEASE)


def author_asks(page: Page, first_name: str, folder: Path, model: str) -> tuple[str, str]:
    """Submits and requests publication. Returns the author's name and the submission's address."""
    name = sign_up(page, first_name)
    fill_in(page, folder, release=RELEASE, model=model)
    send(page)
    request_publication(page)
    expect(page.locator("[data-state='in review']").first).to_be_visible()
    address = page.url
    sign_out(page)
    return name, address


def worse_than(folder: Path, place: Path) -> Path:
    """The same predictions, with those of one task made wrong."""
    shutil.copytree(folder, place)
    file = place / "preds_passkey.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(row | {"prediction": "none"}) + "\n" for row in rows))
    return place


def sees_mail(page: Page, subject: str) -> None:
    """As soon as a worker has sent it."""
    eventually(lambda: emails(page, subject), subject, every=PAUSE)


def emails(page: Page, subject: str) -> int:
    page.goto("/demo/mail/")
    return page.get_by_role("heading", name=subject).count()


def order_on_the_board(page: Page) -> list[str]:
    """Ranks and models, from top to bottom, as visitors see them."""
    page.goto(BOARD)
    rows = page.locator("table.board-table tbody tr").filter(has=page.locator("th.model"))
    return [" ".join(text.split()[:3]) for text in rows.all_inner_texts()]


@pytest.mark.usefixtures("empty_board")
def test_from_sign_up_to_the_board_and_off_it(site: Site, page: Page, tmp_path: Path) -> None:
    good = site.state / "demo-samples"
    before = emails(page, FOR_REVIEW)
    author, first = author_asks(page, "grace", good, "Better Model")
    eventually(lambda: emails(page, FOR_REVIEW) > before, FOR_REVIEW, every=PAUSE)
    author_asks(page, "edith", worse_than(good, tmp_path / "worse"), "Worse Model")
    assert order_on_the_board(page) == []
    publish_as_reviewer(page, site, "Worse Model")
    sees_mail(page, "Worse Model is published")
    assert order_on_the_board(page) == ["1 Worse Model"]
    publish_as_reviewer(page, site, "Better Model")
    assert order_on_the_board(page) == ["1 Better Model", "2 Worse Model"]
    sign_in(page, site, author)
    page.goto(first)
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("[data-state=withdrawn]").first).to_be_visible()
    assert order_on_the_board(page) == ["1 Worse Model"]
