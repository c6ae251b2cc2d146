"""A server that answers every request with the same raw bytes."""

import socket
import ssl
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any


class RawServer:
    """``parts`` are sent one after the other; an endless iterator ends with the connection."""

    def __init__(self, parts: Iterable[bytes], context: ssl.SSLContext | None = None) -> None:
        self._parts = parts
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[Thread] = []
        self.ending = Event()
        self.requests: list[bytes] = []
        scheme = "https" if context else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def serve(self) -> None:
        while not self.ending.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                if self.ending.is_set():  # the connection that only wakes up ``accept``
                    connection.close()
                    return
                thread = Thread(target=self._answer, args=(connection,))
                thread.start()
                self._threads.append(thread)

    def _answer(self, connection: socket.socket) -> None:
        with ExitStack() as opened, suppress(OSError):
            opened.enter_context(connection)
            connection.settimeout(2)
            stream: Any = connection
            if self._context:
                stream = opened.enter_context(
                    self._context.wrap_socket(connection, server_side=True)
                )
            self.requests.append(_request(stream))
            for part in self._parts:
                if self.ending.is_set():
                    return
                stream.sendall(part)
            stream.shutdown(socket.SHUT_WR)
            stream.recv(1)  # otherwise unread bytes would reset the connection

    def close(self) -> None:
        self.ending.set()
        with suppress(OSError), socket.create_connection(self._listener.getsockname()):
            pass
        self._listener.close()
        for thread in self._threads:
            thread.join()


def _request(stream: Any) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (part := stream.recv(1 << 16)):
            return data
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    fields = (line.partition(b":") for line in head.split(b"\r\n"))
    length = next((int(value) for name, _, value in fields if name.lower() == b"content-length"), 0)
    while len(body) < length and (part := stream.recv(1 << 16)):
        body += part
    return head + b"\r\n\r\n" + body


@contextmanager
def raw_server(
    parts: Iterable[bytes], context: ssl.SSLContext | None = None
) -> Iterator[RawServer]:
    server = RawServer(parts, context)
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def ok(body: bytes, kind: str = "application/json", **headers: str) -> list[bytes]:
    """A response with its length; it is the last on its connection."""
    lines = [f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(["HTTP/1.1 200 OK", *lines])
    return [f"{head}\r\n\r\n".encode(), body]


def unknown_certificate(folder: Path, name: str = "IP:127.0.0.1") -> ssl.SSLContext:
    """A context for a server with a self-signed certificate."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", f"subjectAltName={name}",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
