"""Endpoint runs of the site: how soon a large one starts, and what a second worker brings."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from portal.demo.postgres import temporary
from scoring.generators.release import generate_release
from tests.bench.endpoint_log import answers_per_second
from tests.bench.ratios import Row
from tests.bench.servers import run_python, site_environment
from tests.support.paths import ROOT
from tests.support.reference_endpoint import served
from tests.support.worlds import write_lines

_REQUESTS = 900
_ROUNDS = 3
_WIDTH = 32  # requests at once of a worker
_MEAN = 1.0  # seconds
_WORKER = (
    sys.executable, "-m", "celery", "-A", "portal.celery", "worker", "--pool", "solo",
    "--queues", "runs", "--without-gossip", "--without-mingle", "--without-heartbeat",
)  # fmt: skip


def bench_runs() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        canned = folder / "canned.jsonl"
        write_lines(canned, {"question": "", "answer": "00000"})
        return [_start(environment), _rates(folder, environment), _memory(folder, environment)]


def _start(environment: Mapping[str, str]) -> Row:
    seconds = _printed(environment, "tests.bench.runs_fill", "start")
    return Row("start a run of 3,946 questions / 2 s", seconds, 2, 1, "s")


def _printed(environment: Mapping[str, str], *module: str) -> float:
    """The figure in the last line that a module prints."""
    command = [sys.executable, "-m", *module]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)
    return float(done.stdout.split()[-1])


def _rates(folder: Path, environment: Mapping[str, str]) -> Row:
    release = _release(folder / "short", 4_000, _REQUESTS)
    rounds = [
        [_asked(release, environment, workers, turn).rate for workers in (1, 2)]
        for turn in range(_ROUNDS)
    ]
    one, two = map(median, zip(*rounds, strict=True))
    what = f"run: one worker with {_WIDTH} at once / two with {_WIDTH} each"
    return Row(what, one, two, 1 / 1.8, "/s")


def _memory(folder: Path, environment: Mapping[str, str]) -> Row:
    release = _release(folder / "long", 128_000, 2 * _WIDTH)
    peak = _asked(release, environment, 1, 0).peak
    return Row(f"a worker with {_WIDTH} prompts of 128K tokens / 300 MiB", peak, 300, 1, "MiB")


def _release(folder: Path, tokens: int, count: int) -> Path:
    generate_release(folder, seed=7, tokens=[tokens], tasks=["passkey"], examples=count)
    return folder


class _Asked(NamedTuple):
    rate: float  # answers in a second
    peak: float  # memory of a worker in MiB


def _asked(release: Path, environment: Mapping[str, str], workers: int, turn: int) -> _Asked:
    folder = release.parent
    log = folder / f"{release.name}-{workers}-{turn}.jsonl"
    answers = ("--canned", str(folder / "canned.jsonl"), "--latency", f"{_MEAN},0.5")
    with served("--window", "256K", *answers, "--log", str(log)) as endpoint:
        own = {**environment, "ENDPOINT_LOOPBACK_PORTS": str(endpoint.port)}
        place = (str(release), endpoint.url, endpoint.model, str(workers * _WIDTH))
        with _started(workers, own, folder) as processes:
            run_python(own, "-m", "tests.bench.runs_fill", "ask", *place)
            peak = max(_peak(process.pid) for process in processes)
    return _Asked(answers_per_second(log, workers * _WIDTH), peak)


def _peak(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def _started(
    workers: int, environment: Mapping[str, str], folder: Path
) -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(workers):
            with (folder / f"worker-{number}.log").open("wb") as log:
                command = [*_WORKER, "--hostname", f"bench-{number}@%h"]
                processes.append(
                    subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
                )
        yield processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
