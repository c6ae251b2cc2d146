"""Slow clients behind the proxy of production: they keep no thread of the site."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from django.conf import settings as site
from django.core.files.storage import default_storage

from portal.models import Release, User
from portal.releases.importer import import_release
from portal.submissions.files.uploads import AT_ONCE_EACH
from scoring.limits import MIB
from tests.support.clients import fields_of, signed_in
from tests.support.databases import open_folder
from tests.support.processes import eventually
from tests.support.proxy import LONG, Proxy, proxied
from tests.support.releases import build_release
from tests.support.request_bodies import TYPE, a_field, a_file, form
from tests.support.servers import Server

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 40  # connections; the site has sixteen threads
OTHER = "127.0.0.2"  # another client's address
AT_ONCE = 128  # requests that the proxy passes on
folder = pytest.fixture(open_folder)

FILE = "/releases/long/passkey.jsonl"
PAGE = b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n"
FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na="
CHUNKED = "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n"
FILES = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n--"
SLOW = {
    "nothing": "",
    "half a head": "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b",
    "the form to sign in": f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n{FORM}",
    "a body in chunks": f"POST /theme/ HTTP/1.1\r\nHost: localhost\r\n{CHUNKED}",
    "a body that no view reads": f"GET / HTTP/1.1\r\nHost: localhost\r\n{FORM}",
    "an anonymous upload": f"POST /submit/ HTTP/1.1\r\nHost: localhost\r\n{FILES}",
}


@pytest.fixture
def server(adam: User, folder: Path) -> Iterator[Server]:
    session = signed_in(adam).cookies[site.SESSION_COOKIE_NAME].value
    with Server(folder, session, TRUSTED_PROXIES="1") as server:
        yield server


@pytest.fixture
def proxy(server: Server, folder: Path) -> Iterator[Proxy]:
    """It cuts off a slow client after a second."""
    with proxied(f"unix:{server.place}", folder) as proxy:
        yield proxy


@pytest.fixture
def patient_proxy(server: Server, folder: Path) -> Iterator[Proxy]:
    """It cuts off nobody, so an answer shows that the site is not blocked, however long it took."""
    with proxied(f"unix:{server.place}", folder, LONG) as proxy:
        yield proxy


def test_long_cookies_do_not_reach_the_site(folder: Path) -> None:
    """Nothing listens behind this proxy: 503 means that it would have been asked."""
    with proxied(f"unix:{folder}/nothing", folder) as proxy:
        for length, status in ((4_096, b" 503 "), (4_097, b" 400 "), (7_000, b" 400 ")):
            cookie = b"Cookie: a=" + b"x" * (length - 2)
            assert status in proxy.answer(_with(cookie)).split(b"\r\n")[0]
        many = b"\r\n".join(b"Cookie: a=" + b"x" * 1_000 for _ in range(5))
        assert b" 400 " in proxy.answer(_with(many)).split(b"\r\n")[0]


def _with(header: bytes) -> bytes:
    return b"GET / HTTP/1.0\r\nHost: localhost\r\n" + header + b"\r\n\r\n"


@pytest.fixture
def drip() -> Iterator[Callable[[list[socket.socket]], None]]:
    """Send a byte on each connection now and then, until the end of the test."""
    done = threading.Event()
    dripping: list[socket.socket] = []

    def send_on() -> None:
        while not done.wait(0.2):
            for connection in dripping[:]:
                with suppress(OSError):
                    connection.send(b"x")

    thread = threading.Thread(target=send_on)
    thread.start()
    yield dripping.extend
    done.set()
    thread.join()


def assert_answers(proxy: Proxy, what: str) -> None:
    assert b" 200 OK" in proxy.answer(PAGE)[:20], what


def send_on_many(proxy: Proxy, name: str, stack: ExitStack) -> list[socket.socket]:
    """Each kind from an address of its own: the proxy limits the requests of one address."""
    address = f"127.0.0.{2 + list(SLOW).index(name)}"
    connections = [stack.enter_context(proxy.connect(address)) for _ in range(MANY)]
    for connection in connections:
        connection.sendall(SLOW[name].encode())
    return connections


def test_slow_requests_do_not_stop_the_site(
    patient_proxy: Proxy, drip: Callable[[list[socket.socket]], None]
) -> None:
    """Silent ones, and then those that send a byte now and then."""
    for name in SLOW:
        with ExitStack() as stack:
            send_on_many(patient_proxy, name, stack)
            assert_answers(patient_proxy, name)
    with ExitStack() as stack:
        for name in SLOW:
            drip(send_on_many(patient_proxy, name, stack))
            assert_answers(patient_proxy, f"{name}, slowly")


def test_silent_requests_are_cut_off(proxy: Proxy) -> None:
    with ExitStack() as stack:
        for name in SLOW:
            connections = send_on_many(proxy, name, stack)
            eventually(lambda: all(map(_is_ended, connections)), f"the end of {name}")  # noqa: B023


def _is_ended(connection: socket.socket) -> bool:
    """Whether an answer, or the end of the connection, has come."""
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) is not None
    except BlockingIOError:
        return False
    except OSError:
        return True


def _head(connection: socket.socket) -> bytes:
    """The start of the answer; empty where none has come."""
    connection.setblocking(False)
    try:
        return connection.recv(12)
    except OSError:
        return b""


def upload_of(release: Release, size: int) -> bytes:
    fields = (a_field(name, value) for name, value in fields_of(release).items())
    row = b'{"id": 0, "prediction": "%b"}\n' % (b"x" * size)
    return form(*fields, a_file("preds_passkey.jsonl", row))


def test_slow_uploads_of_one_account_do_not_block_others(
    server: Server,
    patient_proxy: Proxy,
    drip: Callable[[list[socket.socket]], None],
    alice: User,
    release: Release,
) -> None:
    body = upload_of(release, 10_000)
    mine = server.head_of(TYPE, body)
    announced = mine.replace(b"Content-Length: %d" % len(body), b"Content-Length: 90000000")
    with ExitStack() as stack:
        addresses = [f"127.0.0.{3 + number % 10}" for number in range(20)]
        uploads = [stack.enter_context(patient_proxy.connect(address)) for address in addresses]
        for connection in uploads:
            connection.sendall(announced + body[:300])
        drip(uploads)
        eventually(lambda: sum(map(_is_ended, uploads)) == 20 - AT_ONCE_EACH, "they are refused")
        heads = set(map(_head, uploads)) - {b""}
        assert heads <= {b"HTTP/1.0 503", b"HTTP/1.1 503", b"HTTP/1.1 429"}
        assert_answers(patient_proxy, "uploads")
        session = signed_in(alice).cookies[site.SESSION_COOKIE_NAME].value
        [cookie] = re.findall(rb"session=\w+", mine)
        hers = mine.replace(cookie, f"session={session}".encode())
        assert b" 302 " in patient_proxy.answer(hers + body)[:20]


def test_stalled_uploads_are_limited_by_address_and_time_out(
    server: Server, proxy: Proxy, release: Release
) -> None:
    body = upload_of(release, 10_000)
    head = server.head_of(TYPE, body)
    with ExitStack() as stack:
        silent = [stack.enter_context(proxy.connect(OTHER)) for _ in range(10)]
        for connection in silent:
            connection.sendall(head + body[:300])
        eventually(lambda: all(map(_is_ended, silent)), "their end")
        assert list(map(_head, silent)).count(b"HTTP/1.1 429") >= 10 - 4  # by the proxy itself
        assert b" 302 " in proxy.answer(head + body)[:20]


@pytest.fixture
def open_release(tmp_path: Path) -> Release:
    folder = build_release(tmp_path / "release", examples=60, tokens=60_000, tasks=["passkey"])
    return import_release(folder, slug="long", title="Long")


def test_stalled_downloads_do_not_stop_the_site(
    patient_proxy: Proxy, open_release: Release
) -> None:
    [data_set] = open_release.data_sets.all()
    assert data_set.whole_file
    assert data_set.whole_file.size > 10 * MIB  # more than sockets hold
    question = b"GET /releases/long/passkey.jsonl HTTP/1.0\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(MANY):
            connection = stack.enter_context(patient_proxy.connect(OTHER))
            connection.sendall(question)
        assert_answers(patient_proxy, "downloads")
        eventually(
            lambda: len(patient_proxy.answer(question)) > data_set.whole_file.size,  # type: ignore[union-attr]
            "a whole download for another client",
        )


@pytest.fixture
def handing_over(folder: Path) -> Iterator[Proxy]:
    """The proxy sends stored files; the site says which."""
    own, files = folder / "handing-over", Path(default_storage.path(""))
    own.mkdir()
    with (
        Server(own, TRUSTED_PROXIES="1", PROXY_DOWNLOADS="1") as server,
        proxied(f"unix:{server.place}", own, LONG, files=files) as proxy,
    ):
        yield proxy


def download(proxy: Proxy, *headers: str, path: str = FILE) -> tuple[int, dict[str, str], bytes]:
    lines = "".join(f"{line}\r\n" for line in headers)
    head, _, body = proxy.answer(
        f"GET {path} HTTP/1.0\r\nHost: localhost\r\n{lines}\r\n".encode()
    ).partition(b"\r\n\r\n")
    status, *named = head.decode().split("\r\n")
    found = [line.split(": ", 1) for line in named]
    for line in found:
        line[1] = "; ".join(sorted(line[1].split("; ")))  # policies are sets
    assert len({name.lower() for name, _ in found}) == len(found)  # none twice
    return int(status.split()[1]), {name.lower(): value for name, value in found}, body


@pytest.mark.usefixtures("open_release")
def test_a_file_that_is_handed_over_comes_with_the_headers_of_one_that_is_not(
    patient_proxy: Proxy, handing_over: Proxy
) -> None:
    for headers in (
        (),
        ("Range: bytes=5-9",),
        ("Range: bytes=5-9,20-29",),
        ("Range: bytes=99999999-",),
        ('If-Range: "another"', "Range: bytes=5-9"),
    ):
        mine, theirs = download(patient_proxy, *headers), download(handing_over, *headers)
        assert mine[0] == theirs[0]
        assert mine[2] == theirs[2]
        own = {"date", "x-request-id", "connection"}
        if mine[0] == HTTPStatus.PARTIAL_CONTENT:
            own.add("accept-ranges")  # a part says so by itself
        assert_same(mine[1], theirs[1], besides=own)


def assert_same(mine: dict[str, str], theirs: dict[str, str], *, besides: set[str]) -> None:
    assert {name: mine[name] for name in mine.keys() - besides} == {
        name: theirs[name] for name in theirs.keys() - besides
    }


@pytest.mark.usefixtures("open_release")
def test_a_broken_download_goes_on_with_the_same_file(handing_over: Proxy) -> None:
    _, headers, whole = download(handing_over)
    etag = headers["etag"]
    status, _, rest = download(handing_over, "Range: bytes=100-", f"If-Range: {etag}")
    assert (status, rest) == (206, whole[100:])
    status, _, rest = download(handing_over, "Range: bytes=100-", f"If-Match: {etag}")
    assert (status, rest) == (206, whole[100:])
    assert download(handing_over, f"If-None-Match: {etag}")[0] == 304


def test_nobody_but_the_site_has_files_sent(handing_over: Proxy, open_release: Release) -> None:
    [data_set] = open_release.data_sets.all()
    assert data_set.whole_file
    name = data_set.whole_file.file.name
    for path in (f"/stored-files/{name}", f"//stored-files/{name}", f"/x/../stored-files/{name}"):
        status, headers, body = download(handing_over, path=path)
        assert status in (301, 404)
        assert b"passkey" not in body
        assert "x-accel-redirect" not in headers
    lie = f"X-Accel-Redirect: /stored-files/{name}"
    assert b"context" not in download(handing_over, lie, path="/healthz")[2]


@pytest.mark.usefixtures("open_release")
def test_no_number_of_stalled_downloads_takes_a_thread(handing_over: Proxy) -> None:
    question = f"GET {FILE} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as stack:
        for _ in range(MANY):
            connection = stack.enter_context(handing_over.connect(OTHER))
            connection.sendall(question)
        assert_answers(handing_over, "downloads")
        assert download(handing_over)[0] == 200


def test_a_refusal_reaches_a_client_that_is_still_sending(server: Server, proxy: Proxy) -> None:
    body = bytes(105 * MIB)
    answer = proxy.answer(server.head_of(TYPE, body) + body)
    assert b" 413 " in answer[:20]
    assert b"This upload is too large" in answer


def test_a_long_body_to_another_page_is_refused(proxy: Proxy) -> None:
    for size, words in (
        (100_000, b"Too much text for a form"),
        (2 * MIB, b"Request Entity Too Large"),
    ):
        head = f"POST /theme/ HTTP/1.0\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"
        answer = proxy.answer(head.encode() + bytes(size))
        assert b" 413 " in answer[:20]
        assert words in answer


def test_programs_may_upload_as_much_as_people(proxy: Proxy) -> None:
    """Refused by the site, which knows no such token, and not for its length by the proxy."""
    head = "POST /api/v1/submissions/ HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer none\r\n"
    kind = f"Content-Type: {TYPE}\r\nContent-Length: {2 * MIB}\r\n\r\n"
    answer = proxy.answer(head.encode() + kind.encode() + bytes(2 * MIB))
    assert b" 401 " in answer[:20]


class _Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(self.headers).encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def echo() -> Iterator[str]:
    """The address of a server that answers with the headers it was sent."""
    with HTTPServer(("127.0.0.1", 0), _Echo) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_of_more_requests_than_can_be_answered_soon_the_last_are_sent_away(
    folder: Path, silent: str
) -> None:
    with proxied(silent, folder, LONG) as proxy, ExitStack() as stack:
        for number in range(AT_ONCE):
            connection = stack.enter_context(proxy.connect(f"127.0.1.{1 + number // 40}"))
            connection.sendall(PAGE)
        answers = [proxy.answer(PAGE, OTHER) for _ in range(3)]
    for answer in answers:
        assert b" 503 " in answer[:20]
        assert b"Retry-After: 5" in answer


def test_forwarding_headers_of_a_client_are_replaced(folder: Path, echo: str) -> None:
    lies = b"X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nX-Request-ID: mine\r\n"
    lies += b"SCRIPT_NAME: /evil\r\n"
    with proxied(echo, folder) as proxy:
        answer = proxy.answer(PAGE.replace(b"\r\n\r\n", b"\r\n" + lies + b"\r\n"), OTHER)
    passed = re.findall(rb"^(X-[\w-]+): (.*?)\r?$", answer, re.MULTILINE)
    found = dict(passed)
    assert len(passed) == len(found) == 3
    assert (found[b"X-Forwarded-For"], found[b"X-Forwarded-Proto"]) == (OTHER.encode(), b"http")
    assert re.fullmatch(rb"[0-9a-f]{32}", found[b"X-Request-ID"])
    assert b"evil" not in answer
