"""Requests of the site to endpoints and to the Hub: no name and no redirect leads them to an
address that is not public (``addresses``).

The check is where connections are made, so nothing is looked up a second time after it.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any

import httpcore2
import httpx2

from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport.addresses import Address, OutboundPolicy, address_of, check_address
from scoring.endpoint.transport.client import Endpoint
from scoring.endpoint.transport.failures import EndpointError, Kind

Resolve = Callable[[str], Sequence[str]]  # the addresses of a name; raises ``OSError``

_TRIED = 4  # addresses of a name
# Bytes as they come: whoever reads an answer has closer bounds, but does not see interim heads, nor
# what is around the parts of a body. The largest body is a file from the Hub, of 100 MiB.
_LONGEST_HEAD = 1 << 18
_LONGEST_BODY = 1 << 28


def resolve(name: str) -> list[str]:
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def guarded_endpoint(
    settings: RunSettings,
    key: str,
    policy: OutboundPolicy,
    *,
    resolve: Resolve = resolve,
    trusted: ssl.SSLContext | None = None,
) -> Endpoint:
    """An endpoint that is asked only where the policy allows it. Raises ``EndpointError``.

    ``trusted``: other certificates than those that the system trusts.
    """
    check_address(settings.url, policy)
    transport = GuardedTransport(policy, settings.concurrency, resolve, trusted)
    return Endpoint(settings, key, transport=transport)


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """Connects to where the policy allows it, and checks the address of each request: also where a
    redirect leads, if whoever sends the requests follows it. Raises ``EndpointError``."""

    def __init__(
        self,
        policy: OutboundPolicy,
        connections: int,
        resolve: Resolve = resolve,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        context = trusted or httpx2.create_ssl_context(trust_env=False)
        super().__init__(verify=context, trust_env=False)
        if not isinstance(self._pool, httpcore2.AsyncConnectionPool):
            raise TypeError("httpx2 keeps its connections elsewhere: they would not be guarded")
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context,
            max_connections=connections,
            max_keepalive_connections=connections,
            network_backend=_GuardedNetwork(policy, resolve),
        )
        self._policy = policy

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        place = request.url.copy_with(query=None, fragment=None)  # neither says where to connect
        check_address(str(place), self._policy)
        response = await super().handle_async_request(request)
        stream = response.extensions.get("network_stream")
        if isinstance(stream, _BoundedStream):
            stream.left = _LONGEST_BODY
        return response


class _BoundedStream(httpcore2.AsyncNetworkStream):
    """A connection on which no answer is longer than its bounds."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self.left = _LONGEST_HEAD

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(max_bytes, timeout)
        self.left -= len(data)
        if self.left < 0:
            raise EndpointError(Kind.TOO_LARGE)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.left = _LONGEST_HEAD  # of the answer to this request
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        encrypted = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _BoundedStream(encrypted)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - of whatever is asked for
        return self._stream.get_extra_info(info)


class _GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """The only way to connect; Unix sockets are not supported."""

    def __init__(self, policy: OutboundPolicy, resolve: Resolve) -> None:
        self._policy = policy
        self._resolve = resolve
        self._network = httpcore2.AnyIOBackend()
        self._look_ups: dict[str, Future[Sequence[str]]] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        literal = address_of(host)
        addresses = [literal] if literal else await self._addresses(host)
        if not all(self._policy.allows(address, port) for address in addresses):
            raise EndpointError(Kind.PRIVATE)
        failure: Exception = httpcore2.ConnectError()
        for address in addresses[:_TRIED]:
            try:
                stream = await self._network.connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
                continue
            if address_of(stream.get_extra_info("server_addr")[0]) != address:
                await stream.aclose()
                raise EndpointError(Kind.PRIVATE)
            return _BoundedStream(stream)
        raise failure

    async def _addresses(self, name: str) -> list[Address]:
        """Simultaneous connections wait for the same answer, so a silent name server blocks one
        thread of a run, however often the run retries."""
        look_up = self._look_ups.get(name)
        if look_up is None or look_up.done():
            look_up = self._look_ups[name] = _in_thread(self._resolve, name)
        try:
            seconds = self._policy.name_seconds
            answers = await asyncio.wait_for(asyncio.wrap_future(look_up), seconds)
        except TimeoutError:
            raise EndpointError(Kind.NAME, f"No answer for {seconds:g} s.") from None
        except (OSError, UnicodeError):
            raise EndpointError(Kind.NAME) from None
        addresses = [address_of(each) for each in answers]
        known = [address for address in addresses if address]
        if not known or len(known) < len(addresses):
            raise EndpointError(Kind.NAME)
        return known


def _in_thread(resolve: Resolve, name: str) -> Future[Sequence[str]]:
    """The thread is no executor's: neither the loop nor the process waits for its end."""
    answer: Future[Sequence[str]] = Future()
    answer.set_running_or_notify_cancel()  # who waits may give up, but not cancel it for others

    def work() -> None:
        try:
            answer.set_result(resolve(name))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=work, daemon=True, name="look-up").start()
    return answer
