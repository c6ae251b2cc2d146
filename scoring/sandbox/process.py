"""One process of the box, from its start to its end: what it says, and how long it may live."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

_KEPT = 16_384  # bytes of what it says, for the log
_FLOOD = 1 << 20  # bytes after which it is stopped: a scorer has next to nothing to say

Process = subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Finished:
    exit_code: int  # negative for a signal
    said: bytes  # the beginning of it
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

    Raises ``OSError`` where it cannot be started. Whoever starts it must attend to it.
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


def attend(process: Process, *, seconds: float, watch: Callable[[], None], turn: float) -> Finished:
    """Wait for the end of a process, at most so many seconds. Its group is gone then.

    Raises only what ``watch`` raises, which is called every ``turn`` seconds.
    """
    said = bytearray()
    stopped = None
    try:
        _listen(process, said, _turns(seconds, watch, turn))
    except _Stopped as reason:
        stopped = str(reason)
    finally:
        _end(process)
    return Finished(process.returncode, bytes(said), stopped)


def _turns(seconds: float, watch: Callable[[], None], length: float) -> Callable[[], float]:
    """A function that says how long to wait now. It calls ``watch``, and stops at the deadline."""
    watched = time.monotonic()
    deadline = watched + seconds

    def turn() -> float:
        nonlocal watched
        now = time.monotonic()
        if now >= deadline:
            raise _Stopped("scorer_time")
        if now - watched >= length:
            watched = now
            watch()
        return min(length, deadline - now)

    return turn


def _listen(process: Process, said: bytearray, turn: Callable[[], float]) -> None:
    """Hear what the process says until it ends."""
    assert process.stdout is not None  # noqa: S101 - for the type checker
    heard = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(turn()):
                continue
            data = os.read(process.stdout.fileno(), 65_536)
            if not data:
                break
            heard += len(data)
            if heard > _FLOOD:
                raise _Stopped("scorer_crashed")
            said += data[: _KEPT - len(said)]
    while process.poll() is None:  # it may only have closed its mouth
        with suppress(subprocess.TimeoutExpired):
            process.wait(turn())


def _end(process: Process) -> None:
    """End the group where its first process has not: its number is certainly ours till then."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()
