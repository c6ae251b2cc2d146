"""What it costs to look into a context of two million tokens: its page, a jump, a search."""

import re
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from statistics import median
from urllib.parse import quote

from portal.demo.postgres import temporary
from tests.bench.ratios import Row
from tests.bench.servers import WITH_SESSION, our_site, run_python, site_environment

_ROUNDS = 25
_LONG = 2_000_000  # tokens, as tests.bench.contexts_fill makes them
_EN, _ZH = "/examples/bench-en/longbook_qa_eng", "/examples/bench-zh/longbook_qa_chn"
_MANY = "/examples/bench-many/kv_retrieval/contexts"
_WORDS = {"in all of 2M tokens": "the", "in the middle of 2M": "lighthouse", "in none of 2M": "zzz"}


def bench_contexts() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, temporary() as server:
        folder = Path(name)
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        run_python(environment, "-m", "tests.bench.contexts_fill")
        with our_site(environment, folder) as address:
            return _rows(_Site(address.removeprefix("http://")))


def _rows(site: "_Site") -> list[Row]:
    pages = f"{_EN}/long/", f"{_EN}/short/"
    # In turns, so that both meet the same machine; the first ones fill caches.
    times = [[site.milliseconds(page) for page in pages] for _ in range(_ROUNDS + 5)]
    long, short = (median(some) for some in zip(*times[5:], strict=True))
    size = len(site.get(f"{_EN}/long/")) / 1000
    return [
        Row("example of 2M tokens / of 20K tokens", long, short, 1.3, "ms"),
        Row("example of 2M tokens / 150 kB", size, 150, 1, "kB"),
        Row("a jump in 2M tokens / 50 ms", _jump(site, _EN), 50, 1, "ms"),
        Row("a jump in 2M Chinese tokens / 50 ms", _jump(site, _ZH), 50, 1, "ms"),
        *(_search(site, f"search, {name}", _EN, query) for name, query in _WORDS.items()),
        _search(site, "search, in all of 2M Chinese tokens", _ZH, "他的"),
        _search(site, "search, in the middle of 2M Chinese", _ZH, "lighthouse"),
        Row("page with a search in 2M tokens / 300 ms", _page(site), 300, 1, "ms"),
        *(_everywhere(site, query) for query in ("lighthouse", "the")),
    ]


def _jump(site: "_Site", path: str) -> float:
    """To any place: the longer of the two answers that a script asks for at once, the tokens
    before it and those from it on."""
    random = Random(1)
    times = []
    for _ in range(_ROUNDS):
        place = random.randrange(150, _LONG - 10_000)
        window = f"{path}/long/context?tokens={{}}&from={{}}"
        parts = (150, place - 150), (1_500, place)
        times.append(max(site.milliseconds(window.format(*part)) for part in parts))
    return median(times)


def _search(site: "_Site", name: str, path: str, query: str) -> Row:
    address = f"{path}/long/search?q={quote(query)}&from={_LONG // 3}&limit=20"
    return Row(f"{name} / 300 ms", site.median(address), 300, 1, "ms")


def _page(site: "_Site") -> float:
    return site.median(f"{_EN}/long/?find=the&at={_LONG // 2}")


def _everywhere(site: "_Site", query: str) -> Row:
    """All shares of it."""
    times = []
    for _ in range(3):
        spent, following = 0.0, f"?q={query}"
        while following:
            start = time.perf_counter()
            page = site.get(f"{_MANY}{following}", "identity").decode()
            spent += time.perf_counter() - start
            more = re.search(r'href="(\?[^"]*)" rel="next" data-more', page)
            following = more[1].replace("&amp;", "&") if more else ""
        times.append(1000 * spent)
    return Row(f"search in 400 contexts of 200 MB: {query} / 2 s", median(times), 2000, 1, "ms")


class _Site:
    def __init__(self, host: str) -> None:
        self._host = host

    def median(self, path: str) -> float:
        return median([self.milliseconds(path) for _ in range(_ROUNDS)][2:])

    def milliseconds(self, path: str) -> float:
        start = time.perf_counter()
        self.get(path)
        return 1000 * (time.perf_counter() - start)

    def get(self, path: str, encoding: str = "gzip") -> bytes:
        connection = HTTPConnection(self._host, timeout=60)
        headers = WITH_SESSION | {"Accept-Encoding": encoding}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status)
        return body


if __name__ == "__main__":
    for row in bench_contexts():
        print(f"{row.what:58}{row.measured:>10.2f}{row.reference:>10.2f}{row.ratio:>8.2f}")
