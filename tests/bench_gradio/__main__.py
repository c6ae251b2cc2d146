"""``make bench-gradio``: a first visit to a board of 100 entries, here and in a Gradio leaderboard.

Both are served on this machine, show the same rows, and are visited in turn with an empty cache.
It measures and says whether the targets are met; its exit code is 0 either way, because times
depend on what else the machine does.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.request import urlopen

from tests.bench_gradio.board import Row, rows_of
from tests.bench_gradio.servers import gradio_board, our_board
from tests.bench_gradio.visits import Visit, chromium, visit

_ROUNDS = 11


class Figure(NamedTuple):
    title: str
    of: Callable[[Visit], float]
    target: Fraction | None = None  # ours / Gradio's, at most


_FIGURES = (
    Figure("first complete row, ms", lambda visit: visit.milliseconds, Fraction(1, 4)),
    Figure("kB until then", lambda visit: visit.kilobytes, Fraction(1, 20)),
    Figure("answers until then", lambda visit: visit.requests),
    Figure("kB in all", lambda visit: visit.kilobytes_in_all),
    Figure("answers in all", lambda visit: visit.requests_in_all),
)


def main(python: str) -> None:
    with tempfile.TemporaryDirectory(prefix="infinitebench-gradio-") as name:
        folder = Path(name)
        (folder / "ours").mkdir()
        (folder / "gradio").mkdir()
        with our_board(folder / "ours") as ours:
            rows = rows_of(json.load(urlopen(f"{ours}board.json")))
            with gradio_board(Path(python), rows, folder / "gradio") as theirs:
                visits = _visits((ours, theirs), rows[0])
    _tell(len(rows), *visits)


def _visits(addresses: tuple[str, str], first: Row) -> tuple[list[Visit], list[Visit]]:
    """One round warms both servers up and is not counted."""
    rounds = []
    with chromium() as browser:
        for _ in range(_ROUNDS + 1):
            ours, theirs = (visit(browser, address, first) for address in addresses)
            rounds.append((ours, theirs))
    return [ours for ours, _ in rounds[1:]], [theirs for _, theirs in rounds[1:]]


def _tell(entries: int, ours: list[Visit], theirs: list[Visit]) -> None:
    load = os.getloadavg()[0]
    print(f"{entries} entries, empty cache, {_ROUNDS} visits each in turn: median (min–max).")
    print(f"{os.cpu_count()} processors, load {load:.1f}.\n")
    print(f"{'':24}{'∞Bench':>24}{'Gradio':>26}{'ratio':>9}{'target':>9}")
    for figure in _FIGURES:
        print(_line(figure, [figure.of(one) for one in ours], [figure.of(one) for one in theirs]))


def _line(figure: Figure, ours: list[float], theirs: list[float]) -> str:
    times = median(theirs) / median(ours)
    line = f"{figure.title:24}{_spread(ours):>24}{_spread(theirs):>26}{f'1/{times:.1f}':>9}"
    if figure.target is None:
        return line
    verdict = "met" if 1 / times <= figure.target else "not met"
    return f"{line}{figure.target!s:>9}  {verdict}"


def _spread(values: list[float]) -> str:
    return f"{median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"


if __name__ == "__main__":
    main(sys.argv[1])
