"""What an upload costs the web process, at the worst: a real gunicorn is measured."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings as site

from portal.models import LanguageModel, Release, Submission, User
from scoring.limits import LIMITS, MIB
from tests.conftest import ROOT
from tests.portal.bodies import BOUNDARY, TYPE, a_field, a_file, form, part
from tests.portal.databases import open_folder
from tests.portal.runs import eventually
from tests.portal.submitting import fields_of, signed_in
from tests.portal.workers import environment

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS, MEMORY = 5.0, 300.0  # of processor time; MiB
_TICKS = os.sysconf("SC_CLK_TCK")
_SECRET = "s" * 32  # of the check against forged forms
folder = pytest.fixture(open_folder)


class Server:
    """A gunicorn with one process, at a socket in a folder."""

    def __init__(self, folder: Path, session: str) -> None:
        self.place = folder / "http"
        self._log = folder / "log"
        self._session = session
        variables = {**environment(), "DEMO": "1", "STATIC_ROOT": str(folder / "static")}
        collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        subprocess.run(collect, cwd=ROOT, env=variables, check=True)
        config = ("--config", "python:portal.gunicorn", "--workers", "1")
        bind = ("--bind", f"unix:{self.place}", "portal.wsgi")
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", *config, *bind],
                cwd=ROOT,
                env=variables,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        eventually(self._answers, "a server that answers")
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.worker = Path("/proc", children.read_text().split()[0])

    def _answers(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        with suppress(OSError):
            return b"200 OK" in self._asked(
                b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n", b""
            )
        return False

    def post(self, content_type: str, body: bytes) -> int:
        """Returns the status of the answer."""
        head = (
            "POST /submit/ HTTP/1.0\r\nHost: localhost\r\n"
            f"Cookie: session={self._session}; csrf={_SECRET}\r\nX-CSRFToken: {_SECRET}\r\n"
            f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return int(self._asked(head.encode(), body).split()[1])

    def _asked(self, head: bytes, body: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(str(self.place))
            with suppress(BrokenPipeError):  # it may answer before it has read all
                connection.sendall(head)
                connection.sendall(body)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))

    def seconds(self) -> float:
        """Processor time so far: fields 14 and 15 of ``stat``."""
        fields = (self.worker / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def forget_peak(self) -> float:
        """Returns the memory in use, in MiB; its peak is counted from here."""
        (self.worker / "clear_refs").write_text("5")
        return self._memory("VmRSS")

    def peak(self) -> float:
        return self._memory("VmHWM")

    def _memory(self, name: str) -> float:
        lines = (self.worker / "status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


@pytest.fixture
def server(adam: User, folder: Path) -> Iterator[Server]:
    session = signed_in(adam).cookies[site.SESSION_COOKIE_NAME].value
    found = Server(folder, session)
    yield found
    found.process.terminate()
    found.process.wait()


def filled(rest: Callable[[], Iterable[bytes]]) -> Callable[[Release], bytes]:
    """The form as it is to be filled in, and more parts."""

    def make(release: Release) -> bytes:
        fields = (a_field(name, value) for name, value in fields_of(release).items())
        return form(*fields, *rest())

    return make


def many(part: bytes) -> Callable[[Release], bytes]:
    """As many of them as fit into an upload."""
    return lambda _release: part * (LIMITS.bytes_in // len(part))


START = f"--{BOUNDARY}".encode()
LINE = b'{"id": 0, "prediction": "x"}\n'
ROWS = LINE * (MIB // len(LINE))
BASE64 = b'Content-Disposition: form-data; name="predictions"; filename="a.jsonl"\r\n'
BASE64 += b"Content-Transfer-Encoding: base64"
# What is sent, and the statuses that may answer it.
COSTLY: dict[str, tuple[Callable[[Release], bytes], set[int]]] = {
    "100 MiB in one file": (filled(lambda: [a_file("preds_passkey.jsonl", ROWS * 100)]), {302}),
    "almost boundaries": (filled(lambda: [a_file("a", (b"\r\n" + START[:-1]) * 9 * MIB)]), {302}),
    "1,000 files": (filled(lambda: [a_file(f"{n}", LINE * 3_500) for n in range(1_000)]), {302}),
    "1,000 files of one name": (filled(lambda: [a_file("a.jsonl", LINE)] * 1_000), {302}),
    "blanks in base64": (filled(lambda: [part(BASE64, b"Q " * (49 * MIB))]), {302, 400}),
    "1,000,000 fields": (many(a_field("name", "value")), {400}),
    "parts that are nothing": (many(START + b"\r\n\r\n"), {400}),
    "boundaries": (many(START), {400}),
    "a field of 99 MiB": (filled(lambda: [a_field("link", "x" * (99 * MIB))]), {400}),
    "the name of a field of 99 MiB": (filled(lambda: [a_field("x" * (99 * MIB), "")]), {400}),
    "the name of a file of 99 MiB": (filled(lambda: [a_file("x" * (99 * MIB))]), {400}),
    "marks to be put in order": (
        filled(lambda: [a_field("prompt_strategy", "\u0301\u0316" * 500_000), a_file("a", LINE)]),
        {422},
    ),
    "200 MiB": (lambda _release: b"x" * (200 * MIB), {413}),
}


def test_no_upload_costs_much_memory_or_time(
    server: Server, release: Release, tell: Callable[[str], None]
) -> None:
    server.post(TYPE, filled(lambda: [a_file("a.jsonl", LINE)])(release))  # loads what it needs
    costs = {}
    for name, (make, statuses) in COSTLY.items():
        Submission.objects.all().delete()
        LanguageModel.objects.all().delete()
        body = make(release)
        begun, before = server.seconds(), server.forget_peak()
        assert server.post(TYPE, body) in statuses, name
        costs[name] = (server.seconds() - begun, server.peak() - before)
    dearest, largest = (max(costs.values(), key=lambda cost: cost[n]) for n in (0, 1))
    tell(f"uploads at their worst: {dearest[0]:.1f} s of the web process, {largest[1]:.0f} MiB")
    assert dearest[0] < SECONDS, costs
    assert largest[1] < MEMORY, costs
