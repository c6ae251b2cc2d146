"""Which level of the sandbox holds here: found by trying to break out, not by asking the system.

Each wall is tried alone first: bubblewrap without the scorer's own lockdown, and that without
bubblewrap. Only where both stop what they have to is the whole called strong.
"""

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scoring.sandbox.lockdown import NOBODY
from scoring.sandbox.run import Boxes, BoxResult, Level, run_box
from scoring.sandbox.worker.job import Exit
from scoring.sandbox.worker.probing import ATTEMPTS, SHELL

_SHOWN = 3  # attempts that a sentence names


@dataclass(frozen=True, slots=True)
class Finding:
    walls: str  # of the trial: bubblewrap, lockdown, both
    attempt: str  # one of ``ATTEMPTS``, or shell
    what: str
    held: bool
    detail: str  # what stopped it, or what it got


@dataclass(frozen=True, slots=True)
class Preflight:
    """``reason`` is a sentence on why the level is this one and no higher."""

    level: Level
    reason: str
    findings: tuple[Finding, ...]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result for one kind of box."""

    fault: str | None  # why it does not hold
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Bait:
    """The targets of the attempts."""

    options: Mapping[str, Any]  # for the attempts
    victim: subprocess.Popen[bytes]
    listeners: Sequence[socket.socket]

    def damage(self) -> dict[str, str]:
        """The effects on it, as observed from here, without relying on the scorer's report."""
        observed = {}
        if self.victim.poll() is not None:
            observed["signal"] = "the other process has ended"
        if os.path.lexists(Path(self.options["folder"], "written")):
            observed["write_file"] = "the file is there"
        for name, listener in zip(("tcp", "unix", "abstract"), self.listeners, strict=True):
            with suppress(BlockingIOError):
                listener.accept()[0].close()
                observed[name] = "the call came in"
        return observed


def preflight(
    boxes: Boxes = Boxes(Level.STRONG),  # noqa: B008 - frozen
    *,
    sockets: Sequence[Path] = (),
    files: Sequence[Path] = (),
) -> Preflight:
    """Try to break out of every kind of box, and say which level holds. Takes about 0.3 s.

    ``sockets`` and ``files`` are the site's own that must be out of reach: the database's, keys.
    """
    own = {"sockets": [str(path) for path in sockets], "files": [str(path) for path in files]}
    strong = replace(boxes, level=Level.STRONG)
    outer = try_walls("bubblewrap", replace(strong, walls=()), own)
    inner = try_walls("lockdown", replace(boxes, level=Level.LOCKDOWN), own)
    both = try_walls("both", strong, own)
    level, reason = _judged(outer, inner, both)
    return Preflight(level, reason, outer.findings + inner.findings + both.findings)


def _judged(outer: Trial, inner: Trial, both: Trial) -> tuple[Level, str]:
    without = outer.fault or both.fault
    if not without:
        return Level.STRONG, "Bubblewrap and the scorer's own lockdown stopped every attempt."
    if not inner.fault:
        return (
            Level.LOCKDOWN,
            f"The scorer's own lockdown stopped every attempt. Not strong: {without}",
        )
    return Level.NONE, f"Nothing holds here. Bubblewrap: {without} Lockdown: {inner.fault}"


def try_walls(
    walls: str, boxes: Boxes, own: Mapping[str, Sequence[str]], *, shell: bool = True
) -> Trial:
    """Try to break out of one kind of box. A shell that starts hides what else was got."""
    with bait() as laid:
        options = {**laid.options, **own, "shell": shell}
        with run_box(boxes, "probe", {}, ("findings",), options) as result:
            reported = _reported(result)
            observed = laid.damage()
    if reported is None:
        why = result.details.strip().rpartition("\n")[2][:300] or "it said nothing"
        return Trial(f"{result.ending.message.rstrip('.')} ({why}).", ())
    findings = []
    for name, attempt in {**ATTEMPTS, "shell": SHELL}.items():
        if attempt.outer or walls != "bubblewrap":
            got = observed.get(name) or reported[name].get("got")
            detail = got or reported[name]["stopped"]
            findings.append(Finding(walls, name, attempt.what, not got, detail))
    failed = [finding.what for finding in findings if not finding.held]
    more = f" and {len(failed) - _SHOWN} more things" if len(failed) > _SHOWN else ""
    fault = f"it was possible to {', to '.join(failed[:_SHOWN])}{more}." if failed else None
    return Trial(fault, tuple(findings))


def _reported(result: BoxResult) -> dict[str, dict[str, str]] | None:
    """What each attempt got or was stopped by; None if no box could be made."""
    if result.exit_code == Exit.BROKEN_OUT:
        return {name: {"got": "unknown"} for name in ATTEMPTS} | {"shell": {"got": "a shell"}}
    if not result.ok:
        return None
    reported: dict[str, dict[str, str]] = json.load(result.outputs["findings"])
    return reported | {"shell": {"stopped": "the scorer went on"}}


@contextmanager
def bait() -> Iterator[Bait]:
    """Things that only the box keeps a scorer from: open to every user of this machine."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bait-")))
        folder.chmod(0o777)
        secret = folder / "secret"
        secret.write_text("nobody in a box may read this")
        secret.chmod(0o644)
        tcp = _listener(stack, socket.AF_INET, ("127.0.0.1", 0))
        unix = _listener(stack, socket.AF_UNIX, str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        abstract = _listener(stack, socket.AF_UNIX, f"\0{folder.name}")
        # Another process of the user that the scorer runs as.
        user: dict[str, Any] = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        victim = stack.enter_context(
            subprocess.Popen(["cat"], stdin=subprocess.PIPE, cwd="/", **user)  # noqa: S607
        )
        stack.callback(victim.kill)
        # A descriptor that a careless start of a process passes on.
        leaked = os.open(secret, os.O_RDONLY)
        stack.callback(os.close, leaked)
        os.set_inheritable(leaked, True)
        options = {
            "folder": str(folder),
            "secret": str(secret),
            "port": tcp.getsockname()[1],
            "socket": str(folder / "socket"),
            "abstract": f"\0{folder.name}",
            "victim": victim.pid,
            "parent": os.getpid(),
        }
        yield Bait(options, victim, (tcp, unix, abstract))


def _listener(stack: ExitStack, family: int, address: object) -> socket.socket:
    listener = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
    listener.bind(address)  # type: ignore[arg-type]  # of either family
    listener.listen()
    listener.setblocking(False)
    return listener
