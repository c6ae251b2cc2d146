"""The rights that the scorer drops before it reads the first untrusted byte.

By then every module is loaded and every file is open, so nothing is left that it needs from the
system but memory, and reading and writing what it holds. Everything else is refused: limits first,
then the user, then Landlock (no file, no network, no signal), then seccomp (an allow list of
system calls: no new file, socket, process, program or executable memory). About 1 ms.

Only ctypes: numbers and layouts are those of the kernel's headers seccomp.h, filter.h, audit.h,
landlock.h and prctl.h.
"""

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple

NOBODY = 65534
Wall = Literal["landlock", "seccomp"]
WALLS: tuple[Wall, ...] = ("landlock", "seccomp")


_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 24, 38
_libc = ctypes.CDLL(None, use_errno=True)


class LockdownError(Exception):
    """A wall could not be built; the message says which and why. Nothing untrusted may be read."""


@dataclass(frozen=True, slots=True)
class Lockdown:
    """What is in force; the first thing reported to the parent."""

    uid: int
    landlock: int  # the version of its interface; 0: not there
    seccomp: bool


def lock(
    walls: Collection[Wall],
    required: Collection[Wall],
    *,
    memory: int,
    cpu: int,
    output: int,
    parent: int | None = None,
) -> Lockdown:
    """Give up everything that reading and writing open files does not need, for good.

    ``memory`` and ``output`` are bytes, ``cpu`` seconds; ``parent`` is the process without which
    this one ends. A wall that is not among the required ones may be missing.
    Raises ``LockdownError``.
    """
    limit_resources(memory=memory, cpu=cpu, output=output)
    leave_root()
    if parent is not None:
        die_with(parent)
    uid = os.getuid()
    _prctl(_PR_SET_DUMPABLE, 0)  # no other process may trace this one or read its memory
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    landlock = build("landlock", walls, required)  # needs a descriptor
    if walls:
        forbid_descriptors_and_processes()
    seccomp = build("seccomp", walls, required)
    return Lockdown(uid, landlock, bool(seccomp))


def build(wall: Wall, walls: Collection[Wall], required: Collection[Wall]) -> int:
    """Build a wall if it is selected; 0 if it is neither available nor required."""
    if wall not in walls:
        return 0
    try:
        return restrict_files_and_network() if wall == "landlock" else filter_system_calls()
    except LockdownError:
        if wall in required:
            raise
        return 0


def _prctl(option: int, *arguments: int | bytes) -> None:
    padded: Sequence[int | bytes] = [*arguments, 0, 0, 0, 0][:4]
    wide = [ctypes.c_ulong(item) if isinstance(item, int) else item for item in padded]
    if _libc.prctl(option, *wide):
        reason = os.strerror(ctypes.get_errno())
        raise LockdownError(f"prctl {option} failed ({reason})")


# Limits


def limit_resources(*, memory: int, cpu: int, output: int) -> None:
    """At the soft limit of processor time the kernel ends the process, a second later for sure."""
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CPU, cpu, cpu + 1)
    _limit(resource.RLIMIT_FSIZE, output)
    _limit(resource.RLIMIT_CORE, 0)


def forbid_descriptors_and_processes() -> None:
    """Open files stay open; no new ones can be opened."""
    _limit(resource.RLIMIT_NOFILE, 0)
    _limit(resource.RLIMIT_NPROC, 0)


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit; one that is lower already stays."""
    _, present = resource.getrlimit(kind)
    ceiling = soft if hard is None else hard
    if present != resource.RLIM_INFINITY:
        ceiling = min(ceiling, present)
    resource.setrlimit(kind, (min(soft, ceiling), ceiling))


# The user


def leave_root() -> None:
    """Become ``nobody`` for good if this runs as root. Raises ``LockdownError``."""
    if os.geteuid() != 0:
        return
    try:
        for capability in range(64):
            if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
                break  # the kernel has no more of them
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        raise LockdownError(f"root cannot become an ordinary user here ({error})") from error
    with suppress(OSError):
        os.setuid(0)
        raise LockdownError("the process could become root again")


def die_with(parent: int) -> None:
    """End with the process that started this one. Raises ``LockdownError`` if it has already ended.

    To be called after a change of user, which would undo it.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise LockdownError("the process that asked for this is gone")


