"""The demo, started as a person starts it, and what it says of itself."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

_TICKS = os.sysconf("SC_CLK_TCK")  # in a second
_OF_THE_TESTS = (
    "DJANGO_SETTINGS_MODULE", "DATABASE_URL", "SECRET_KEY", "STATE_DIR", "INFINITEBENCH_DATA"
)  # fmt: skip
_STOP = 60  # seconds; only a failing test waits so long


@dataclass(frozen=True, slots=True)
class Site:
    address: str
    passwords: dict[str, str]  # by user name
    state: Path
    pid: int  # of the supervisor

    def manage(self, *arguments: object) -> None:
        """A command of the site's operator."""
        variables = {"DEMO": "1", "STATE_DIR": str(self.state)}
        subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=ROOT, env=_environment(**variables), check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def web_seconds(self) -> float:
        """Processor time that the web server and its workers have had so far."""
        return sum(_seconds(pid) for pid in _family(self.pid) if "gunicorn" in _command(pid))


@contextmanager
def started(state: Path, **variables: str) -> Iterator[Site]:
    """The demo in a folder of its own, until the end of the block; if not told otherwise, without
    the large release, which would take all processors."""
    ours = {"PORT": str(_free_port()), "DEMO_DIR": str(state), "LADDER": "no"}
    ours["REVIEW_MAIL_SECONDS"] = "1"  # a test waits for no mail that another has had
    environment = _environment(**{**ours, **variables})
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
    """Ours, without what the tests' own settings have set."""
    ours = {name: value for name, value in os.environ.items() if name not in _OF_THE_TESTS}
    return {**ours, **variables}


def _read_welcome(process: "subprocess.Popen[str]", state: Path) -> Site:
    told: list[str] = []
    assert process.stdout
    for line in process.stdout:
        told.append(line)
        if "Ctrl-C" in line:
            break
    text = "".join(told)
    address = re.search(r"http://\S+/", text)
    assert address, f"the demo did not start:\n{text}"
    passwords = dict(re.findall(r"^ +(author|reviewer|admin) +(\S+)$", text, re.MULTILINE))
    return Site(address[0].rstrip("/"), passwords, state, process.pid)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _family(pid: int) -> Iterator[int]:
    """The process and all below it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _family(int(child))


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _seconds(pid: int) -> float:
    """User and system time: fields 14 and 15 of its ``stat``, behind the name in brackets."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
