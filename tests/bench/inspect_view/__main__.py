"""``make bench-inspect``: a text of two million tokens, here and in Inspect View.

Both are served on this machine and visited in turn, each time by a new page with an empty cache.
Two times are taken: until the first part of the text is on the screen, and from the search for a
word that is in the middle of the text until the viewer has answered. Ours then shows the place.
Inspect View, which shows the first 200 kB of such a text and no more, says how often the word is in
the sample, or that there are no results: what it said is printed, since quick is not right.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from portal.demo.postgres import temporary
from tests.bench.gradio.visits import chromium
from tests.bench.servers import (
    free_host,
    our_site,
    plain_environment,
    run_python,
    running,
    site_environment,
)

_ROUNDS = 7
_WORD = "lighthouse"  # once in the middle: see tests.bench.contexts_fill
_SLOWEST = 120_000  # milliseconds
_WRITE_LOG = Path(__file__).with_name("write_log.py")
_LOG = "2026-01-01T00-00-00+00-00_long_1.eval"
_FIRST_WORDS = 30  # characters


class Times(NamedTuple):
    """Milliseconds."""

    first_window: float
    found: float
    answer: str  # to the search


def main(python: str) -> None:
    with tempfile.TemporaryDirectory(prefix="infinitebench-inspect-") as name:
        folders = Path(name, "ours"), Path(name, "inspect")
        for folder in folders:
            folder.mkdir()
        with _our_example(folders[0]) as here:
            text = _stored_text(folders[0])
            with _inspect_view(python, text, folders[1]) as there:
                viewers = (
                    _Viewer(here, _type_here, "mark.current"),
                    _Viewer(there, _type_there, r"text=/^(\d+ of \d+|No results)$/"),
                )
                with text.open(encoding="utf-8") as opened:
                    words = opened.read(_FIRST_WORDS)
                rounds = _visit_in_turn(viewers, words)
    for place, title in enumerate(("first window", "answer to a search")):
        columns = ([one[:2][place] for one in times] for times in zip(*rounds, strict=True))
        ours, theirs = map(median, columns)
        ratio = ours / theirs
        print(f"{title:34}{ours:>8.0f} ms{theirs:>10.0f} ms in Inspect View{ratio:>8.2f}")
    for viewer, times in zip(("here", "Inspect View"), zip(*rounds, strict=True), strict=True):
        print(f"what it answered, {viewer}:", *sorted({one.answer for one in times}), sep="  ")


@contextmanager
def _our_example(folder: Path) -> Iterator[str]:
    """The address of the example, with the text beside it in a file."""
    with temporary() as server:
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.contexts_fill")
        with our_site(environment, folder) as site:
            yield f"{site}/examples/bench-en/longbook_qa_eng/long/?at=0"


@contextmanager
def _inspect_view(python: str, text: Path, folder: Path) -> Iterator[str]:
    """The address of the sample with the same text."""
    logs = folder / "logs"
    logs.mkdir()
    subprocess.run([python, _WRITE_LOG, text, logs / _LOG], check=True)
    host = free_host()
    command = [str(Path(python).with_name("inspect")), "view", "start", "--log-dir", str(logs)]
    command += ["--host", "127.0.0.1", "--port", host.rpartition(":")[2]]
    with running(command, plain_environment(), f"http://{host}/", folder):
        yield f"http://{host}/#/logs/{_LOG}/samples/sample/long/1/"


def _stored_text(folder: Path) -> Path:
    """The English one with the word."""
    for file in (folder / "storage").rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        if content.isascii() and _WORD.encode() in content:
            return file
    raise FileNotFoundError(f"no text with {_WORD}")


class _Viewer(NamedTuple):
    address: str
    search: Callable[[Page], None]  # types the word
    found: str  # what is visible then, as a selector


def _visit_in_turn(viewers: Sequence[_Viewer], words: str) -> list[list[Times]]:
    """``words``: with which the text begins."""
    with chromium() as browser:

        def once() -> list[Times]:
            return [_times(browser, viewer, words) for viewer in viewers]

        once()  # the first pages of a browser, and of servers, are slower
        return [once() for _ in range(_ROUNDS)]


def _times(browser: Browser, viewer: _Viewer, words: str) -> Times:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(_SLOWEST)
    start = time.perf_counter()
    page.goto(viewer.address, wait_until="commit")
    page.get_by_text(words).first.wait_for()
    shown = time.perf_counter()
    page.wait_for_load_state("networkidle")
    viewer.search(page)
    typed = time.perf_counter()
    page.keyboard.press("Enter")
    page.locator(viewer.found).first.wait_for()
    found = time.perf_counter()
    answer = page.locator(viewer.found).first.inner_text()
    context.close()
    return Times(1000 * (shown - start), 1000 * (found - typed), answer)


def _type_here(page: Page) -> None:
    page.locator("#context-find").fill(_WORD)


def _type_there(page: Page) -> None:
    page.keyboard.press("Control+f")
    page.locator("input[placeholder=Find]").fill(_WORD)


if __name__ == "__main__":
    main(sys.argv[1])
