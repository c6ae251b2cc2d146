"""The board of 100 entries in a real browser: its bytes, its requests, and when the first row is
there, against a bare static table of the same rows."""

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

from tests.bench.gradio.board import Row as Entry
from tests.bench.gradio.board import rows_of
from tests.bench.gradio.visits import HERE, chromium, visit
from tests.bench.ratios import Row

_VISITS = 25  # to each page


def bench_visits(address: str, document: bytes) -> list[Row]:
    """``address`` is that of a board, ``document`` its ``board.json``."""
    entries = rows_of(json.loads(document))
    first = entries[0]
    with chromium() as browser, static_page(bare_table(entries)) as bare:
        for page in (address, f"{address}?errors=on", bare):  # every process has had some
            for _ in range(2):
                visit(browser, page, first, HERE)
        pairs = [
            (visit(browser, address, first, HERE), visit(browser, bare, first, HERE))
            for _ in range(_VISITS)
        ]
        with_errors = visit(browser, f"{address}?errors=on", first, HERE)
    ours = [one for one, _ in pairs]
    kilobytes = median(one.kilobytes_in_all for one in ours)
    requests = max(one.requests_in_all for one in ours)
    seen = median(one.milliseconds for one in ours)
    seen_bare = median(one.milliseconds for _, one in pairs)
    shift = max(one.layout_shift for one in [*ours, with_errors])
    return [
        Row("board of 100 entries, all requests / 47 kB", kilobytes, 47, 1, "kB"),
        Row("board of 100 entries, requests / 6", requests, 6, 1, ""),
        Row("with errors / 70 kB", with_errors.kilobytes_in_all, 70, 1, "kB"),
        Row("first complete row / of a bare static table", seen, seen_bare, 1.6, "ms"),
        Row("layout shift", shift, 1, 0, ""),
    ]


def bare_table(entries: list[Entry]) -> bytes:
    """All that is printed of the rows, and nothing else."""
    titles = "".join(f"<th>{escape(title)}" for title in entries[0].cells)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}' for cell in entry.cells.values())}"
        for entry in entries
    )
    title = "<!doctype html><meta charset=utf-8><title>Board</title>"
    return f"{title}<table><thead><tr>{titles}<tbody>{rows}</table>".encode()


@contextmanager
def static_page(page: bytes) -> Iterator[str]:
    """The address of this page, which is sent compressed, as a static file would be."""
    compressed = gzip.compress(page)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_page = self.path == "/"
            body = compressed if is_page else b""
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
