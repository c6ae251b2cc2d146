"""What a result takes besides its prediction, and storing one submission more:
``python -m tests.bench.results.bench ENTRIES``.

Of 1,020 entries (4 million results) in ``make bench``; of 10,000 (39 million) it takes an hour, and
30 GB for PostgreSQL below ``TMPDIR``.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import psycopg

from portal.demo.postgres import temporary
from scoring.catalog import TASKS
from tests.bench.ratios import Row, print_table
from tests.bench.servers import run_python, site_environment
from tests.support.paths import ROOT

_TURNS, _ROUNDS = 4, 5  # of storing, in the full table and in an empty one
_BYTES, _TIMES = 60, 1.2
_SIZES = """
SELECT pg_total_relation_size('portal_resultblock'), pg_table_size('portal_resultblock'),
    pg_relation_size('result_blocks_words')
"""


def bench_results(entries: int = 1_020) -> list[Row]:
    results = entries * sum(task.examples for task in TASKS.values())
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        full = _database(server.url, Path(name) / "full", "full")
        empty = _database(server.url, Path(name) / "empty", "nothing")
        said = _said(full, "tests.bench.results.fill", entries)
        predictions = int(said.rpartition("predictions ")[2])
        with psycopg.connect(full["DATABASE_URL"], autocommit=True) as connection:
            total, table, words = connection.execute(_SIZES).fetchone() or (0, 0, 0)
        print(said.strip())
        print(
            f"bytes of a result: {total / results:.1f}, of which {table / results:.1f} in the table"
            f" and {words / results:.1f} in the index of words; of its prediction"
            f" {predictions / results:.1f}"
        )
        seconds: dict[str, list[float]] = {"full": [], "empty": []}
        merged: dict[str, list[float]] = {"full": [], "empty": []}
        for _ in range(_TURNS):
            for where, environment in (("full", full), ("empty", empty)):
                for line in _said(environment, "tests.bench.results.store", _ROUNDS).splitlines():
                    kind, _space, value = line.partition(" ")
                    if kind in ("stored", "merged"):
                        (seconds if kind == "stored" else merged)[where].append(float(value))
    for where, found in merged.items():
        print(f"merging the words of {_ROUNDS} submissions, {where}: {median(found):.2f} s")
    millions = f"{results / 1e6:.1f} million"
    return [
        Row(
            f"a result besides its prediction, of {millions} / {_BYTES} B",
            (total - predictions) / results, _BYTES, 1, "B",
        ),
        Row(
            f"one submission more, {millions} / empty table",
            1000 * median(seconds["full"]), 1000 * median(seconds["empty"]), _TIMES, "ms",
        ),
    ]  # fmt: skip


def _database(url: str, folder: Path, name: str) -> Mapping[str, str]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    folder.mkdir()
    environment = site_environment(folder, url.rpartition("/")[0] + f"/{name}")
    run_python(environment, "manage.py", "migrate", "--verbosity=0")
    return environment


def _said(environment: Mapping[str, str], module: str, count: int) -> str:
    command = [sys.executable, "-m", module, str(count)]
    found = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return found.stdout


if __name__ == "__main__":
    sys.exit(print_table(bench_results(int(sys.argv[1]))))
