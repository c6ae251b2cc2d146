"""A page that is cached for everybody has nothing of the request that it was made for.

Each attack is the first request for its pages. Whoever comes next gets the same bytes as before it.
"""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import transaction
from django.middleware.csrf import _unmask_cipher_token  # type: ignore[attr-defined]

from portal.board_version import raise_board_version
from portal.models import KeptRegion, User
from tests.leaderboard.comparison.conftest import STRONG, answered, imported
from tests.support.databases import open_folder
from tests.support.processes import free_port
from tests.support.servers import Server

pytestmark = pytest.mark.django_db(transaction=True)
folder = pytest.fixture(open_folder)

PAGES = (  # cached by a region and its query, and as a whole
    "/board/data/?metric_set=strict",
    "/tasks/passkey/?release=data&metric_set=strict",
)
HOST = "Host: localhost"
PREFIX = "SCRIPT_NAME: /evil"
HEADERS = (
    PREFIX, "Script-Name: /evil", "X-Script-Name: /evil", "X-Forwarded-Prefix: /evil",
    "PATH_INFO: /about/", "SCRIPT_URL: /evil/", "X-Original-URL: /about/", "X-Rewrite-URL: /about/",
    "Content-Type: a/b; charset=cp037", "Content-Type: a/b; charset=unicode_escape",
    "Content-Type: a/b; charset=hex", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: 1337",
    "X-Forwarded-Proto: https", "X-Forwarded-Ssl: on", "Forwarded: host=evil.example;proto=https",
    "X-HTTP-Method-Override: POST", "HX-Request: true", "X-Requested-With: XMLHttpRequest",
    "Accept: application/json", "Accept-Encoding: gzip", "Range: bytes=0-9", "If-None-Match: *",
    "User-Agent: <evil>", "Referer: http://evil.example/", "Authorization: Bearer evil",
    "Save-Data: on", "Sec-GPC: 1", "Sec-CH-Prefers-Color-Scheme: dark", "X-Request-ID: evil",
    f"Cookie: csrf={'e' * 32}", "Cookie: theme=dark", "Cookie: theme=evil", "Cookie: messages=evil",
    "Cookie: session=evil",
)  # fmt: skip
HOSTS = (
    "Host: localhost:1337", "Host: LOCALHOST", "Host: localhost.", "Host: evil.example",
    "Host: [::1]", "Host: [::1]:1337", f"{HOST}\r\nHost: evil.example", "X-Host: localhost",
)  # fmt: skip
ATTACKS = (  # what stands before the address, and the lines below it
    *(("", f"{HOST}\r\n{header}") for header in HEADERS),
    *(("", host) for host in HOSTS),
    ("/evil", f"{HOST}\r\n{PREFIX}"),
    ("http://evil.example", HOST),
)
SECRET = "s" * 32  # behind the tokens in the other reader's forms
TOKEN = re.compile(rb'(?<=name="csrfmiddlewaretoken" value=")[^"]*')

Connect = Callable[[], socket.socket]


@pytest.fixture
def doors(folder: Path) -> Iterator[dict[str, Connect]]:
    """Two ways to one server. By default gunicorn believes whoever comes by either."""
    port = free_port()
    with Server(folder, address=f"127.0.0.1:{port}", TRUSTED_PROXIES="1") as server:

        def by_socket() -> socket.socket:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(server.place))
            return connection

        yield {"TCP": lambda: socket.create_connection(("127.0.0.1", port)), "socket": by_socket}


def response(connect: Connect, target: str, lines: str) -> bytes:
    """As a client of the proxy gets it."""
    request = f"GET {target} HTTP/1.1\r\n{lines}\r\nX-Forwarded-For: 192.0.2.1\r\n"
    received = b""
    with connect() as connection, suppress(ConnectionResetError):
        connection.settimeout(60)
        connection.sendall(f"{request}Connection: close\r\n\r\n".encode())
        while part := connection.recv(1 << 16):
            received += part
    return received


def seen_by_others(connect: Connect, page: str) -> bytes:
    """The body. Only tokens are unmasked, since their masks are new in each response."""
    lines = f"{HOST}\r\nCookie: csrf={SECRET}"
    head, _, body = response(connect, page, lines).partition(b"\r\n\r\n")
    assert b" 200 OK" in head[:20]
    return TOKEN.sub(lambda token: _unmask_cipher_token(token[0].decode()).encode(), body)


def forget_all_pages() -> None:
    """And how much its address has requested."""
    cache.clear()
    KeptRegion.objects.all().delete()
    with transaction.atomic():
        raise_board_version()


def test_nothing_of_a_request_but_its_address_reaches_other_readers(
    doors: dict[str, Connect], alice: User, tmp_path: Path
) -> None:
    answered(alice, imported(tmp_path, "data"), "Strong", STRONG)
    clean = {page: seen_by_others(doors["TCP"], page) for page in PAGES}
    changed = []
    for (door, connect), (prefix, lines) in product(doors.items(), ATTACKS):
        forget_all_pages()
        for page in PAGES:
            response(connect, f"{prefix}{page}", lines)
        changed += [
            (door, prefix, lines, page)
            for page in PAGES
            if seen_by_others(connect, page) != clean[page]
        ]
    assert changed == []
    for connect in doors.values():
        assert b" 400 " in response(connect, f"/evil{PAGES[0]}", f"{HOST}\r\n{PREFIX}")[:20]
