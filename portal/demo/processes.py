"""Start a process that dies with us, know it again later, end it without ever hitting a stranger.

Linux only: all of this rests on `/proc`, `prctl` and process file descriptors.

A pid alone names nobody: the number is given to the next process as soon as it is free. Here a
process is known by its pid, its start time and the boot it belongs to (`Identity`), and signals go
through a process file descriptor, which never turns into another process.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, NamedTuple

PROC = Path("/proc")
DEFAULT_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)

# Which signals, in this order, each with the seconds to wait for its effect.
Steps = Sequence[tuple[signal.Signals, float]]
POLITE: Steps = ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))


class User(NamedTuple):
    """An account of this machine under which a process is to run."""

    name: str
    uid: int
    gid: int


class Identity(NamedTuple):
    """One process, for ever: `started` is in clock ticks after the boot with this id."""

    pid: int
    started: int
    boot: str


class _Stat(NamedTuple):
    state: str
    parent: int
    session: int
    started: int


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
    """Start `argv` in a session of its own; the kernel sends it `death_signal` when we die.

    The signal is sent when the *thread* that calls this ends, so call it from the main thread.
    `env` is the whole environment (ours when None); `output` takes both stdout and stderr.
    Raises OSError when the program cannot be started.
    """
    parent = os.getpid()

    def prepare() -> None:
        # Runs in the child, after the change of user: that change would clear the death signal.
        _LIBC.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:  # we died before the line above: nobody will send the signal
            os._exit(1)
        for number in DEFAULT_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    return subprocess.Popen(  # noqa: S603 – argv comes from literal tables, and there is no shell
        list(argv),
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 – one thread; and nothing else can set a death signal
        user=None if user is None else user.uid,
        group=None if user is None else user.gid,
        extra_groups=None if user is None else (),
    )


def die_with_parent() -> None:
    """Have the kernel send us SIGTERM when the process that started us dies."""
    parent = os.getppid()
    _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above: nobody will send the signal
        signal.raise_signal(signal.SIGTERM)


def exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether our child has ended; it is not reaped, so its pid and its group are still its own."""
    if process.returncode is not None:
        return True
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, options) is not None


def reap(process: subprocess.Popen[bytes]) -> int:
    """Kill what is left in the group of our child, then reap it. Returns its exit status.

    The order matters: while the child is not reaped, no stranger can have the number of its group.
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
    """Who has this pid now; None when nobody has, or only a zombie waits to be reaped."""
    stat = _stat(pid)
    return None if stat is None else Identity(pid, stat.started, boot_id())


def alive(who: Identity) -> bool:
    return identity(who.pid) == who


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def everybody() -> Iterator[int]:
    """The pids of all processes but us and our ancestors, who must never be ended."""
    ours = set(_line_of(os.getpid()))
    pids = (int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal())
    return (pid for pid in pids if pid not in ours)


def session_of(leader: Identity) -> list[Identity]:
    """The leader and all of its session; empty when the leader has gone.

    Without a living leader the number of the session may belong to a stranger by now.
    """
    if not alive(leader):
        return []
    members = (pid for pid in everybody() if (stat := _stat(pid)) and stat.session == leader.pid)
    return _identities(members)


def carriers(entry: str) -> list[Identity]:
    """Processes that were started with `NAME=value` in their environment, as far as we may look."""
    wanted = entry.encode()
    return _identities(pid for pid in everybody() if wanted in _environment(pid))


def end(targets: Iterable[Identity], steps: Steps = POLITE) -> list[Identity]:
    """Signal the targets, step by step, until all have gone. Returns those that have not.

    Each is checked once more behind an open process file descriptor, so that a pid that has been
    given to another process in the meantime is left in peace.
    """
    with ExitStack() as stack:
        left = {fd: who for who in targets if (fd := _open(who, stack)) is not None}
        for number, seconds in steps:
            for fd in left:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(fd, number)
                    signal.pidfd_send_signal(fd, signal.SIGCONT)  # a stopped one would not hear it
            left = _still_there(left, time.monotonic() + seconds)
        return list(left.values())


def supported() -> bool:
    return sys.platform == "linux"


def _stat(pid: int) -> _Stat | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, and may itself hold spaces and brackets.
    fields = text.rpartition(")")[2].split()
    stat = _Stat(fields[0], int(fields[1]), int(fields[3]), int(fields[19]))
    return None if stat.state in "ZX" else stat


def _line_of(pid: int) -> Iterator[int]:
    """The process, its parent, and so on, up to the first."""
    while pid > 0:
        yield pid
        stat = _stat(pid)
        pid = stat.parent if stat else 0


def _identities(pids: Iterable[int]) -> list[Identity]:
    return [who for pid in pids if (who := identity(pid))]


def _environment(pid: int) -> list[bytes]:
    try:
        return (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or another user's
        return []


def _open(who: Identity, stack: ExitStack) -> int | None:
    try:
        descriptor = os.pidfd_open(who.pid)
    except ProcessLookupError:
        return None
    stack.callback(os.close, descriptor)
    return descriptor if alive(who) else None


def _still_there(left: Mapping[int, Identity], deadline: float) -> dict[int, Identity]:
    poll = select.poll()
    remaining = dict(left)
    for descriptor in remaining:
        poll.register(descriptor, select.POLLIN)  # readable once the process has ended
    while remaining and (seconds := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(seconds * 1000):
            poll.unregister(descriptor)
            del remaining[descriptor]
    return remaining
