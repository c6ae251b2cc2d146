"""``python -m tests.bench.load LOCUST [SECONDS [ENTRIES]]``: the site under an open load.

40 reads and one upload a second for five minutes, after three in which the load grows, of a site
with 1,020 entries that nobody has read before. Its web processes, one worker and the sweeper are
started as in ``docker/``.

Locust runs at the lowest priority on the same processors. Exit code 1 where a bound is missed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from portal.demo.postgres import temporary
from tests.bench.ratios import Row, print_table
from tests.bench.servers import our_site, run_python, site_environment
from tests.support.paths import ROOT

ENTRIES = 1_020  # with four million answers
_SECONDS, _WARM_UP = 300, 180
_P95 = 250  # milliseconds
_WORKER = (
    sys.executable, "-m", "celery", "-A", "portal.celery", "worker", "--pool", "solo", "--queues",
    "scoring", "--without-gossip", "--without-mingle", "--without-heartbeat",
)  # fmt: skip
_SWEEPER = (sys.executable, "manage.py", "sweep")


def main(locust: str, seconds: int = _SECONDS, entries: int = ENTRIES) -> int:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder / "state", server.url) | {"TRUSTED_PROXIES": "1"}
        (folder / "state").mkdir()
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.load.fill", str(folder), str(entries))
        with (
            our_site(environment, folder) as address,
            _running(_WORKER, environment, folder / "worker.log"),
            _running(_SWEEPER, environment, folder / "sweeper.log"),
        ):
            _load(locust, address, folder, seconds)
            states = _ended(environment)
        times = json.loads((folder / "times.json").read_text())
    return print_table(_rows(times, states, seconds))


@contextmanager
def _running(command: tuple[str, ...], environment: Mapping[str, str], log: Path) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _load(locust: str, address: str, folder: Path, seconds: int) -> None:
    command = [
        *("nice", "-n", "19", locust, "--locustfile", "tests/bench/load/locustfile.py"),
        *("--headless", "--users", "2", "--spawn-rate", "2", "--host", address),
        *("--run-time", f"{_WARM_UP + seconds}s", "--stop-timeout", "30", "--only-summary"),
    ]
    variables = {**os.environ, "LOAD": str(folder), "WARM_UP": str(_WARM_UP)}
    subprocess.run(command, cwd=ROOT, env=variables, check=False)  # 1: a request has failed


def _ended(environment: Mapping[str, str]) -> dict[str, int]:
    """How many submissions there are by the state of their evaluation, once none is open."""
    command = [sys.executable, "-m", "tests.bench.load.outcome"]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def _rows(
    times: list[tuple[str, float, str]], states: Mapping[str, int], seconds: int
) -> list[Row]:
    kinds: defaultdict[str, list[float]] = defaultdict(list)
    for kind, milliseconds, _error in times:
        kinds[kind].append(milliseconds)
    for kind, found in sorted(kinds.items()):
        print(f"{kind:24}{len(found):>7} {_quantile(found, 50):>7.0f} {_quantile(found, 95):>7.0f}")
    errors = [error for _kind, _milliseconds, error in times if error]
    print("\n".join(sorted(set(errors))[:20]))
    print(f"submissions: {states}")
    reads = [one for kind, found in kinds.items() if kind != "upload" for one in found]
    uploads, unscored = len(kinds["upload"]), sum(states.values()) - states["scored"]
    return [
        Row(f"p95 of {len(reads)} reads / {_P95} ms", _quantile(reads, 95), _P95, 1, "ms"),
        Row("p50 of reads / 250 ms", _quantile(reads, 50), _P95, 1, "ms"),
        Row("reads / 40 a second", 40 * seconds, len(reads), 1.02, ""),
        Row("uploads / one a second", seconds, uploads, 1.02, ""),
        Row("errors / 1", len(errors), 1, 0, ""),
        Row("submissions that are not scored / 1", unscored, 1, 0, ""),
    ]  # fmt: skip


def _quantile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
