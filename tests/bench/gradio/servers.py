"""The two servers: our site as it is in production, and Gradio with the same rows."""

import json
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

from portal.demo.postgres import temporary
from tests.bench.gradio.board import Row
from tests.conftest import ROOT

_START, _STOP = 60.0, 15.0  # seconds
_APP = Path(__file__).with_name("gradio_app.py")


class ServerError(Exception):
    """A server did not start; the message has what it said."""


@contextmanager
def our_board(folder: Path) -> Iterator[str]:
    """The address of a board with 100 entries, served by gunicorn from files made ahead of time."""
    with temporary() as server:
        own = {"DEMO": "1", "STATE_DIR": str(folder), "DATABASE_URL": server.url}
        environment = {**_plain(), **own, "DJANGO_SETTINGS_MODULE": "portal.settings"}
        for command in (
            ("manage.py", "migrate", "--verbosity=0"),
            ("manage.py", "collectstatic", "--verbosity=0", "--no-input"),
            ("-m", "tests.bench.gradio.fill"),
        ):
            subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True)
        web = (sys.executable, "-m", "gunicorn", "--config", "python:portal.gunicorn_conf")
        host = _free_host()
        arguments = ("--workers", "2", "--bind", host, "portal.wsgi")
        with _running((*web, *arguments), environment, f"http://{host}/healthz", folder):
            yield f"http://{host}/board/hf/"


@contextmanager
def gradio_board(python: Path, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    """The address of the same in Gradio, run by the Python of its own environment."""
    file = folder / "rows.json"
    file.write_text(json.dumps([row.cells for row in rows]), encoding="utf-8")
    host = _free_host()
    quiet = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
    command = (str(python), str(_APP), str(file), host.rpartition(":")[2])
    with _running(command, {**_plain(), **quiet}, f"http://{host}/", folder):
        yield f"http://{host}/"


def _plain() -> dict[str, str]:
    """What of our environment a server gets: nothing that would configure it."""
    return {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}


def _free_host() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def _running(
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
