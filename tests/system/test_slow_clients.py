"""Who sends slowly, or nothing, keeps no thread: a real gunicorn is held up."""

import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from django.conf import settings as site

from portal.models import Release, User
from portal.releases.importer import import_release
from portal.submissions.uploads import AT_ONCE_EACH
from portal.web.slow_clients import LARGE, SLOWEST, ClientSocket, size_of
from tests.support.bodies import TYPE, a_field, a_file, form
from tests.support.built_releases import build_release
from tests.support.databases import open_folder
from tests.support.runs import DEADLINE, eventually
from tests.support.servers import Server
from tests.support.submitting import fields_of, signed_in

PATIENCE = 0.4  # seconds
MANY = 40  # connections; there are sixteen threads
folder = pytest.fixture(open_folder)

FORM = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na="
FILES = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n--"
SILENT = {
    "nothing": "",
    "half a head": "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b",
    "sign-in": f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n{FORM}",
    "theme": f"POST /theme/ HTTP/1.1\r\nHost: localhost\r\n{FORM}",
    "a body nobody reads": f"GET / HTTP/1.1\r\nHost: localhost\r\n{FORM}",
    "files of a stranger": f"POST /submit/ HTTP/1.1\r\nHost: localhost\r\n{FILES}",
}


@pytest.fixture
def server(adam: User, folder: Path) -> Iterator[Server]:
    session = signed_in(adam).cookies[site.SESSION_COOKIE_NAME].value
    with Server(folder, session, PATIENCE_SECONDS=str(PATIENCE)) as server:
        yield server


@pytest.mark.django_db(transaction=True)
def test_silent_connections_do_not_stop_the_site(server: Server) -> None:
    for name, sent in SILENT.items():
        with ExitStack() as stack:
            for _ in range(MANY):
                connection = stack.enter_context(socket.socket(socket.AF_UNIX))
                connection.connect(str(server.place))
                connection.sendall(sent.encode())
            begun = time.monotonic()
            assert server.answers(), name
            assert time.monotonic() - begun < 3, name


@pytest.mark.django_db(transaction=True)
def test_downloads_that_nobody_reads_do_not_stop_the_site(server: Server, tmp_path: Path) -> None:
    """More than there are threads; all of them together are fewer than the site has."""
    folder = build_release(tmp_path / "release", examples=60, tokens=60_000, tasks=["passkey"])
    release = import_release(folder, slug="long", title="Long")
    [data_set] = release.data_sets.all()
    assert data_set.whole_file
    assert data_set.whole_file.size > 10 << 20  # more than sockets hold
    question = b"GET /releases/long/passkey.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        heads = []
        for _ in range(MANY):
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(DEADLINE)
            connection.connect(str(server.place))
            connection.sendall(question)
            heads.append(connection.recv(12))
            assert server.answers()
        assert heads.count(b"HTTP/1.1 200") == 4
        assert heads.count(b"HTTP/1.1 503") == MANY - 4
        eventually(lambda: b"200 OK" in asked(server, question), "a place that is free again")


def asked(server: Server, question: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(str(server.place))
        connection.sendall(question)
        return connection.recv(100)


@pytest.mark.django_db(transaction=True)
def test_a_large_download_takes_no_memory(server: Server, tmp_path: Path) -> None:
    folder = build_release(tmp_path / "release", examples=200, tokens=60_000, tasks=["passkey"])
    release = import_release(folder, slug="long", title="Long")
    [data_set] = release.data_sets.all()
    assert data_set.whole_file
    server.forget_peak()
    before = server.peak()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(str(server.place))
        connection.sendall(b"GET /releases/long/passkey.jsonl HTTP/1.0\r\nHost: localhost\r\n\r\n")
        size = sum(map(len, iter(lambda: connection.recv(1 << 16), b"")))
    assert size > data_set.whole_file.size > 40 << 20
    assert server.peak() - before < 15  # MiB


@pytest.mark.django_db(transaction=True)
def test_who_hands_in_may_be_silent_for_longer(server: Server, release: Release) -> None:
    fields = (a_field(name, value) for name, value in fields_of(release).items())
    rows = b'{"id": 0, "prediction": "%b"}\n' % (b"x" * LARGE)
    body = form(*fields, a_file("preds_passkey.jsonl", rows))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.place))
        connection.sendall(server.head_of(TYPE, body))
        connection.settimeout(4 * PATIENCE)
        with pytest.raises(TimeoutError):  # no answer yet
            connection.recv(1)
        connection.settimeout(DEADLINE)
        connection.sendall(body)
        assert b" 302 " in connection.recv(100)


