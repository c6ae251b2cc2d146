"""The whole site of 1,000 entries as files: ``python -m tests.bench.freeze``.

Its entries have every score, but no answers: the files with the answers to all 3,946 questions, and
the figures that are computed from them, take more time where entries have them.

What it is compared with is a crawler, which asks the running site for the pages one by one.
"""

import os
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

import psycopg

from portal.demo.postgres import temporary
from tests.bench.ratios import Row, print_table
from tests.bench.servers import our_site, run_python, site_environment

_ENTRIES, _ROUNDS, _ASKED = 1_000, 2, 20  # of each kind of page, in each round
_QUESTIONS = """
INSERT INTO portal_example
    (data_set_id, index, key, label, options, question, tokens_estimated, kind)
SELECT id, n, n, '["a label"]', '[]', 'What does the chapter say?', false, ''
FROM portal_taskdataset, generate_series(0, size - 1) n
"""
_PAGES = """
SELECT s.id, m.slug FROM portal_submission s JOIN portal_languagemodel m
ON m.id = s.language_model_id WHERE s.state = 'published' ORDER BY s.id
"""


def bench_freeze() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.boards.fill", str(_ENTRIES))
        with psycopg.connect(server.url) as connection:
            connection.execute(_QUESTIONS)
            entries = connection.execute(_PAGES).fetchall()
        kinds = (
            [f"/entries/{pk}/" for pk, _ in entries],
            [f"/entries/{pk}/receipt.json" for pk, _ in entries],
            [f"/models/{slug}/" for _, slug in entries],
        )
        frozen, crawled = [], []
        with our_site(environment, folder) as address:
            for number in range(_ROUNDS):
                places = slice(number * _ASKED, (number + 1) * _ASKED)
                pages = [_seconds_of_each(address, server.url, one[places]) for one in kinds]
                crawled.append(_ENTRIES * sum(pages))
                start, before = time.perf_counter(), os.times()
                out = str(folder / f"frozen-{number}")
                run_python(environment, "manage.py", "freeze", out, "--without-answers")
                frozen.append(time.perf_counter() - start)
                after = os.times()
                used = after.children_user - before.children_user
                used += after.children_system - before.children_system
                print(f"{used:.1f} s of {os.cpu_count()} processors, without the database's")
    seconds = median(frozen)
    return [
        Row("freezing 1,000 entries / 60 s", seconds, 60, 1, "s"),
        Row("freezing 1,000 entries / a crawler, their pages", seconds, median(crawled), 1, "s"),
    ]


def _seconds_of_each(address: str, database: str, paths: list[str]) -> float:
    """The median; no reader has asked for too much before."""
    with psycopg.connect(database) as connection:
        connection.execute("DELETE FROM portal_cache")
    found = []
    for path in paths:
        start = time.perf_counter()
        site = HTTPConnection(address.removeprefix("http://"), timeout=60)
        site.request("GET", path)
        answer = site.getresponse()
        answer.read()
        site.close()
        assert answer.status == 200, (path, answer.status)
        found.append(time.perf_counter() - start)
    return median(found)


if __name__ == "__main__":
    print_table(bench_freeze())
