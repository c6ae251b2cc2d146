"""What a first visit to a board costs in a real browser."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, ConsoleMessage, ViewportSize, sync_playwright

from tests.bench.gradio.board import Row

_CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # Fonts and scripts of other hosts fail at once on both pages, so the network is not measured.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
_SCREEN: ViewportSize = {"width": 1440, "height": 900}
_SIGN = "first row: "
_SCRIPT = Path(__file__).with_name("first_row.js")
_LAYOUT_SHIFT = """() => new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 100);
})"""
_SLOWEST = 30_000  # milliseconds
_QUIET = 500  # milliseconds without news from the network: all has come


class Network(NamedTuple):
    """Between the reader and us."""

    title: str
    latency: int  # milliseconds that every answer takes longer
    megabits: int  # of each second; -1: whatever this machine can


HERE = Network("here", 0, -1)
AWAY = Network("10 Mbit/s, 40 ms away", 40, 10)


@dataclass(frozen=True, slots=True)
class Visit:
    milliseconds: float  # from the start of the navigation until the first row was painted
    kilobytes: float  # that had come over the wire by then, heads of answers included
    requests: int  # that had been answered by then
    kilobytes_in_all: float
    requests_in_all: int
    layout_shift: float


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


def visit(browser: Browser, address: str, first: Row, network: Network) -> Visit:
    """With an empty cache, until the network is quiet."""
    context = browser.new_context(viewport=_SCREEN)
    page = context.new_page()
    wire = _Wire()
    session = context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", wire.sent)
    session.on("Network.loadingFinished", wire.finished)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", _conditions(network))
    page.add_init_script(_script(first))
    page.wait_for_timeout(_QUIET)  # what the visit before has left behind is put away meanwhile
    with page.expect_console_message(_is_sign, timeout=_SLOWEST) as sign:
        page.goto(address, wait_until="commit")
    milliseconds = float(sign.value.text.removeprefix(_SIGN))
    while wire.has_news():
        page.wait_for_timeout(_QUIET)
    shift = float(page.evaluate(_LAYOUT_SHIFT))
    context.close()
    return wire.seen_in(milliseconds, shift)


def _conditions(network: Network) -> dict[str, Any]:
    rate = network.megabits * 125_000 if network.megabits > 0 else -1  # bytes of each second
    speed = {"downloadThroughput": rate, "uploadThroughput": rate}
    return {"offline": False, "latency": network.latency, **speed}


def _script(first: Row) -> str:
    wanted = {"model": first.model, "numbers": first.numbers}
    return f"({_SCRIPT.read_text(encoding='utf-8')})({json.dumps(wanted)})"


def _is_sign(message: ConsoleMessage) -> bool:
    return message.text.startswith(_SIGN)


@dataclass  # without slots: Playwright notes on it who listens
class _Wire:
    """The browser's network events; times are seconds of one clock."""

    start: float | None = None
    answers: list[tuple[float, int]] = field(default_factory=list)  # when it was there; bytes
    _events: int = 0
    _known: int = 0

    def sent(self, event: dict[str, Any]) -> None:
        self._events += 1
        if self.start is None:
            self.start = event["timestamp"]

    def finished(self, event: dict[str, Any]) -> None:
        self._events += 1
        self.answers.append((event["timestamp"], int(event["encodedDataLength"])))

    def has_news(self) -> bool:
        """Whether anything has happened since the last time this was asked."""
        known, self._known = self._known, self._events
        return self._events > known

    def seen_in(self, milliseconds: float, layout_shift: float) -> Visit:
        assert self.start is not None
        end = self.start + milliseconds / 1000
        until = [size for at, size in self.answers if at <= end]
        return Visit(
            milliseconds=milliseconds,
            kilobytes=sum(until) / 1000,
            requests=len(until),
            kilobytes_in_all=sum(size for _, size in self.answers) / 1000,
            requests_in_all=len(self.answers),
            layout_shift=layout_shift,
        )
