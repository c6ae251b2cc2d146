"""One process of the box, from its start to its end: its output, and how long it may live."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

_KEPT = 16_384  # bytes of its output, for the log
_MAX_OUTPUT = 1 << 20  # bytes after which it is stopped: a scorer prints next to nothing

Process = subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Finished:
    exit_code: int  # negative for a signal
    output: bytes  # the beginning of it
    stopped: str | None = None  # the code for why it was stopped from here


class _Stopped(Exception):  # noqa: N818 - why a process was ended, not an error
    pass


def start_process(
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: BinaryIO,
    descriptors: Iterable[int],
) -> Process:
    """Start a command in a process group of its own, with only the descriptors open in it.

    Raises ``OSError`` where it cannot be started. Call ``wait_for`` on what this returns.
    """
    return subprocess.Popen(  # noqa: S603 - a list of our own, no shell
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        cwd="/",
        close_fds=True,
        pass_fds=tuple(descriptors),
        start_new_session=True,
    )


def wait_for(
    process: Process, *, seconds: float, watch: Callable[[], None], interval: float
) -> Finished:
    """Wait at most ``seconds`` for a process to end; then its whole group is killed.

    Raises only what ``watch`` raises, which is called every ``interval`` seconds.
    """
    output = bytearray()
    stopped = None
    try:
        _read_output(process, output, _pauses(seconds, watch, interval))
    except _Stopped as reason:
        stopped = str(reason)
    finally:
        if process.poll() is None:  # until it is waited for, its pid cannot be reused
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()
    return Finished(process.returncode, bytes(output), stopped)


def _pauses(seconds: float, watch: Callable[[], None], interval: float) -> Callable[[], float]:
    """A function that says how long to wait now. It calls ``watch``, and stops at the deadline."""
    watched = time.monotonic()
    deadline = watched + seconds

    def pause() -> float:
        nonlocal watched
        now = time.monotonic()
        if now >= deadline:
            raise _Stopped("scorer_time")
        if now - watched >= interval:
            watched = now
            watch()
        return min(interval, deadline - now)

    return pause


def _read_output(process: Process, output: bytearray, pause: Callable[[], float]) -> None:
    """Read what the process prints until it ends."""
    assert process.stdout is not None  # noqa: S101 - for the type checker
    size = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(pause()):
                continue
            data = os.read(process.stdout.fileno(), 65_536)
            if not data:
                break
            size += len(data)
            if size > _MAX_OUTPUT:
                raise _Stopped("scorer_crashed")
            output += data[: _KEPT - len(output)]
    while process.poll() is None:  # stdout may be closed before the exit
        with suppress(subprocess.TimeoutExpired):
            process.wait(pause())
