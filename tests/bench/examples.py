"""The list of a task's examples, and words in it, over four million answers.

For each search the plan of the database is shown: ``index`` or ``walk`` is what was chosen.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import quote

import psycopg

from portal.demo.postgres import temporary
from tests.bench.ratios import Row
from tests.bench.results.word_index import INDEX
from tests.bench.servers import WITH_SESSION, our_site, run_python, site_environment
from tests.support.paths import ROOT

_ROUNDS = 7
_BOUND = 200  # milliseconds
_LISTS = {  # of En.QA
    "a filter of one entry": "failed=Model 7&tokens_from=100K&sort=-difficulty",
    "a filter of all entries": "is=only-failure&depth_from=0.2&depth_to=0.8",
    "missing answers": "is=missing",
}
_EXAMPLE = f"longbook_qa_eng/{quote('longbook_qa_eng/17', safe='')}/"
_WORDS = {
    "the": ("longbook_qa_eng", "words=the"),
    "answer": ("longbook_qa_eng", "words=answer"),
    "他的": ("longbook_qa_chn", "words=他的"),
    "a phrase": ("longbook_qa_eng", 'words="the answer"'),
    "1 in 100": ("longbook_qa_eng", "words=sometimes"),
    "1 in 5,000": ("longbook_qa_eng", "words=seldom7"),
    "of a tenth of the questions": ("longbook_qa_eng", "words=topic3"),
    "of one question": ("longbook_qa_eng", "words=question17"),
    "in no answer": ("longbook_qa_eng", "words=nowhere"),
    "of wrong answers": ("passkey", "words=answer&is=wrong"),
}


def bench_examples() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.examples_fill")
        building = _build_index(server.url)
        report = [sys.executable, "-m", "tests.bench.examples_plans"]
        report += [part for one in _WORDS.values() for part in one]
        subprocess.run(report, cwd=ROOT, env=environment, check=True)
        scans = _scans(environment)
        with our_site(environment, folder) as address:
            host = address.removeprefix("http://")
            wanted = {name: ("longbook_qa_eng", query) for name, query in _LISTS.items()}
            wanted |= {f"word {name}": about for name, about in _WORDS.items()}
            rows = []
            for what, (task, query) in wanted.items():
                _forget_requests(server.url)
                rows.append(_row(host, what, f"{task}/?{quote(query, safe='=&')}"))
            rows.append(_row(host, "page of an example with 1,020 answers", _EXAMPLE, 60))
    rows.append(Row("queries of any page that read all results / 1", scans, 1, 0, ""))
    return [*rows, Row("index of 4,024,920 answers built / 15 min", building, 900, 1, "s")]


def _scans(environment: Mapping[str, str]) -> int:
    command = [sys.executable, "-m", "tests.bench.results.plans"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout)
    return int(done.stdout.split()[-1])


def _build_index(url: str) -> float:
    with psycopg.connect(url, autocommit=True) as connection:
        start = time.perf_counter()
        connection.execute(INDEX)
        seconds = time.perf_counter() - start
        connection.execute("VACUUM ANALYZE")
    return seconds


def _forget_requests(url: str) -> None:
    """Otherwise the site refuses a second minute of searches from one address."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM portal_cache")


def _row(host: str, name: str, path: str, bound: int = _BOUND) -> Row:
    path = f"/examples/hf/{path}"
    for _ in range(6):  # every process has read the scores
        _seconds(host, path)
    milliseconds = 1000 * median(_seconds(host, path) for _ in range(_ROUNDS))
    return Row(f"{name} / {bound} ms", milliseconds, bound, 1, "ms")


def _seconds(host: str, path: str) -> float:
    start = time.perf_counter()
    connection = HTTPConnection(host, timeout=60)
    headers = WITH_SESSION | {"Accept-Encoding": "gzip"}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 200, (path, answer.status)
    return time.perf_counter() - start


if __name__ == "__main__":
    for row in bench_examples():
        print(f"{row.what:58}{row.measured:>10.2f}{row.reference:>10.2f}{row.ratio:>8.2f}")
