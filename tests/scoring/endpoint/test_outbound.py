"""The guard of the site's outbound requests: no address, name or server gets around it."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from shutil import which
from threading import Event
from typing import Any

import httpx2
import pytest

from scoring.endpoint.transport.addresses import OutboundPolicy, address_of, is_public
from scoring.endpoint.transport.client import Exchange
from scoring.endpoint.transport.failures import RULES, EndpointError, Kind
from scoring.endpoint.transport.outbound import GuardedTransport, guarded_endpoint, resolve
from tests.support.endpoint_runs import settings
from tests.support.raw_server import ok, raw_server, unknown_certificate

GOOD = ok(b'{"choices": [{"message": {"content": "42"}, "finish_reason": "stop"}]}')
METADATA = ("169.254.169.254", "100.100.100.200", "fd00:ec2::254")
PUBLIC = "93.184.215.14"

# In addresses, {port} is that of a local listener, which an administrator has allowed.
ADDRESSES = {
    "http://example.org/v1": Kind.SCHEME,
    "http://127.0.0.1:{port}/v1": Kind.SCHEME,
    "https://127.0.0.1:{port}/v1": Kind.PRIVATE,
    "https://localhost:{port}/v1": Kind.PRIVATE,
    "https://127.1:{port}/v1": Kind.ADDRESS,
    "https://2130706433:{port}/v1": Kind.ADDRESS,
    "https://0x7f000001:{port}/v1": Kind.ADDRESS,
    "https://0x7f.0.0.0x1:{port}/v1": Kind.ADDRESS,
    "https://0177.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://017700000001:{port}/v1": Kind.ADDRESS,
    "https://127.0.1:{port}/v1": Kind.ADDRESS,
    "https://0:{port}/v1": Kind.ADDRESS,
    "https://0.0.0.0:{port}/v1": Kind.PRIVATE,
    "https://[::]:{port}/v1": Kind.PRIVATE,
    "https://[::1]:{port}/v1": Kind.PRIVATE,
    "https://[::7f00:1]:{port}/v1": Kind.PRIVATE,
    "https://[::ffff:127.0.0.1]:{port}/v1": Kind.PRIVATE,
    "https://[::ffff:169.254.169.254]/v1": Kind.PRIVATE,
    "https://[::ffff:0:127.0.0.1]:{port}/v1": Kind.PRIVATE,
    "https://[64:ff9b::7f00:1]:{port}/v1": Kind.PRIVATE,
    "https://[64:ff9b:1::7f00:1]:{port}/v1": Kind.PRIVATE,
    "https://[2002:7f00:1::]:{port}/v1": Kind.PRIVATE,
    "https://[2001:0:7f00:1::]:{port}/v1": Kind.PRIVATE,
    "https://[2001:10::1]:{port}/v1": Kind.PRIVATE,
    "https://[2001:20::1]:{port}/v1": Kind.PRIVATE,
    "https://[100::1]:{port}/v1": Kind.PRIVATE,
    "https://[ff02::1]:{port}/v1": Kind.PRIVATE,
    "https://[fec0::1]:{port}/v1": Kind.PRIVATE,
    "https://[fe80::1]:{port}/v1": Kind.PRIVATE,
    "https://[fe80::1%25eth0]:{port}/v1": Kind.ADDRESS,
    "https://[fd00:ec2::254]/v1": Kind.PRIVATE,
    "https://169.254.169.254/latest/meta-data": Kind.PRIVATE,
    "https://metadata.example.org/v1": Kind.PRIVATE,
    "https://here.example.org:{port}/v1": Kind.PRIVATE,
    "https://mixed.example.org:{port}/v1": Kind.PRIVATE,
    "https://mapped.example.org:{port}/v1": Kind.PRIVATE,
    "https://nat64.example.org:{port}/v1": Kind.PRIVATE,
    "https://6to4.example.org:{port}/v1": Kind.PRIVATE,
    "https://teredo.example.org:{port}/v1": Kind.PRIVATE,
    "https://orchid.example.org:{port}/v1": Kind.PRIVATE,
    "https://zoned.example.org:{port}/v1": Kind.PRIVATE,
    "https://azure.example.org/v1": Kind.PRIVATE,
    "https://last.example.org:{port}/v1": Kind.PRIVATE,
    "https://silent.example.org/v1": Kind.NAME,
    "https://nowhere.example.org/v1": Kind.NAME,
    "https://garbage.example.org/v1": Kind.NAME,
    "https://168.63.129.16/v1": Kind.PRIVATE,
    "https://100.100.100.200/v1": Kind.PRIVATE,
    "https://10.0.0.1/v1": Kind.PRIVATE,
    "https://172.16.0.1/v1": Kind.PRIVATE,
    "https://192.168.1.1/v1": Kind.PRIVATE,
    "https://100.64.0.1/v1": Kind.PRIVATE,
    "https://example.org:22/v1": Kind.PORT,
    "https://example.org:6379/v1": Kind.PORT,
    "https://example.org:99999/v1": Kind.PORT,
    "https://example.org:0/v1": Kind.PORT,
    "https://example.org:/v1": Kind.ADDRESS,
    "https://user@127.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://user:word@example.org/v1": Kind.ADDRESS,
    "https://example.org@127.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://example.org#@127.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://127.0.0.1:{port}#@example.org/v1": Kind.ADDRESS,
    "https://example.org\\@127.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://127.0.0.1:{port}\\.example.org/v1": Kind.ADDRESS,
    "https://example.org/v1?x=y": Kind.ADDRESS,
    "https://exa\tmple.org/v1": Kind.ADDRESS,
    "https://example.org/v1\r\nHost: 127.0.0.1": Kind.ADDRESS,
    "https://example.org/v1\n": Kind.ADDRESS,
    " https://example.org/v1": Kind.SCHEME,
    "https://１２７.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://127。0。0。1:{port}/v1": Kind.ADDRESS,
    "https://127．0．0．1:{port}/v1": Kind.ADDRESS,
    "https://①②⑦.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://localhost。:{port}/v1": Kind.ADDRESS,
    "https://127.0.0.1%00.example.org/v1": Kind.ADDRESS,
    "https://example.org%2f@127.0.0.1:{port}/v1": Kind.ADDRESS,
    "https://example.org./v1": Kind.ADDRESS,
    "https://127.0.0.1.:{port}/v1": Kind.ADDRESS,
    "https://localhost.:{port}/v1": Kind.ADDRESS,
    f"https://{'a' * 300}.org/v1": Kind.ADDRESS,
    f"https://{'a.' * 130}org/v1": Kind.ADDRESS,
    "https://-a.example.org/v1": Kind.ADDRESS,
    "https://a..example.org/v1": Kind.ADDRESS,
    "https://redis/v1": Kind.ADDRESS,
    "ftp://example.org/v1": Kind.SCHEME,
    "file:///etc/passwd": Kind.SCHEME,
    "gopher://127.0.0.1:{port}/v1": Kind.SCHEME,
    "unix:///run/docker.sock": Kind.SCHEME,
    "https:///v1": Kind.ADDRESS,
    "https://:{port}/v1": Kind.ADDRESS,
    "https:example.org/v1": Kind.ADDRESS,
    "": Kind.SCHEME,
}
NAMES: dict[str, list[str]] = {
    "metadata.example.org": ["169.254.169.254"],
    "here.example.org": ["127.0.0.1"],
    "mixed.example.org": [PUBLIC, "127.0.0.1"],
    "mapped.example.org": ["::ffff:127.0.0.1"],
    "nat64.example.org": ["64:ff9b::7f00:1"],
    "6to4.example.org": ["2002:7f00:1::"],
    "teredo.example.org": ["2001:0:7f00:1::"],
    "orchid.example.org": ["2001:20::1"],
    "zoned.example.org": ["fe80::1%eth0"],
    "azure.example.org": ["168.63.129.16"],
    # More than are ever tried: all of them are checked.
    "last.example.org": [*(f"203.0.114.{n}" for n in range(9)), "127.0.0.1"],
    "silent.example.org": [],
    "garbage.example.org": [PUBLIC, "127.0.0.1.example"],
}


def looked_up(name: str) -> Sequence[str]:
    if name not in NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return NAMES[name]


def ask(
    url: str,
    policy: OutboundPolicy,
    resolve: Callable[[str], Sequence[str]] = looked_up,
    trusted: ssl.SSLContext | None = None,
    times: int = 1,
    **more: Any,
) -> list[Exchange | Kind]:
    """The response to each of these requests, or the reason why there is none."""

    async def run() -> list[Exchange | Kind]:
        wanted = settings(url, **more)
        found: list[Exchange | Kind] = []
        try:
            endpoint = guarded_endpoint(wanted, "", policy, resolve=resolve, trusted=trusted)
        except EndpointError as error:
            return [error.kind]
        async with endpoint:
            for _ in range(times):
                try:
                    found.append(await endpoint.ask(b"{}", 100))
                except EndpointError as error:
                    found.append(error.kind)
        return found

    return asyncio.run(run())


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A listening socket: ``accept`` shows whether anybody connects."""
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        server.setblocking(False)
        yield server


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def connections(listener: socket.socket) -> int:
    count = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_no_address_leads_to_this_machine_or_a_private_one(listener: socket.socket) -> None:
    port = port_of(listener)
    policy = OutboundPolicy(ports=frozenset({443, port}))
    found = {url: ask(url.replace("{port}", str(port)), policy) for url in ADDRESSES}
    assert found == {url: [kind] for url, kind in ADDRESSES.items()}
    assert connections(listener) == 0
    assert {RULES[kind].stops or RULES[kind].stops_first for kind in ADDRESSES.values()} == {True}


