"""The site as it is served: a gunicorn of its own, or the whole demo as a person starts it."""

import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from django.core.management import call_command
from django.test import override_settings

from portal.demo.postgres import running
from portal.demo.state_folder import opened
from portal.settings import STORAGES
from tests.support.environments import environment
from tests.support.paths import ROOT
from tests.support.processes import eventually, free_port

_TICKS = os.sysconf("SC_CLK_TCK")
_SECRET = "s" * 32  # for the CSRF check


@cache
def _static_root() -> str:
    """Static files, collected once for all servers of a test run. They are left uncompressed:
    compressing would take most of the time."""
    folder = tempfile.mkdtemp(prefix="infinitebench-static-")
    atexit.register(shutil.rmtree, folder)
    uncompressed = ("css", "js", "svg", "txt")
    with override_settings(
        STATIC_ROOT=folder, STORAGES=STORAGES, WHITENOISE_SKIP_COMPRESS_EXTENSIONS=uncompressed
    ):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


class Server:
    """A gunicorn with one process, at a socket in a folder."""

    def __init__(self, folder: Path, session: str = "", address: str = "", **more: str) -> None:
        """``session``: that of the user who posts; ``address``: where it listens as well, as
        ``host:port``; ``more``: environment variables."""
        self.place = folder / "http"
        self._log = folder / "log"
        self._session = session
        variables = {**environment(), "DEMO": "1", "STATIC_ROOT": _static_root(), **more}
        config = ("--config", "python:portal.gunicorn_conf", "--workers", "1")
        bind = [f"--bind={place}" for place in (f"unix:{self.place}", address) if place]
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", *config, *bind, "portal.wsgi"],
                cwd=ROOT,
                env=variables,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        eventually(self.answers, "a server that answers")
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.worker = Path("/proc", children.read_text().split()[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def answers(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        with suppress(OSError):
            return b"200 OK" in self._asked(
                b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n", b""
            )
        return False

    def post(self, content_type: str, body: bytes) -> int:
        """Returns the status of the response."""
        return int(self._asked(self.head_of(content_type, body), body).split()[1])

    def head_of(self, content_type: str, body: bytes) -> bytes:
        """The request line and headers, which come before the body."""
        head = (
            "POST /submit/ HTTP/1.0\r\nHost: localhost\r\n"
            f"Cookie: session={self._session}; csrf={_SECRET}\r\nX-CSRFToken: {_SECRET}\r\n"
            f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode()

    def _asked(self, head: bytes, body: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(str(self.place))
            answer = b""
            with suppress(BrokenPipeError):  # the server may answer before it has read everything
                connection.sendall(head)
                connection.sendall(body)
            with suppress(ConnectionResetError):  # without a proxy, if a body was left unread
                while data := connection.recv(1 << 16):
                    answer += data
            return answer

    def seconds(self) -> float:
        """Processor time used so far: fields 14 and 15 of ``stat``."""
        fields = (self.worker / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def forget_peak(self) -> float:
        """Reset the peak of the memory in use. Returns the current use in MiB."""
        (self.worker / "clear_refs").write_text("5")
        return self._memory("VmRSS")

    def peak(self) -> float:
        return self._memory("VmHWM")

    def _memory(self, name: str) -> float:
        lines = (self.worker / "status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


_TICKS = os.sysconf("SC_CLK_TCK")  # clock ticks per second
_OF_THE_TESTS = (
    "DJANGO_SETTINGS_MODULE", "DATABASE_URL", "SECRET_KEY", "ENDPOINT_KEY_SECRETS",
    "STATE_DIR", "INFINITEBENCH_DATA",
)  # fmt: skip
_STOP = 60  # seconds; only a failing test waits this long


@dataclass(frozen=True, slots=True)
class Site:
    address: str
    passwords: dict[str, str]  # by user name
    state: Path
    pid: int  # the supervisor's

    def manage(self, *arguments: object) -> None:
        """Run one of the operator's commands."""
        variables = {"DEMO": "1", "STATE_DIR": str(self.state)}
        subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=ROOT, env=_environment(**variables), check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def kill(self) -> None:
        """Kill all of its processes at once, like a power cut."""
        for pid in list(_family(self.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def web_seconds(self) -> float:
        """Processor time used so far by the web server and its workers."""
        return sum(_seconds(pid) for pid in _family(self.pid) if "gunicorn" in _command(pid))


def prepare_demo(state: Path) -> Path:
    """Do what the first start does before it serves pages: half a minute of work, which several
    demos may share through the folder."""
    with opened(state), running(state):
        subprocess.run(
            [sys.executable, "manage.py", "prepare_demo"], cwd=ROOT, check=True,
            env=_environment(DEMO="1", STATE_DIR=str(state)), stdout=subprocess.DEVNULL,
        )  # fmt: skip
    return state


@contextmanager
def started(state: Path, prepared: Path | None = None, /, **variables: str) -> Iterator[Site]:
    """Run the demo until the end of the block, in a folder of its own or in a copy of a prepared
    one; by default without the large release, which would keep all processors busy."""
    if prepared:
        subprocess.run(["cp", "-a", prepared, state], check=True)  # keeps the owner of the files
    own = {"PORT": str(free_port()), "DEMO_DIR": str(state), "LADDER": "no"}
    own["REVIEW_MAIL_SECONDS"] = "1"  # no test gets the mail of another
    own["SWEEP_SECONDS"] = "5"  # nothing is published before the sweeper has compared its answers
    environment = _environment(**{**own, **variables})
    process = subprocess.Popen(
        [sys.executable, "-m", "portal.demo"],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        yield _read_welcome(process, state)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=_STOP)
        finally:
            process.kill()


def _environment(**variables: str) -> dict[str, str]:
    """Our environment, without the variables that the tests' settings have set."""
    own = {name: value for name, value in os.environ.items() if name not in _OF_THE_TESTS}
    return {**own, **variables}


def _read_welcome(process: "subprocess.Popen[str]", state: Path) -> Site:
    reported: list[str] = []
    assert process.stdout
    for line in process.stdout:
        reported.append(line)
        if "Ctrl-C" in line:
            break
    text = "".join(reported)
    address = re.search(r"http://\S+/", text)
    assert address, f"the demo did not start:\n{text}"
    passwords = dict(re.findall(r"^ +(author|reviewer|admin) +(\S+)$", text, re.MULTILINE))
    return Site(address[0].rstrip("/"), passwords, state, process.pid)


def _family(pid: int) -> Iterator[int]:
    """The process and all of its descendants."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _family(int(child))


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _seconds(pid: int) -> float:
    """User and system time: fields 14 and 15 of its ``stat``, after the name in parentheses."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
