"""Debian's nginx, with the production configuration, in front of a server."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from string import Template

import pytest

from tests.support.paths import ROOT
from tests.support.processes import DEADLINE, eventually, free_port

SHORT = 1  # seconds, in place of each production timeout: slow clients are cut off soon
LONG = 600  # longer than any test: a client that blocks the site blocks it until the test fails
_MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
worker_processes 1;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class Proxy:
    """Where it listens. Connections may come from any address 127.0.0.x, as from other machines."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        connection = socket.create_connection(
            ("127.0.0.1", self.port), DEADLINE, source_address=(address, 0)
        )
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def answer(self, request: bytes, address: str = "127.0.0.1") -> bytes:
        """The whole response, even if it arrives while the request is still being sent."""
        with self.connect(address) as connection:
            found = b""
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(request)
            with suppress(ConnectionResetError):
                while data := connection.recv(1 << 16):
                    found += data
            return found


@contextmanager
def proxied(
    upstream: str, folder: Path, timeout: int = SHORT, files: Path = Path("/nonexistent")
) -> Iterator[Proxy]:
    """``upstream`` is written as for nginx, ``unix:/path`` or ``host:port``; the timeout is in
    seconds; ``files`` is the folder that the site lets nginx serve."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        pytest.skip("NO NGINX: the promises about slow clients are not tested; install nginx-light")
    port = free_port()
    template = Template((ROOT / "docker" / "nginx.conf").read_text(encoding="utf-8"))
    timeouts = {f"{name}_TIMEOUT": f"{timeout}s" for name in ("HEADER", "BODY", "UPLOAD", "SEND")}
    names = {"LISTEN": f"127.0.0.1:{port}", "SERVER_NAME": "localhost", "UPSTREAM": upstream}
    names["FILES"] = str(files)
    text = template.safe_substitute(names | timeouts)
    plain = "".join(line for line in text.splitlines(True) if not line.lstrip().startswith("ssl_"))
    (folder / "site.conf").write_text(plain)
    user = "user root;" if folder.stat().st_uid == 0 else ""
    main = folder / "nginx.conf"
    main.write_text(_MAIN.format(folder=folder, user=user))
    process = subprocess.Popen([program, "-p", str(folder), "-c", str(main)])
    try:
        eventually(lambda: process.poll() is not None or _listens(port), "a proxy that listens")
        assert process.poll() is None, (folder / "nginx.log").read_text()
        yield Proxy(port)
    finally:
        process.terminate()
        process.wait(DEADLINE)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