def test_the_resolver_of_the_system_is_not_believed_either(listener: socket.socket) -> None:
    """To the network backend, which is what this tests, “localhost” is a name like any other."""
    port = port_of(listener)
    assert "127.0.0.1" in resolve("localhost") or "::1" in resolve("localhost")
    found = ask(
        f"https://a.example.org:{port}/v1",
        OutboundPolicy(frozenset({port})),
        resolve=lambda name: resolve("localhost"),
    )
    assert found == [Kind.PRIVATE]
    assert connections(listener) == 0


def test_a_name_that_changes_its_address_is_judged_by_where_it_leads(
    listener: socket.socket,
) -> None:
    """Each look-up gets another answer, but the check and the connection share one look-up."""
    port, asked = port_of(listener), []

    def rebinding(name: str) -> list[str]:
        asked.append(name)
        return ["203.0.114.1" if len(asked) % 2 == 0 else METADATA[len(asked) % 3]]

    policy = OutboundPolicy(frozenset({port}))
    url = f"https://rebinding.example.org:{port}/v1"
    for _ in range(10):
        assert ask(url, policy, rebinding) == [Kind.PRIVATE]
        asked.append("the public answer, which would be connected to")
    rebound = iter(["127.0.0.1", *["::1"] * 100])
    assert ask(url, policy, lambda name: [next(rebound)], times=10) == [Kind.PRIVATE] * 10
    assert connections(listener) == 0


