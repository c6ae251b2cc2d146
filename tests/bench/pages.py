"""What the pages with pictures cost: of an entry with all its breakdowns, and of six curves."""

import re
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from portal.demo.postgres import temporary
from tests.bench.ratios import Row
from tests.bench.servers import WITH_SESSION, our_site, run_python, site_environment
from tests.support.paths import ROOT

_ROUNDS = 20
_LADDER = "/releases/steps/lengths/"


def bench_pages() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        fill = [sys.executable, "-m", "tests.bench.ladder_fill"]
        done = subprocess.run(fill, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)
        entry = f"/entries/{done.stdout.decode().split()[-1]}/"
        with our_site(environment, folder) as address:
            host = address.removeprefix("http://")
            pages = {
                path: _Page(host, path) for path in (entry, _LADDER, "/", f"{_LADDER}?task=passkey")
            }
    scripts = [script for page in pages.values() for script in page.scripts]
    others = [one for one in scripts if not one.startswith("/static/js/site.")]
    return [
        Row("entry with all breakdowns / 100 ms", pages[entry].milliseconds, 100, 1, "ms"),
        Row("entry with all breakdowns / 80 kB", pages[entry].kilobytes, 80, 1, "kB"),
        Row("six curves of a ladder / 60 kB", pages[_LADDER].kilobytes, 60, 1, "kB"),
        Row("six curves of a ladder / 100 ms", pages[_LADDER].milliseconds, 100, 1, "ms"),
        Row("scripts of pages without an open chart, but for one / 1", len(others), 1, 0, ""),
    ]


class _Page:
    """What a reader gets of it, once each process has made it."""

    def __init__(self, host: str, path: str) -> None:
        self._host, self._path = host, path
        for _ in range(6):  # every process has had some
            body = self._get("identity")
        self.scripts = re.findall(r'<script[^>]* src="([^"]+)"', body.decode())
        self.kilobytes = len(self._get("gzip")) / 1000
        self.milliseconds = 1000 * median(self._seconds() for _ in range(_ROUNDS))

    def _seconds(self) -> float:
        start = time.perf_counter()
        self._get("gzip")
        return time.perf_counter() - start

    def _get(self, encoding: str) -> bytes:
        connection = HTTPConnection(self._host, timeout=60)
        headers = WITH_SESSION | {"Accept-Encoding": encoding}
        connection.request("GET", self._path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 200, (self._path, answer.status)
        return body


if __name__ == "__main__":
    for row in bench_pages():
        print(f"{row.what:58}{row.measured:>10.2f}{row.reference:>10.2f}{row.ratio:>8.2f}")