# Landlock

_LANDLOCK_CREATE_RULESET = 444  # the same on all architectures
_LANDLOCK_RESTRICT_SELF = 446
_VERSION_ONLY = 1
# Rights that each version of the interface can drop, cumulative from version 1.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_NET_RIGHTS = {4: 0b11}  # bind and connect TCP
_SCOPES = {6: 0b11}  # abstract UNIX sockets and signals


def landlock_version() -> int:
    """The version of the interface; 0 where the kernel has none, or it is switched off."""
    version: int = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION_ONLY)
    return max(version, 0)


def restrict_files_and_network() -> int:
    """Drop every right that Landlock knows; returns its version. Raises ``LockdownError``."""
    version = landlock_version()
    if not version:
        raise LockdownError("this kernel offers no Landlock")
    rights = (_FILE_RIGHTS, _NET_RIGHTS, _SCOPES)
    known = (sum(bits for since, bits in table.items() if since <= version) for table in rights)
    handled = struct.pack("=QQQ", *known)
    ruleset = _libc.syscall(_LANDLOCK_CREATE_RULESET, handled, len(handled), 0)
    if ruleset < 0 or _libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0):
        raise LockdownError(f"Landlock failed ({os.strerror(ctypes.get_errno())})")
    os.close(ruleset)
    return version


# seccomp


class Machine(NamedTuple):
    audit: int  # AUDIT_ARCH_*
    calls: dict[str, int]


# What Python needs once all is open. With a path in its arguments: none.
_X86_64 = Machine(
    0xC000003E,
    {
        "read": 0, "write": 1, "close": 3, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
        "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17,
        "readv": 19, "writev": 20, "sched_yield": 24, "mremap": 25, "madvise": 28, "getpid": 39,
        "exit": 60, "gettimeofday": 96, "getrusage": 98, "sigaltstack": 131, "gettid": 186,
        "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "exit_group": 231,
        "getrandom": 318,
    },
)  # fmt: skip
_AARCH64 = Machine(
    0xC00000B7,
    {
        "read": 63, "write": 64, "close": 57, "lseek": 62, "mmap": 222, "mprotect": 226,
        "munmap": 215, "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135,
        "rt_sigreturn": 139, "pread64": 67, "readv": 65, "writev": 66, "sched_yield": 124,
        "mremap": 216, "madvise": 233, "getpid": 172, "exit": 93, "gettimeofday": 169,
        "getrusage": 165, "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128,
        "clock_gettime": 113, "exit_group": 94, "getrandom": 278,
    },
)  # fmt: skip
MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}

_LOAD, _EQUALS, _HAS_BITS, _RETURN = 0x20, 0x15, 0x45, 0x06  # BPF_LD|W|ABS, JEQ|K, JSET|K, RET|K
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32  # offsets in struct seccomp_data
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1  # the call fails with EPERM
_KILL = 0x80000000
_PROT_EXEC = 4


def bpf_program(machine: Machine) -> bytes:
    """The filter, as an array of struct sock_filter.

    Another architecture's calls (32-bit programs on the same kernel) end the process; those of x32
    have numbers that are not on the list. Memory may not become executable.
    """
    mapping = [machine.calls["mmap"], machine.calls["mprotect"]]
    plain = sorted(set(machine.calls.values()) - set(mapping))
    n = len(plain)
    program = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUALS, machine.audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_EQUALS, mapping[0], n + 2, 0),  # to the third argument
        _step(_EQUALS, mapping[1], n + 1, 0),
        *(_step(_EQUALS, call, n + 3 - i, 0) for i, call in enumerate(plain)),  # to the end
        _step(_RETURN, _REFUSE),
        _step(_LOAD, _THIRD_ARGUMENT),
        _step(_HAS_BITS, _PROT_EXEC, 0, 1),
        _step(_RETURN, _REFUSE),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def filter_system_calls() -> int:
    """Leave only the calls on the list; the others fail with EPERM. Raises ``LockdownError``."""
    machine = MACHINES.get(os.uname().machine)
    if machine is None or struct.calcsize("P") != 8:
        raise LockdownError(f"there is no list of system calls for {os.uname().machine}")
    code = bpf_program(machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))  # struct sock_fprog
    _prctl(_PR_SET_SECCOMP, 2, program)
    return 1
