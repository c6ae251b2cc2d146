"""Whether a container of the site does its work, for the engine: ``health.py web|worker|ready``.

Run by the bare interpreter, without the site's packages: it is asked several times a minute.
"""

import json
import os
import socket
import sys
from pathlib import Path

_ESTABLISHED = "01"  # as /proc/net/tcp writes it
_SECONDS = 5


def ask(path: str) -> tuple[int, bytes]:
    """Returns the status and the body of the web process's answer."""
    host = os.environ.get("ALLOWED_HOSTS", "localhost").partition(",")[0].strip()
    kind, _, place = os.environ.get("WEB_BIND", "unix:/run/web/http").rpartition("unix:")
    family = socket.AF_UNIX if kind or "/" in place else socket.AF_INET
    with socket.socket(family) as connection:
        connection.settimeout(_SECONDS)
        port = place.rpartition(":")[2]
        connection.connect(place if family == socket.AF_UNIX else ("127.0.0.1", int(port)))
        connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def is_connected() -> bool:
    """Workers hold a connection to the broker, the sweeper one to the database."""
    tables = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
    lines = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    return any(fields[3] == _ESTABLISHED for fields in lines)


def main(role: str) -> int:
    if role == "worker":
        return 0 if is_connected() else 1
    status, body = ask("/readyz" if role == "ready" else "/healthz")
    if role == "ready":
        found = json.loads(body)
        box = found.get("sandbox", {})
        sys.stdout.write(f"sandbox: {box.get('level', 'unknown')}. {box.get('reason', '')}\n")
        if found["reasons"]:
            sys.stdout.write(f"not ready: {', '.join(found['reasons'])}\n")
    return 0 if status == 200 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
