"""``make bench-gradio``: a first visit to a board of 100 entries, here and in a Gradio leaderboard.

Both are served on this machine, show the same rows, and are visited in turn with an empty cache:
once as fast as the machine can, where bytes and requests cost next to nothing, and once through a
network slowed down. It says whether the targets are met; its exit code is 0 either way, because
times depend on what else the machine does.
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

from tests.bench.gradio.board import Row, rows_of
from tests.bench.gradio.servers import gradio_board, our_board
from tests.bench.gradio.visits import AWAY, HERE, Network, Visit, chromium, visit

_ROUNDS = 9
_WARMING = 8  # requests for each address: every process of a server has had some


class Figure(NamedTuple):
    title: str
    of: Callable[[Visit], float]
    network: Network = HERE
    target: Fraction | None = None  # ours / Gradio's, at most


def _milliseconds(visit: Visit) -> float:
    return visit.milliseconds


_FIGURES = (
    Figure("first complete row, ms", _milliseconds, HERE, Fraction(1, 4)),
    Figure(f"  {AWAY.title}", _milliseconds, AWAY, Fraction(1, 4)),
    Figure("kB until then", lambda visit: visit.kilobytes, HERE, Fraction(1, 20)),
    Figure("answers until then", lambda visit: visit.requests),
    Figure("kB in all", lambda visit: visit.kilobytes_in_all),
    Figure("answers in all", lambda visit: visit.requests_in_all),
)


class Round(NamedTuple):
    """One visit to each, right after one another."""

    ours: Visit
    gradio: Visit


def main(python: str) -> None:
    with tempfile.TemporaryDirectory(prefix="infinitebench-gradio-") as name:
        folders = Path(name, "ours"), Path(name, "gradio")
        for folder in folders:
            folder.mkdir()
        with our_board(folders[0]) as ours:
            rows = rows_of(json.load(urlopen(f"{ours}board.json")))
            with gradio_board(Path(python), rows, folders[1]) as theirs:
                rounds = _visit_in_turn((ours, theirs), rows[0])
    _print_results(len(rows), rounds)


def _visit_in_turn(addresses: tuple[str, str], first: Row) -> dict[Network, list[Round]]:
    for address in addresses * _WARMING:
        urlopen(address).close()
    with chromium() as browser:

        def once(network: Network) -> Round:
            return Round(*(visit(browser, address, first, network) for address in addresses))

        once(HERE)  # the browser's first pages are slower
        return {network: [once(network) for _ in range(_ROUNDS)] for network in (HERE, AWAY)}


def _print_results(entries: int, rounds: dict[Network, list[Round]]) -> None:
    load = os.getloadavg()[0]
    print(f"{entries} entries, empty cache, {_ROUNDS} visits each in turn: median (min–max).")
    print(f"{os.cpu_count()} processors, load {load:.1f}.\n")
    print(f"{'':26}{'∞Bench':>22}{'Gradio':>26}{'ratio':>9}{'target':>9}")
    for figure in _FIGURES:
        print(_line(figure, rounds[figure.network]))


def _line(figure: Figure, rounds: list[Round]) -> str:
    ours, gradio = ([figure.of(one) for one in visits] for visits in zip(*rounds, strict=True))
    times = median(gradio) / median(ours)
    line = f"{figure.title:26}{_spread(ours):>22}{_spread(gradio):>26}{f'1/{times:.1f}':>9}"
    if figure.target is None:
        return line
    verdict = "met" if 1 / times <= figure.target else "not met"
    return f"{line}{figure.target!s:>9}  {verdict}"


def _spread(values: list[float]) -> str:
    return f"{median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"


if __name__ == "__main__":
    main(sys.argv[1])
