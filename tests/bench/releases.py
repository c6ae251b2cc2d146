"""What long contexts cost: to import them, and to read a window of one.

``python -m tests.bench.releases EXAMPLES TOKENS`` imports as many as one likes. The size of ∞Bench
is 3946 examples of 200000 tokens: 3 GB of text, three times that on the disk.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import orjson

from portal.demo.postgres import temporary
from scoring.text.text_index import IndexedText, build_index
from scoring.text.tokens import count_tokens, estimate_tokens, token_lengths
from tests.bench.ratios import Row, best_of
from tests.support.paths import ROOT
from tests.support.releases import build_release, chinese

_TURN = 0.02  # seconds between two looks
_EXAMPLES, _TOKENS = 200, 100_000
_LONG = 2_000_000  # tokens
_WINDOWS, _WIDTH = 200, 2_000


@dataclass(slots=True)
class Cost:
    seconds: float = 0.0
    peaks: dict[int, float] = field(default_factory=dict)  # MiB, by process
    main: int = 0

    @property
    def main_peak(self) -> float:
        return self.peaks[self.main]

    @property
    def counter_peak(self) -> float:
        """The largest of the processes that count."""
        return max(peak for pid, peak in self.peaks.items() if pid != self.main)


@contextmanager
def site(place: Path) -> Iterator[Mapping[str, str]]:
    """The variables of a site of its own, with a database that is ready."""
    with temporary() as server:
        variables = {
            **os.environ,
            "DEMO": "1",
            "STATE_DIR": str(place / "state"),
            "DATABASE_URL": server.url,
        }
        manage(variables, "migrate", "--verbosity", "0")
        yield variables


def manage(variables: Mapping[str, str], *arguments: object) -> None:
    command = [sys.executable, "manage.py", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, env=variables, check=True)


def import_cost(variables: Mapping[str, str], release: Path, *, quiet: bool = True) -> Cost:
    command = [sys.executable, "manage.py", "import_release", str(release)]
    begun = time.monotonic()
    out = subprocess.DEVNULL if quiet else None
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=out)
    cost = Cost(main=process.pid)
    while process.poll() is None:
        for pid in (process.pid, *children(process.pid)):
            with suppress(OSError, StopIteration):
                cost.peaks[pid] = max(peak(pid), cost.peaks.get(pid, 0.0))
        time.sleep(_TURN)
    assert process.returncode == 0
    cost.seconds = time.monotonic() - begun
    return cost


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def peak(pid: int) -> float:
    """MiB. Raises ``OSError`` or ``StopIteration`` where the process is gone."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def bench_releases() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        release = build_release(place / "release", examples=_EXAMPLES // 2, tokens=_TOKENS)
        with site(place) as variables:
            cost = import_cost(variables, release)
        reference = best_of(1, lambda: count_all(release))
        window = worst_window(place)
    return [
        Row("import 200 × 100K tokens / twice counting alone", cost.seconds, 2 * reference, 1, "s"),
        Row("import, peak memory / 200 MiB", cost.main_peak, 200, 1, "MiB"),
        Row("import, peak memory of counting / 150 MiB", cost.counter_peak, 150, 1, "MiB"),
        Row("any window of 2M Chinese tokens / 10 ms", 1_000 * window, 10, 1, "ms"),
    ]


def count_all(release: Path) -> None:
    """In one process, with nothing else to do."""
    for file in release.glob("*.jsonl"):
        with file.open("rb") as lines:
            for line in lines:
                count_tokens(orjson.loads(line)["context"])


def worst_window(place: Path) -> float:
    """Seconds for the slowest of many pairs of windows: one of characters, one of tokens."""
    random = Random(1)
    text = chinese(random, _LONG)
    lengths = token_lengths(text)
    files = place / "text", place / "index"
    files[0].write_text(text, encoding="utf-8")
    tokens = estimate_tokens(text) if lengths is None else len(lengths)
    files[1].write_bytes(build_index(text, tokens, lengths))
    places = [random.random() for _ in range(_WINDOWS)]
    return max(best_of(3, partial(read_windows, files, place)) for place in places)


def read_windows(files: tuple[Path, Path], place: float) -> None:
    with files[0].open("rb") as data, files[1].open("rb") as index:
        read = IndexedText(data, index)
        start = int(place * (read.size.characters - _WIDTH))
        read.by_characters(start, start + _WIDTH)
        start = int(place * (read.size.tokens - _WIDTH))
        read.by_tokens(start, start + _WIDTH)


def main(examples: int, tokens: int) -> None:
    place = Path(tempfile.mkdtemp(prefix="bench-", dir=os.environ.get("BENCH_DIR")))
    try:
        begun = time.monotonic()
        release = build_release(place / "release", examples=examples // 2, tokens=tokens)
        print(f"built in {time.monotonic() - begun:.0f} s")
        with site(place) as variables:
            for run in ("first", "again"):
                cost = import_cost(variables, release, quiet=False)
                print(
                    f"{run}: {cost.seconds:.1f} s; peaks: importing {cost.main_peak:.0f} MiB, "
                    f"counting {cost.counter_peak:.0f} MiB"
                    if len(cost.peaks) > 1
                    else f"{run}: {cost.seconds:.1f} s; peak: {cost.main_peak:.0f} MiB"
                )
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
