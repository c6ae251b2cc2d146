"""1,000 published entries among 10,000 submissions against 100, each on a site of its own.

Both are visited in turn, so that what else the machine does slows both down.
"""

import gzip
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

import psycopg

from portal.demo.postgres import temporary
from tests.bench.boards.visits import bench_visits
from tests.bench.ratios import Row
from tests.bench.servers import our_site, run_python, site_environment

_BOARD = "/board/hf/"
_SEARCH = "/board/hf/?q=alder-1b"
_OWN_WEIGHTS = "/board/hf/?tasks=passkey:2,code_debug,longbook_qa_eng:3"
_ROUNDS, _KEPT_ROUNDS = 15, 60
_VISITORS = 100
_SIZES = range(2_000, 130_000, 2_000)  # bytes of static files
_HEADERS = {"Accept-Encoding": "gzip"}
_CHANGE = """
INSERT INTO portal_boardversion (id, number) VALUES (1, 1)
ON CONFLICT (id) DO UPDATE SET number = portal_boardversion.number + 1
"""
_FEW = """
UPDATE portal_submission SET state = 'private' WHERE language_model_id NOT IN (
    SELECT id FROM portal_languagemodel ORDER BY id LIMIT 100
)
"""


@dataclass(frozen=True, slots=True)
class Site:
    host: str
    database: str
    boards_made: Path

    def get(self, path: str) -> bytes:
        connection = HTTPConnection(self.host, timeout=60)
        connection.request("GET", path, headers=_HEADERS)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status)
        return body

    def seconds(self, path: str) -> float:
        start = time.perf_counter()
        self.get(path)
        return time.perf_counter() - start

    def change(self) -> None:
        """As a change of an entry does."""
        with psycopg.connect(self.database) as connection:
            connection.execute(_CHANGE)
        self.forget_readers()

    def forget_readers(self) -> None:
        """Nobody has asked for too much in this minute."""
        with psycopg.connect(self.database) as connection:
            connection.execute("DELETE FROM portal_cache")

    def first_answer(self, path: str) -> float:
        self.change()
        return self.seconds(path)

    def other_answer(self, path: str) -> float:
        """Of a page that is not kept, to readers of a board that has been answered before."""
        self.forget_readers()
        return self.seconds(path)


def bench_boards() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, two_sites(Path(name)) as (many, few):
        for _ in range(4):  # every process has had some
            for site in (many, few):
                site.first_answer(_BOARD)
        first = in_turn(
            _ROUNDS, lambda: many.first_answer(_BOARD), lambda: few.first_answer(_BOARD)
        )
        for _ in range(4):
            for site in (many, few):
                site.other_answer(_SEARCH)
        search = in_turn(
            _ROUNDS, lambda: many.other_answer(_SEARCH), lambda: few.other_answer(_SEARCH)
        )
        weighted = 1_000 * median(many.other_answer(_OWN_WEIGHTS) for _ in range(_ROUNDS))
        size = len(many.get(_BOARD))
        file = f"/static/{min(_SIZES, key=lambda one: abs(one - size))}.bin"
        kept = in_turn(_KEPT_ROUNDS, lambda: many.seconds(_BOARD), lambda: many.seconds(file))
        made = boards_made_for_visitors(many)
        visits = bench_visits(
            f"http://{few.host}{_BOARD}", gzip.decompress(few.get(f"{_BOARD}board.json"))
        )
    return [
        Row("board of 1,000 entries, first answer / of 100", *first, 1.5, "ms"),
        Row("board of 1,000 entries, search / of 100", *search, 1.5, "ms"),
        Row(f"board of 1,000 entries, kept / static {size // 1000} kB", *kept, 3, "ms"),
        Row("boards made for 100 first visitors / 1", made, 1, 1, ""),
        Row("own weights over 1,000 entries / 300 ms", weighted, 300, 1, "ms"),
        *visits,
    ]


def in_turn(
    rounds: int, one: Callable[[], float], other: Callable[[], float]
) -> tuple[float, float]:
    """The median of each, in milliseconds."""
    pairs = [(one(), other()) for _ in range(rounds)]
    return 1_000 * median(first for first, _ in pairs), 1_000 * median(last for _, last in pairs)


def boards_made_for_visitors(site: Site) -> int:
    """How many boards are made for 100 visitors who come at once after a change."""
    site.change()
    before = site.boards_made.stat().st_size
    start = threading.Barrier(_VISITORS)

    def visit(_number: int) -> None:
        start.wait()
        site.get(_BOARD)

    with ThreadPoolExecutor(_VISITORS) as pool:
        list(pool.map(visit, range(_VISITORS)))
    return site.boards_made.stat().st_size - before


@contextmanager
def two_sites(folder: Path) -> Iterator[tuple[Site, Site]]:
    """With 1,000 published entries, and with 100; otherwise the same."""
    with temporary() as server, ExitStack() as stack:
        environment = site_environment(folder, server.url)
        run_python(environment, "manage.py", "migrate", "--verbosity=0")
        run_python(environment, "manage.py", "collectstatic", "--verbosity=0", "--no-input")
        for size in _SIZES:
            (folder / "static" / f"{size}.bin").write_bytes(os.urandom(size))
        run_python(environment, "-m", "tests.bench.boards.fill", "1000")
        beginning = server.url.rpartition("/")[0]
        with psycopg.connect(f"{beginning}/postgres", autocommit=True) as connection:
            connection.execute("CREATE DATABASE few TEMPLATE leaderboard")
        with psycopg.connect(f"{beginning}/few", autocommit=True) as connection:
            connection.execute(_FEW)
            connection.execute("VACUUM ANALYZE")
        sites: list[Site] = []
        for database in (server.url, f"{beginning}/few"):
            made = folder / f"made-{len(sites)}"
            of_site = {**environment, "DATABASE_URL": database, "BOARDS_MADE": str(made)}
            application = "tests.bench.boards.counting_wsgi"
            address = stack.enter_context(our_site(of_site, folder, application))
            sites.append(Site(address.removeprefix("http://"), database, made))
        yield sites[0], sites[1]


if __name__ == "__main__":
    for row in bench_boards():
        print(f"{row.what:58}{row.measured:>10.2f}{row.reference:>10.2f}{row.ratio:>8.2f}")