def test_a_silent_name_server_is_waited_for_in_one_thread_only() -> None:
    asked, over = [], Event()

    def silent(name: str) -> list[str]:
        asked.append(name)
        over.wait(20)
        return [PUBLIC]

    policy = OutboundPolicy(name_seconds=0.2)
    try:
        found = ask("https://silent.example.org/v1", policy, silent, times=3)
    finally:
        over.set()
    assert found == [Kind.NAME] * 3
    assert asked == ["silent.example.org"]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        (PUBLIC, True),
        ("172.15.255.255", True),
        ("172.32.0.0", True),
        ("100.63.255.255", True),
        ("100.128.0.0", True),
        ("223.255.255.255", True),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("192.0.0.192", False),
        ("198.19.255.255", False),
        ("2606:4700::1111", True),
        ("2001:4860:4860::8888", True),
        ("2001:1ff::1", False),
        ("2001:200::1", True),
        ("2001:db8::1", False),
        ("3fff:fff::1", False),
        ("3fff:1000::1", True),
        ("4000::1", False),
        ("1fff::1", False),
        ("2606:4700::1111%eth0", False),
    ],
)
def test_the_edges_of_what_is_public(address: str, expected: bool) -> None:
    parsed = address_of(address)
    assert parsed
    assert is_public(parsed) is expected


def test_a_port_of_this_machine_may_be_allowed_by_plain_http_and_leads_nowhere_else() -> None:
    with raw_server(GOOD) as server:
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        policy = OutboundPolicy(loopback_ports=frozenset({port}))
        [answer] = ask(server.url, policy)
        assert isinstance(answer, Exchange)
        assert answer.reply.text == "42"
        elsewhere = f"public.example.org:{port}/v1"
        assert ask(f"http://{elsewhere}", policy, lambda name: [PUBLIC]) == [Kind.SCHEME]
        assert ask(f"https://{elsewhere}", policy, lambda name: [PUBLIC]) == [Kind.PRIVATE]
        assert ask(f"http://{PUBLIC}:{port}/v1", policy) == [Kind.PRIVATE]
        assert ask("http://127.0.0.1:1/v1", policy) == [Kind.SCHEME]
        assert len(server.requests) == 1