Slow = Callable[[bytes], list[socket.socket]]
LONG = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2400000\r\n\r\na="
CHUNKED = "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n"


@pytest.fixture
def slow(server: Server) -> Iterator[Slow]:
    """Twenty connections that send this, and then a little more than is too slow, without end."""
    done, held = threading.Event(), ExitStack()
    sending: list[socket.socket] = []

    def send_on() -> None:
        while not done.wait(0.1):
            for connection in sending[:]:
                with suppress(OSError):
                    connection.send(b"x" * (SLOWEST // 8))

    def begin(sent: bytes) -> list[socket.socket]:
        new = []
        for _ in range(20):
            connection = held.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(str(server.place))
            connection.sendall(sent)
            connection.setblocking(False)
            new.append(connection)
        sending.extend(new)
        return new

    thread = threading.Thread(target=send_on)
    thread.start()
    yield begin
    done.set()
    thread.join()
    held.close()


def heads_of(connections: list[socket.socket]) -> list[bytes]:
    """The first lines of the answers that have come."""
    found = []
    for connection in connections:
        with suppress(BlockingIOError):
            found.append(connection.recv(12, socket.MSG_PEEK))
    return found


@pytest.mark.django_db(transaction=True)
def test_slow_uploads_and_forms_hold_nobody_up(
    server: Server, slow: Slow, adam: User, alice: User, release: Release
) -> None:
    fields = (a_field(name, value) for name, value in fields_of(release).items())
    body = form(*fields, a_file("preds_passkey.jsonl", b'{"id": 0, "prediction": "x"}\n'))
    mine = server.head_of(TYPE, body)
    announced = mine.replace(b"Content-Length: %d" % len(body), b"Content-Length: 90000000")
    uploads = slow(announced + body[:300])
    forms = [
        slow(f"POST /theme/ HTTP/1.1\r\nHost: localhost\r\n{kind}".encode())
        for kind in (LONG, CHUNKED)
    ]
    again = b"HTTP/1.0 503"
    eventually(lambda: heads_of(uploads).count(again) == 20 - AT_ONCE_EACH, "they are refused")
    assert {head for connections in forms for head in heads_of(connections)} <= {b"HTTP/1.1 413"}
    for path in ("/", "/healthz", "/"):
        begun = time.monotonic()
        assert b"200 OK" in asked(
            server, f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()
        )
        assert time.monotonic() - begun < 1
    session = signed_in(alice).cookies[site.SESSION_COOKIE_NAME].value
    [cookie] = re.findall(rb"session=\w+", mine)
    assert b" 302 " in asked(server, mine.replace(cookie, f"session={session}".encode()) + body)


@pytest.mark.django_db(transaction=True)
def test_requests_that_come_together_or_in_pieces_are_all_answered(server: Server) -> None:
    question = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    written = b"POST /theme/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=b"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(str(server.place))
        connection.sendall(question + written + question + question[:20])
        answers = b""
        while answers.count(b"HTTP/1.1 ") < 3:
            answers += connection.recv(1 << 16)
        connection.sendall(question[20:])
        while answers.count(b"HTTP/1.1 ") < 4:
            answers += connection.recv(1 << 16)
    statuses = re.findall(rb"HTTP/1.1 (\d+)", answers)
    assert [statuses[0], *statuses[2:]] == [b"200"] * 3


@pytest.mark.django_db(transaction=True)
def test_who_is_refused_while_still_sending_gets_to_see_why(server: Server) -> None:
    head = server.head_of(TYPE, b"").replace(b"Content-Length: 0", b"Content-Length: 150000000")
    answer = server._asked(head, bytes(150_000_000))
    assert answer.startswith(b"HTTP/1.0 413 ")
    assert b"This upload is too large" in answer


@pytest.fixture
def ends() -> Iterator[tuple[ClientSocket, socket.socket]]:
    """Ours and theirs."""
    ours, theirs = socket.socketpair()
    with ClientSocket(fileno=ours.detach()) as connection, theirs:
        connection.begin(PATIENCE)
        yield connection, theirs


Ends = tuple[ClientSocket, socket.socket]


def test_a_byte_now_and_then_uses_up_the_patience(ends: Ends) -> None:
    ours, theirs = ends
    done = threading.Event()

    def drip() -> None:
        while not done.wait(PATIENCE / 4):
            theirs.send(b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    begun = time.monotonic()
    with pytest.raises(ConnectionResetError):
        b"".join(iter(lambda: ours.recv(1), b""))
    assert time.monotonic() - begun < 3 * PATIENCE
    done.set()
    thread.join()


def test_who_sends_for_ever_after_our_answer_is_discarded_without_waiting(ends: Ends) -> None:
    ours, theirs = ends
    theirs.send(b"x")
    ours.begin_leave()
    assert [ours.discard(), ours.discard()] == [False, False]
    theirs.close()
    assert ours.discard()


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
SIZES = {
    b"": None,
    HEAD: None,
    HEAD + b"\r\n": len(HEAD) + 2,
    HEAD + b"content-length: 5\r\n\r\nab": len(HEAD) + 26,
    HEAD + b"X-A: b\r\nContent-Length:5\r\n\r\n": len(HEAD) + 33,
    HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n": math.inf,
    HEAD + b"\r\nContent-Length: 5\r\n\r\n": len(HEAD) + 2,  # of a body, or the next request
}


@pytest.mark.parametrize("received", SIZES)
def test_how_much_belongs_to_a_request(received: bytes) -> None:
    assert size_of(received) == SIZES[received]


def test_a_request_is_looked_at_when_all_of_it_is_there(ends: Ends) -> None:
    ours, theirs = ends
    theirs.sendall(HEAD + b"Content-Length: 3\r\n")
    assert not ours.gather()
    theirs.sendall(b"\r\nab")
    assert not ours.gather()
    theirs.sendall(b"cGET")
    assert ours.gather()
    assert ours.is_whole
    assert ours.recv(len(HEAD)) == HEAD
    assert ours.recv(LARGE).endswith(b"abcGET")


def test_a_large_one_is_looked_at_when_its_head_is_there(ends: Ends) -> None:
    ours, theirs = ends
    theirs.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (LARGE + 1))
    assert ours.gather()
    assert not ours.is_whole


def test_for_a_head_without_end_nobody_waits(ends: Ends) -> None:
    ours, theirs = ends
    theirs.sendall(HEAD + b"x" * (LARGE // 2))
    assert not ours.gather()
    theirs.sendall(b"x" * LARGE)
    while not ours.gather():
        pass
    ours.setblocking(True)
    with pytest.raises(ConnectionResetError):
        b"".join(iter(lambda: ours.recv(LARGE), b""))


def test_who_sends_enough_may_take_as_long_as_that_needs(ends: Ends) -> None:
    ours, theirs = ends
    for _ in range(4):  # altogether longer than the patience
        theirs.sendall(bytes(int(SLOWEST * PATIENCE)))
        timer = threading.Timer(PATIENCE / 2, theirs.send, (b"x",))
        timer.start()
        left = int(SLOWEST * PATIENCE) + 1
        while left:
            left -= len(ours.recv(left))
        timer.join()


def test_a_shorter_timeout_of_the_socket_holds(ends: Ends) -> None:
    ours, _ = ends
    ours.begin(60)
    ours.settimeout(0.01)
    with pytest.raises(ConnectionResetError):
        ours.recv(1)


def test_who_reads_too_slowly_what_we_send_is_left(ends: Ends) -> None:
    ours, theirs = ends
    begun = time.monotonic()
    with pytest.raises(ConnectionResetError):
        send_for_ever(ours)
    assert time.monotonic() - begun < 4 * PATIENCE
    assert theirs.recv(1)


def send_for_ever(ours: ClientSocket) -> None:
    """Until the buffers between the sockets are full."""
    while True:
        ours.sendall(bytes(int(SLOWEST * PATIENCE)))


def test_who_reads_fast_enough_gets_all_of_it(ends: Ends) -> None:
    ours, theirs = ends
    with ThreadPoolExecutor(1) as threads:
        taken = threads.submit(lambda: sum(map(len, iter(lambda: theirs.recv(1 << 16), b""))))
        ours.sendall(bytes(1 << 22))
        ours.shutdown(socket.SHUT_WR)
        assert taken.result() == 1 << 22
    assert ours.gettimeout() is None
