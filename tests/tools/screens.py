"""``make screens``: a picture of every page. ``docs/screens`` keeps a few of them.

The demo is started with real data where ``INFINITEBENCH_DATA`` names some, and one submission goes
the whole way: each page is taken when it has something to show. A picture is of the whole page,
but ends before the second screen does: wide and on a phone, light and dark, English and Chinese.
"""

import base64
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.people import fill_in, publish, request_publication, send, sign_in
from tests.support.databases import open_folder
from tests.support.paths import DATA
from tests.support.servers import Site, started

_QUALITY = 70  # of WebP, in which text stays sharp at a tenth of a PNG's size
_SCREENS = 1.7  # of a page's height are taken


class Variant(NamedTuple):
    name: str
    width: int
    height: int
    theme: str


VARIANTS = (
    Variant("wide-light", 1440, 900, "light"),
    Variant("wide-dark", 1440, 900, "dark"),
    Variant("phone-light", 390, 844, "light"),
    Variant("phone-dark", 390, 844, "dark"),
)
RELEASE, BOARD = "Short texts", "synthetic-demo"
MODEL = "Long Reader 7B"
VISITOR = {
    "board": "/",
    "board-retrieval": "/board/infinitebench/?sort=retrieval",
    "board-ladder": "/board/ladder/?set=strict",
    "tasks": "/tasks/",
    "task": "/tasks/kv_retrieval/",
    "releases": "/releases/",
    "release": "/releases/ladder/",
    "about": "/about/",
    "formats": "/formats/",
    "sign-up": "/accounts/signup/",
    "sign-in": "/accounts/login/",
    "reset-password": "/accounts/password/reset/",
    "not-found": "/there-is-no-such-page/",
    "mail": "/demo/mail/",
}
AUTHOR = {
    "submissions-none": "/submissions/",
    "submit": "/submit/",
    "my-models": "/my-models/",
    "profile": "/profile/",
}


class Camera:
    """Takes what a page shows, in every variant."""

    def __init__(self, context: BrowserContext, site: Site, folder: Path) -> None:
        self.page = context.new_page()
        self._devtools = context.new_cdp_session(self.page)
        self._site = site
        self._folder = folder

    def take(self, name: str, address: str = "") -> None:
        """The page at an address, or the one that is open."""
        address = address or self.page.url
        for variant in VARIANTS:
            self._dress(variant)
            self.page.goto(address)
            self._shoot(self._folder / f"{name}-{variant.name}.webp", variant)
        self._dress(VARIANTS[0])
        self.page.goto(address)

    def take_as_it_is(self, name: str) -> None:
        """The page that is open, where loading it again would lose it."""
        for variant in VARIANTS:
            self._dress(variant)
            self._shoot(self._folder / f"{name}-{variant.name}.webp", variant)
        self._dress(VARIANTS[0])

    def _dress(self, variant: Variant) -> None:
        dark = variant.theme == "dark"
        self.page.set_viewport_size({"width": variant.width, "height": variant.height})
        self.page.emulate_media(color_scheme="dark" if dark else "light")

    def _shoot(self, place: Path, variant: Variant) -> None:
        whole = self.page.evaluate("document.documentElement.scrollHeight")
        clip = {
            "x": 0, "y": 0, "scale": 1, "width": variant.width,
            "height": min(whole, int(_SCREENS * variant.height)),
        }  # fmt: skip
        taken = self._devtools.send(
            "Page.captureScreenshot",
            {"format": "webp", "quality": _QUALITY, "captureBeyondViewport": True, "clip": clip},
        )
        place.write_bytes(base64.b64decode(taken["data"]))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.webp"):
        old.unlink()
    variables = {"INFINITEBENCH_DATA": str(DATA)} if DATA.is_dir() else {}
    for state in open_folder():
        with started(state / "demo", **variables) as site, _chromium() as browser:
            _walk(site, browser, folder)


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def _walk(site: Site, browser: Browser, folder: Path) -> None:
    def camera(name: str = "") -> Camera:
        made = Camera(browser.new_context(base_url=site.address), site, folder)
        if name:
            sign_in(made.page, site, name)
        return made

    visitor, author, reviewer, admin = (
        camera(),
        camera("author"),
        camera("reviewer"),
        camera("admin"),
    )
    site.manage("prepare_ladder")
    reviewer.take("review-none", "/review/")
    for name, address in AUTHOR.items():
        author.take(name, address)
    submission = _submit(author, site)
    _ask_the_question(author, site)
    _refuse(author)
    _review(author, reviewer, submission)
    _board(visitor, submission)
    for name, address in VISITOR.items():
        visitor.take(name, address)
    _admin(admin)
    _withdraw(author, visitor, submission)


def _submit(author: Camera, site: Site) -> str:
    fill_in(author.page, site.state / "demo-samples", release=RELEASE, model=MODEL)
    author.take_as_it_is("submit-filled")
    send(author.page)
    author.take("submission-private")
    author.take("submission-edit", author.page.url + "edit/")
    return author.page.url.removesuffix("edit/")


def _ask_the_question(author: Camera, site: Site) -> None:
    """A file whose ids the release does not have."""
    name = "preds_passkey.jsonl"
    lines = (site.state / "demo-samples" / name).read_text().splitlines()
    rows = [row | {"id": row["id"] + 1_000} for row in map(json.loads, lines)]
    with TemporaryDirectory() as folder:
        Path(folder, name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        fill_in(author.page, Path(folder), release=RELEASE, model="Other ids")
        author.page.get_by_role("button", name="Upload and score").click()
        author.page.get_by_role("heading", name="answer").first.wait_for()
        author.take("submission-question")


def _refuse(author: Camera) -> None:
    """A file that is none."""
    with TemporaryDirectory() as name:
        bad = Path(name) / "preds_passkey.jsonl"
        bad.write_text('{"id": 0, "prediction": "71432"}\n{"id": 1, "prediction": \n{"id": 0}\n')
        fill_in(author.page, Path(name), release=RELEASE, model="Broken")
        author.page.get_by_role("button", name="Upload and score").click()
        author.page.get_by_role("heading", name="Scores", exact=True).wait_for()
        author.take("submission-problems")


def _review(author: Camera, reviewer: Camera, submission: str) -> None:
    author.page.goto(submission)
    request_publication(author.page)
    author.take("submission-in-review", submission)
    reviewer.take("review", "/review/")
    reviewer.page.get_by_role("link", name=MODEL).first.click()
    reviewer.take("review-submission")
    publish(reviewer.page)
    author.take("submission-published", submission)
    author.take("submissions", "/submissions/")


def _board(visitor: Camera, submission: str) -> None:
    """The board with the new entry, and the pages to which its row leads."""
    visitor.take("board-generated", f"/board/{BOARD}/")
    visitor.page.locator("table.board-table").get_by_role("link", name=MODEL).click()
    visitor.take("model")
    visitor.take("entry", submission.replace("/submissions/", "/entries/"))


def _admin(admin: Camera) -> None:
    admin.take("admin", "/admin/")
    admin.take("admin-submissions", "/admin/portal/submission/")


def _withdraw(author: Camera, visitor: Camera, submission: str) -> None:
    author.take("withdraw", submission + "withdraw/")
    author.page.get_by_role("button", name="Withdraw").click()
    visitor.take("entry-withdrawn", submission.replace("/submissions/", "/entries/"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