def test_a_redirect_leads_nowhere_that_the_first_address_could_not() -> None:
    asked: list[str] = []

    def resolver(name: str) -> list[str]:
        asked.append(name)
        return [PUBLIC]

    async def follow(url: str, policy: OutboundPolicy) -> None:
        transport = GuardedTransport(policy, 1, resolver)
        async with httpx2.AsyncClient(transport=transport, follow_redirects=True) as client:
            await client.get(url)

    found = b"HTTP/1.1 302 Found\r\nLocation: http://public.example.org/\r\n\r\n"
    with raw_server([found]) as server:
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        policy = OutboundPolicy(frozenset({80, 443}), loopback_ports=frozenset({port}))
        with pytest.raises(EndpointError) as refused:
            asyncio.run(follow(server.url, policy))
    assert refused.value.kind is Kind.SCHEME
    assert asked == []


def paced(parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        time.sleep(0.02)  # the pace of the server, not of the test
        yield part


HEAD = b"HTTP/1.1 200 OK\r\n"
PLAIN = HEAD + b"Content-Type: application/json\r\n"
SERVERS: dict[str, tuple[Callable[[], Iterator[bytes]], Kind]] = {
    "head byte by byte": (lambda: paced(chain([HEAD], repeat(b"X"))), Kind.TIMEOUT),
    "body byte by byte": (
        lambda: paced(chain([PLAIN + b"Content-Length: 9999\r\n\r\n"], repeat(b" "))),
        Kind.TIMEOUT,
    ),
    "body of 200 MB": (
        lambda: chain(
            [PLAIN + b"Content-Length: 209715200\r\n\r\n"], repeat(b" " * (1 << 20), 200)
        ),
        Kind.TOO_LARGE,
    ),
    "bomb": (
        lambda: iter([PLAIN + b"Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n\x1f\x8b"]),
        Kind.MALFORMED,
    ),
    "100,000 headers": (lambda: chain([HEAD], repeat(b"X: y\r\n" * 1_000, 100)), Kind.HALF),
    "redirect to metadata": (
        lambda: iter([b"HTTP/1.1 307 There\r\nLocation: http://169.254.169.254/\r\n\r\n"]),
        Kind.REDIRECT,
    ),
    "interim heads without an end": (
        lambda: repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000),
        Kind.TOO_LARGE,
    ),
    "chunks of a byte with 60 KB around it": (
        lambda: chain(
            [PLAIN + b"Transfer-Encoding: chunked\r\n\r\n"],
            repeat(b"1;" + b"x" * 60_000 + b"\r\n \r\n"),
        ),
        Kind.TOO_LARGE,
    ),
    "nothing": (lambda: iter(()), Kind.HALF),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_attacks_back_holds_us_no_longer_than_its_deadline(name: str) -> None:
    parts, kind = SERVERS[name]
    with raw_server(parts()) as server:
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        policy = OutboundPolicy(loopback_ports=frozenset({port}))
        seconds = 1 if kind is Kind.TIMEOUT else 20
        assert ask(server.url, policy, timeout=seconds) == [kind]  # or waits for ever


@pytest.mark.skipif(not which("openssl"), reason="no openssl to make a certificate with")
def test_a_certificate_must_be_for_the_name_that_was_asked(tmp_path: Path) -> None:
    """The connection goes to a checked address; the certificate is still compared with the name."""
    context = unknown_certificate(tmp_path, "DNS:right.example.org")
    trusted = ssl.create_default_context(cafile=tmp_path / "certificate.pem")
    with raw_server(GOOD, context) as server:
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        policy = OutboundPolicy(loopback_ports=frozenset({port}))
        found = {
            name: ask(f"https://{name}.example.org:{port}/v1", policy, lambda _: ["127.0.0.1"], own)
            for name, own in (("right", trusted), ("wrong", trusted))
        }
        [answer] = found["right"]
        assert isinstance(answer, Exchange)
        assert found["wrong"] == [Kind.CERTIFICATE]
        unsigned = f"https://right.example.org:{port}/v1"
        assert ask(unsigned, policy, lambda _: ["127.0.0.1"]) == [Kind.CERTIFICATE]
        assert len(server.requests) == 1


def test_where_nobody_listens_the_next_address_of_the_name_is_tried() -> None:
    with raw_server(GOOD) as server:
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        policy = OutboundPolicy(loopback_ports=frozenset({port}))
        url = f"http://localhost:{port}/v1"
        [answer] = ask(url, policy, lambda name: ["::1", "127.0.0.1"])
        assert isinstance(answer, Exchange)
        assert ask(url, policy, lambda name: ["::1"]) == [Kind.CONNECTION]
