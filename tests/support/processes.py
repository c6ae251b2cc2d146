"""Programs that the portal's tests start, follow by their output, and always end."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from portal.demo.processes import identity
from tests.support.paths import ROOT

DEADLINE = 90.0  # seconds; only a failing test waits this long
_BOUND: list[socket.socket] = []


def eventually(condition: Callable[[], object], what: str, every: float = 0.005) -> None:
    """Wait until the condition holds; fail if it does not in time.

    It is polled every few milliseconds, and less often the longer it takes, to leave the processor
    to the process it waits for. ``every``: the shortest interval in seconds, for a condition that
    is costly to check.
    """
    begun = time.monotonic()
    while not condition():
        waited = time.monotonic() - begun
        assert waited < DEADLINE, f"timed out: {what}"
        time.sleep(max(every, waited / 50))


def free_port() -> int:
    """A port for a program that we start.

    The kernel gives it to nobody else, since we keep it bound as long as we run. The program may
    use it nevertheless, because we do not listen.
    """
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _BOUND.append(bound)
    return int(bound.getsockname()[1])


def gone(pid: int) -> bool:
    return identity(pid) is None


class Run:
    """A Python program and the lines it prints."""

    def __init__(self, source: str, *arguments: object, before: Sequence[str] = ()) -> None:
        argv = [*before, sys.executable, "-c", source, *map(str, arguments)]
        self._process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT
        )
        self.pid = self._process.pid
        self.output = ""

    def until(self, text: str, times: int = 1, within: float = DEADLINE) -> str:
        """Read until the output contains the text this often. Returns all output so far."""
        deadline = time.monotonic() + within
        while self.output.count(text) < times:
            seconds = deadline - time.monotonic()
            assert seconds > 0, f"no {text!r} in time:\n{self.output}"
            assert self._read(seconds), f"ended without {text!r}:\n{self.output}"
        return self.output

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> int:
        """Read to the end. Returns the exit code."""
        deadline = time.monotonic() + DEADLINE
        while self._read(deadline - time.monotonic()):
            pass
        return self._process.wait(DEADLINE)

    def stop_listening(self) -> None:
        assert self._process.stdout
        self._process.stdout.close()

    def close(self) -> None:
        self.kill()
        self.stop_listening()

    def _read(self, seconds: float) -> bool:
        assert self._process.stdout
        descriptor = self._process.stdout.fileno()
        ready, _, _ = select.select([descriptor], [], [], max(0.0, seconds))
        assert ready, f"silent for too long:\n{self.output}"
        part = os.read(descriptor, 65536)
        self.output += part.decode(errors="replace")
        return bool(part)
