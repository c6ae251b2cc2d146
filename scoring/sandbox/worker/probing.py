"""The stage that tries to break out: what a scorer could do that an upload has taken over.

Each attempt is a function that returns what it got. What stops it raises: then the box held. All
of them are harmless to what they reach, which is bait that ``sandbox.preflight`` has laid out.
"""

import ctypes
import errno
import json
import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM
from typing import Any, NamedTuple, NoReturn

from scoring.sandbox.worker.job import Exit, Streams

_MEMORY = 3 << 30  # bytes: more than a box allows
_FORKS = 32
_DESCRIPTORS = 1024
_PTRACE_SEIZE = 0x4206
_CLONE_NEWUSER = 0x10000000
_PROT_READ_EXEC, _MAP_PRIVATE_ANONYMOUS = 0b101, 0x22
_VARIABLES = {"LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PWD", "PYTHONPATH", "PYTHONUTF8"}
# Doors to large parts of the kernel: their numbers on x86_64 and aarch64.
_CALLS = {
    "keyctl": {"x86_64": 250, "aarch64": 219},
    "perf_event_open": {"x86_64": 298, "aarch64": 241},
    "bpf": {"x86_64": 321, "aarch64": 280},
    "userfaultfd": {"x86_64": 323, "aarch64": 282},
    "io_uring_setup": {"x86_64": 425, "aarch64": 425},
}
_libc = ctypes.CDLL(None, use_errno=True)

Bait = dict[str, Any]


class _NothingGotError(Exception):
    pass


class Attempt(NamedTuple):
    what: str
    make: Callable[[Bait], object]
    outer: bool = True  # whether bubblewrap alone has to stop it, too


def run(streams: Streams) -> None:
    """Try everything in the table; ``findings`` has what each attempt got or was stopped by.

    At the end a shell, which would show by its exit code.
    """
    own = [stream.fileno() for stream in (*streams.inputs.values(), *streams.outputs.values())]
    bait: Bait = {**streams.options, "own": {0, 1, 2, *own}}
    findings = {}
    for name, attempt in ATTEMPTS.items():
        try:
            findings[name] = {"got": str(attempt.make(bait))[:200]}
        except Exception as error:  # whatever stopped it, it was stopped
            findings[name] = {"stopped": f"{type(error).__name__}: {error}"[:200]}
    streams.outputs["findings"].write(json.dumps(findings).encode())
    streams.close()
    if bait["shell"]:
        with suppress(OSError):
            _shell()


def _connect(family: int, address: object) -> str:
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        client.connect(address)  # type: ignore[arg-type]  # of either family
    return f"a connection to {address!r}"


def _any_of(attempt: Callable[[Any], object], targets: Iterable[object]) -> list[object]:
    """The results of the attempts that succeeded. Raises if none did."""
    got = []
    for target in targets:
        with suppress(OSError):
            got.append(attempt(target))
    return got or _nothing("none of them")


def _nothing(why: str) -> NoReturn:
    raise _NothingGotError(why)


def _descriptors(bait: Bait) -> object:
    foreign = []
    for descriptor in sorted(set(range(_DESCRIPTORS)) - bait["own"]):
        try:
            os.lseek(descriptor, 0, os.SEEK_CUR)
        except OSError as error:
            if error.errno == errno.EBADF:
                continue  # it is not open
        foreign.append(descriptor)
    return foreign or _nothing("only what it was given")


def _fork(_: Bait) -> str:
    for _number in range(_FORKS):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    return f"{_FORKS} processes"


def _call(name: str, *arguments: object) -> object:
    result = getattr(_libc, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _shell() -> None:
    os.execv("/bin/sh", ["sh", "-c", f"exit {int(Exit.BROKEN_OUT)}"])  # noqa: S606 - the point


def _reaches_kernel(name: str) -> str:
    """A call without sense: a kernel that looks at its arguments has not refused it."""
    number = _CALLS[name].get(os.uname().machine, -1)
    _libc.syscall(number, -1, None, -1, -1, -1)
    if ctypes.get_errno() in {errno.EPERM, errno.ENOSYS}:
        raise PermissionError
    return name


def _on(key: str, action: Callable[[Any], object]) -> Callable[[Bait], object]:
    return lambda bait: action(bait[key])


ATTEMPTS: dict[str, Attempt] = {
    "read_file": Attempt(
        "read a file that all may read", _on("secret", lambda path: Path(path).read_text())
    ),
    "stat_file": Attempt(
        "ask whether a file exists", _on("secret", lambda path: Path(path).stat())
    ),
    "list_files": Attempt(
        "list a directory", _on("folder", lambda path: list(Path(path).iterdir()))
    ),
    "write_file": Attempt(
        "write where all may write",
        _on("folder", lambda path: Path(path, "written").write_text("x")),
    ),
    "files": Attempt(
        "read the site's own files",
        _on("files", lambda paths: _any_of(lambda path: len(Path(path).read_bytes()), paths)),
    ),
    "tcp": Attempt(
        "connect to a port of this machine",
        _on("port", lambda port: _connect(socket.AF_INET, ("127.0.0.1", port))),
    ),
    "unix": Attempt(
        "connect to a UNIX socket", _on("socket", lambda path: _connect(socket.AF_UNIX, path))
    ),
    "abstract": Attempt(
        "connect to an abstract UNIX socket",
        _on("abstract", lambda name: _connect(socket.AF_UNIX, name)),
    ),
    "sockets": Attempt(
        "connect to the site's own sockets",
        _on("sockets", lambda paths: _any_of(lambda path: _connect(socket.AF_UNIX, path), paths)),
    ),
    "environment": Attempt(
        "see variables of the environment",
        lambda _: sorted(set(os.environ) - _VARIABLES) or _nothing("only what it was given"),
    ),
    "descriptors": Attempt("use files that others have open", _descriptors),
    "processes": Attempt(
        "look at another process",
        _on("victim", lambda pid: Path(f"/proc/{pid}/status").read_text()),
    ),
    "parent": Attempt(
        "read its parent's environment",
        _on("parent", lambda pid: Path(f"/proc/{pid}/environ").read_bytes()),
    ),
    "trace": Attempt(
        "take over another process",
        _on("victim", lambda pid: _call("ptrace", _PTRACE_SEIZE, pid, 0, 0)),
    ),
    "signal": Attempt("end another process", _on("victim", lambda pid: os.kill(pid, SIGTERM))),
    "root": Attempt("become root", lambda _: os.setuid(0)),
    "memory": Attempt("take 3 GiB of memory", lambda _: len(bytearray(_MEMORY))),
    "fork": Attempt("start processes", _fork, outer=False),
    "namespace": Attempt(
        "make a user namespace", lambda _: _call("unshare", _CLONE_NEWUSER), outer=False
    ),
    "kernel": Attempt(
        "reach far parts of the kernel", lambda _: _any_of(_reaches_kernel, _CALLS), outer=False
    ),
    "code": Attempt(
        "run code out of memory",
        lambda _: _call("mmap", None, 4096, _PROT_READ_EXEC, _MAP_PRIVATE_ANONYMOUS, -1, 0),
        outer=False,
    ),
}
SHELL = Attempt("start a shell", lambda _: _shell())  # the last: it replaces the process
