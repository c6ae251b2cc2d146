"""An endpoint run against the reference endpoint: how near it comes to the ideal, which is that all
places are taken all the time; and its memory with long prompts."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from scoring.generators.release import generate_release
from tests.bench.ratios import Row
from tests.support.paths import ROOT
from tests.support.reference_endpoint import Endpoint, served
from tests.support.worlds import write_lines

_REQUESTS = 1_500
_AT_ONCE = 64
_MEAN = 1.0  # seconds
_LONG = 32  # prompts of 128K tokens at once

# A process is charged with what the one that started it had until then: so a small one starts it.
_PEAK = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def bench_endpoint() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [_rate(Path(folder) / "short"), _memory(Path(folder) / "long")]


def _rate(folder: Path) -> Row:
    """Where the machine is too busy for the ideal, a bare loop of requests shows how far."""
    release = _release(folder, 4_000, _REQUESTS)
    times = {}
    for name in ("bare", "run"):
        log = folder / f"{name}.jsonl"
        latency = ("--log", str(log), "--latency", f"{_MEAN},0.5")
        with served(*_behaviour(folder), *latency) as endpoint:
            if name == "run":
                _run(endpoint, release, _AT_ONCE)
            else:
                loop = [sys.executable, "-m", "tests.bench.bare_loop", endpoint.url, endpoint.model]
                subprocess.run([*loop, str(release), str(_AT_ONCE)], cwd=ROOT, check=True)
        times[name] = _times_of_ideal(log)
    what = f"run: 4K-token prompts, {_AT_ONCE} at once / ideal or bare loop"
    return Row(what, times["run"], max(1 / 0.95, times["bare"] / 0.97), 1, "")


def _times_of_ideal(log: Path) -> float:
    """Of the middle 80 % of the run: at its ends places are empty by nature."""
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    begun, ended = min(one["from"] for one in asked), max(one["to"] for one in asked)
    start, end = begun + 0.1 * (ended - begun), begun + 0.9 * (ended - begun)
    inside = sum(
        max(0.0, min(one["from"] + one["latency"], end) - max(one["from"], start)) for one in asked
    )
    return float((end - start) * _AT_ONCE / inside)


def _memory(folder: Path) -> Row:
    release = _release(folder, 128_000, 2 * _LONG)
    with served(*_behaviour(folder), "--latency", f"{_MEAN},0.5") as endpoint:
        peak = _run(endpoint, release, _LONG)
    return Row(f"run: 128K-token prompts, {_LONG} at once / 300 MiB", peak, 300, 1, "MiB")


def _release(folder: Path, tokens: int, count: int) -> Path:
    folder.mkdir()
    write_lines(folder / "canned.jsonl", {"question": "", "answer": "00000"})
    generate_release(folder / "gold", seed=7, tokens=[tokens], tasks=["passkey"], examples=count)
    return folder / "gold"


def _behaviour(folder: Path) -> tuple[str, ...]:
    return ("--window", "256K", "--canned", str(folder / "canned.jsonl"))


def _run(endpoint: Endpoint, release: Path, concurrency: int) -> float:
    """The peak memory of the whole process in MiB."""
    place = ["--endpoint", endpoint.url, "--model", endpoint.model, "--window", "160K"]
    files = ["--gold", str(release), "--out", str(release.parent / "run")]
    command = [sys.executable, "-m", "scoring", "run", *place, *files]
    starter = [sys.executable, "-I", "-c", _PEAK, *command, "--concurrency", str(concurrency)]
    done = subprocess.run(starter, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return int(done.stdout) / 1024
