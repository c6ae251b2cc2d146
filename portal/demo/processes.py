"""Start processes that die with us, recognise them later, and end them without hitting another.

Linux only: this rests on ``/proc``, ``prctl`` and process file descriptors. A pid alone identifies
nothing, because the kernel gives the number away again: a process is its pid, its start time and
its boot, and signals go through a process file descriptor, which never becomes another process.
"""

import ctypes
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, NamedTuple

PROC = Path("/proc")
STOP_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class User(NamedTuple):
    """The account of this machine that a process runs under."""

    name: str
    uid: int
    gid: int


class Identity(NamedTuple):
    """One process and no other: ``started`` is in clock ticks after the boot with this id."""

    pid: int
    started: int
    boot: str


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    user: User | None = None,
    cwd: Path | None = None,
    output: IO[bytes] | int | None = None,
    stdin: int = subprocess.DEVNULL,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` in a session of its own; the kernel sends it ``death_signal`` when we die.

    More exactly, when the calling *thread* ends, so call this from the main thread. ``env`` is the
    whole environment (inherited when None); ``output`` takes stdout and stderr. Raises ``OSError``.
    """
    parent = os.getpid()

    def prepare() -> None:
        # In the child, after the change of user, which would clear the death signal.
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:  # we died before the line above: no signal will come
            os._exit(1)
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen(  # noqa: S603 - argv comes from literals, and there is no shell
        list(argv),
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - one thread; nothing else can set a death signal
        user=None if user is None else user.uid,
        group=None if user is None else user.gid,
        extra_groups=None if user is None else (),
    )


def die_with_parent() -> None:
    """Have the kernel send us SIGTERM when the process that started us dies."""
    parent = os.getppid()
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above: no signal will come
        signal.raise_signal(signal.SIGTERM)


def exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether our child has ended. It is not reaped, so its pid and group are still its own."""
    if process.returncode is not None:
        return True
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, options) is not None


def wait_until_exited(processes: Iterable[subprocess.Popen[bytes]], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    running = list(processes)
    while (running := [process for process in running if not exited(process)]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.02)
    return not running


def kill_group(process: subprocess.Popen[bytes]) -> int:
    """Kill what is left of our child and its group, then reap it. Returns its exit status.

    Not the other way round: until the child is reaped, no other group can have its number.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def how_it_ended(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"killed by signal {-status}"


def identity(pid: int) -> Identity | None:
    """The process with this pid; None when there is none, or only a zombie."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, and may itself hold spaces and brackets.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else Identity(pid, int(fields[19]), boot_id())


def alive(process: Identity) -> bool:
    return identity(process.pid) == process


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def other_pids() -> set[int]:
    """All processes but us and our ancestors, who must never be ended."""
    pids = {int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal()}
    pid = os.getpid()
    while pid > 0:
        pids.discard(pid)
        status = (PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
        pid = int(status.partition("\nPPid:")[2].split()[0])
    return pids


def with_variable(entry: str) -> set[Identity]:
    """Processes that were started with ``NAME=value`` in their environment, if we may see it.

    Children inherit it, even those that leave their session.
    """
    found = set()
    for pid in other_pids():
        process = identity(pid)
        with suppress(OSError):  # gone, or another user's
            environment = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
            if process and entry.encode() in environment:
                found.add(process)
    return found


def end(
    processes: Iterable[Identity],
    first: signal.Signals = signal.SIGTERM,
    patience: float = 5.0,
) -> list[Identity]:
    """Signal the processes, and kill those that do not end. Returns those that still run.

    Each is checked once more behind an open process file descriptor, so that a process that has
    been given one of these pids in the meantime is left alone.
    """
    with ExitStack() as stack:
        running: dict[int, Identity] = {}
        for process in processes:
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(process.pid)
                stack.callback(os.close, descriptor)
                if alive(process):
                    running[descriptor] = process
        for number in (first, signal.SIGKILL):
            for descriptor in running:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(descriptor, number)
                    signal.pidfd_send_signal(descriptor, signal.SIGCONT)  # wakes a stopped one
            deadline = time.monotonic() + patience
            while running and (seconds := deadline - time.monotonic()) > 0:
                poll = select.poll()
                for descriptor in running:
                    poll.register(descriptor, select.POLLIN)  # readable once the process has ended
                for descriptor, _ in poll.poll(seconds * 1000):
                    del running[descriptor]
        return list(running.values())
