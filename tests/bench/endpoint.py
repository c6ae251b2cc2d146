"""An endpoint run against the reference endpoint: how near it comes to the ideal, which is that all
places are taken all the time; and its memory with long prompts."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from scoring.generators.release import generate_release
from tests.bench.endpoint_log import times_of_ideal
from tests.bench.processes import taken_by
from tests.bench.ratios import Row
from tests.support.paths import ROOT
from tests.support.reference_endpoint import Endpoint, served
from tests.support.worlds import write_lines

_REQUESTS = 1_500
_AT_ONCE = 64
_ROUNDS = 3
_LATENCY = "1.0,0.5"  # seconds on average, and their spread
_LONG = 32  # prompts of 128K tokens at once


def bench_endpoint() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [_rate(Path(folder) / "short"), _memory(Path(folder) / "long")]


def _rate(folder: Path) -> Row:
    """Where the machine is too busy for the ideal, a bare loop of requests shows how far."""
    release = made_release(folder, 4_000, _REQUESTS)
    bare, ours = [], []
    for turn in range(_ROUNDS):
        log = folder / f"bare-{turn}.jsonl"
        with reference(folder, log) as endpoint:
            loop = [sys.executable, "-m", "tests.bench.bare_loop", endpoint.url, endpoint.model]
            subprocess.run([*loop, str(release), str(_AT_ONCE)], cwd=ROOT, check=True)
        bare.append(times_of_ideal(log, _AT_ONCE))
        log = folder / f"run-{turn}.jsonl"
        with reference(folder, log) as endpoint:
            command = run_command(endpoint, release, folder / f"run-{turn}", _AT_ONCE)
            taken_by(command, cwd=ROOT)
        ours.append(times_of_ideal(log, _AT_ONCE))
    what = f"run: 4K-token prompts, {_AT_ONCE} at once / ideal or bare loop"
    return Row(what, median(ours), max(1 / 0.95, median(bare) / 0.97), 1, "")


def _memory(folder: Path) -> Row:
    release = made_release(folder, 128_000, 2 * _LONG)
    with reference(folder, folder / "log.jsonl") as endpoint:
        peak = taken_by(run_command(endpoint, release, folder / "run", _LONG), cwd=ROOT).peak
    return Row(f"run: 128K-token prompts, {_LONG} at once / 300 MiB", peak, 300, 1, "MiB")


def made_release(folder: Path, tokens: int, count: int) -> Path:
    """In the new folder, with the answers of the endpoint beside it."""
    folder.mkdir()
    write_lines(folder / "canned.jsonl", {"question": "", "answer": "00000"})
    generate_release(folder / "gold", seed=7, tokens=[tokens], tasks=["passkey"], examples=count)
    return folder / "gold"


@contextmanager
def reference(folder: Path, log: Path) -> Iterator[Endpoint]:
    """The reference endpoint with the answers beside a release, as slow as a model."""
    answers = ("--canned", str(folder / "canned.jsonl"), "--latency", _LATENCY)
    with served("--window", "256K", *answers, "--log", str(log)) as endpoint:
        yield endpoint


def run_command(endpoint: Endpoint, release: Path, out: Path, at_once: int) -> list[str]:
    place = ["--endpoint", endpoint.url, "--model", endpoint.model, "--window", "160K"]
    files = ["--gold", str(release), "--out", str(out), "--concurrency", str(at_once)]
    return [sys.executable, "-m", "scoring", "run", *place, *files]
