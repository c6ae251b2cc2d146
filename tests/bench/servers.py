"""Servers of our site, and of others, in processes of their own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.support.paths import ROOT

# Of a reader for whom pages are made: those of readers without a session are kept.
WITH_SESSION = {"Cookie": "session=of-nobody"}
_START, _STOP = 60.0, 15.0  # seconds


class ServerError(Exception):
    """A server did not start; the message has what it said."""


def site_environment(folder: Path, database_url: str) -> dict[str, str]:
    own = {"DEMO": "1", "STATE_DIR": str(folder), "DATABASE_URL": database_url}
    return {**plain_environment(), **own, "DJANGO_SETTINGS_MODULE": "portal.settings"}


def plain_environment() -> dict[str, str]:
    """What of our environment a server gets: nothing that would configure it."""
    return {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}


def run_python(environment: Mapping[str, str], *arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True)


@contextmanager
def our_site(
    environment: Mapping[str, str], folder: Path, application: str = "portal.wsgi"
) -> Iterator[str]:
    """The address of the site, served by gunicorn as in production."""
    web = (sys.executable, "-m", "gunicorn", "--config", "python:portal.gunicorn_conf")
    host = free_host()
    command = (*web, "--workers", "2", "--bind", host, application)
    with running(command, environment, f"http://{host}/healthz", folder):
        yield f"http://{host}"


def free_host() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str], address: str, folder: Path
) -> Iterator[None]:
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_answered(process, address, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP)
        finally:
            process.kill()


def _wait_until_answered(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + _START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urlopen(address, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise ServerError(f"{address} does not answer:\n{log.read_text(errors='replace')[-4000:]}")
