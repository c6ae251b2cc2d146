"""One supervisor, one Ctrl-C: start a table of processes in order, watch them, stop them.

    code = Supervisor(state, [
        Process("postgres", …),
        Process("migrate", (python, "manage.py", "migrate"), once=True),
        Process("web", (…), ready=answers(8000, "/readyz")),
    ]).run()

**Starting.** Each process is started when those before it are ready: a task (`once`) when it has
ended with exit code 0, any other process when its `ready` says so. Whatever fails here ends the
whole start, with the last lines of the log.

**Watching.** A process that dies is started again, after a pause that doubles up to ten seconds and
is forgotten once the process has stayed up for a while. It is never given up: a full disk today is
not a reason to be down tomorrow. With `restart=False` its end ends everything.

**Stopping.** SIGINT, SIGTERM and SIGHUP (not under nohup) stop everything in reverse order: the
process's own stop signal, then SIGKILL for it and its group when its time is up. A second signal
shortens all waiting to nothing, unless it is an echo: whoever ends `make` and all of its group has
us told twice at once, by them and by `make`.

**Nothing survives.** The kernel sends every child its death signal when the supervisor dies, even
by kill -9. Whatever outlives that (a grandchild with a session of its own, a stopped process) is
ended by the next start, which knows it by the record of pids and start times in the state folder,
or by a secret of this folder in its environment; never by its name, or by a pid alone.

Signals are blocked and fetched one by one with `sigtimedwait`: no code runs in a signal handler,
and there are no threads. Children write straight into their log files, so no pipe can run full.
"""

import http.client
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import IO, NoReturn

from portal.demo.leftovers import Record
from portal.demo.processes import User, end, exited, how_it_ended, reap, spawn
from portal.demo.state_files import BusyError, hold, last_lines, open_log, rotate
from portal.telling import Tell

POLL = 0.02  # seconds between two looks at a process that is starting
LOG_CHECK = 30.0  # seconds between two looks at the sizes
ECHO = 1.0  # seconds in which another process may repeat a signal


class Exit(IntEnum):
    """The exit code of the supervisor."""

    STOPPED = 0  # a signal asked for it, and everything has been stopped
    NOT_READY = 1  # a process could not be started
    ENDED = 2  # a process that is not to be restarted has ended
    BUSY = 3  # another supervisor works in this state folder


def say(line: str) -> None:
    """A line for the person at the terminal, who may have closed it."""
    with suppress(OSError):
        print(line, flush=True)


def nothing() -> None:
    """What most processes need done before they start."""


def at_once(_pid: int) -> bool:
    """The readiness of a process that is ready when it runs."""
    return True


def answers(port: int, path: str = "/", host: str = "127.0.0.1") -> Callable[[int], bool]:
    """A readiness check: GET `path` is answered with status 200 within a second."""

    def ready(_pid: int) -> bool:
        connection = http.client.HTTPConnection(host, port, timeout=1)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return ready


@dataclass(frozen=True, slots=True)
class Process:
    """A row of the table. Times in seconds; `ready` gets the pid and must not block for long."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] | None = None  # the whole environment; ours when None
    user: User | None = None
    cwd: Path | None = None
    before: Callable[[], None] = nothing  # called before every start and restart
    ready: Callable[[int], bool] = at_once
    once: bool = False
    behind: bool = False  # a task that nobody waits for: all others go on, also when it fails
    restart: bool = True
    start_timeout: float = 60.0
    stop_signal: signal.Signals = signal.SIGTERM
    stop_timeout: float = 10.0
    death_signal: signal.Signals = signal.SIGTERM  # from the kernel, when the supervisor dies
    log: bool = True  # into the folder of logs; otherwise to our own output


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait before a restart: `first` seconds, doubled each time up to `most`."""

    first: float = 0.1
    most: float = 10.0
    steady: float = 30.0  # after so long a life the next pause is `first` again


@dataclass(slots=True)
class _Child:
    process: Process
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    is_ready: bool = False
    deaths: int = 0
    again_at: float = 0.0


class _StopAskedError(Exception):
    """A signal asks for the end."""


class _FailedError(Exception):
    """The supervisor has to end by itself. The message is for the user."""

    def __init__(self, code: Exit, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(slots=True)
class Supervisor:
    """Runs a table of processes. `state` is a folder of ours; `tell` gets the lines of progress."""

    state: Path
    table: Sequence[Process]
    tell: Tell = say
    welcome: Callable[[], str] = str  # told once everything is ready; what that is, is asked then
    patience: Patience = field(default_factory=Patience)
    _children: list[_Child] = field(default_factory=list, init=False)
    _record: Record = field(init=False)
    _asked: tuple[int, float] | None = field(default=None, init=False)  # to stop: by whom, when
    _hurry: bool = field(default=False, init=False)
    _logs_due: float = field(default=0.0, init=False)

    def run(self) -> Exit:
        """Start all, watch until a signal or a failure, stop all. Only in the main thread.

        Raises OSError when the state folder cannot be written; nothing that a process does raises.
        """
        self.state.mkdir(parents=True, exist_ok=True)
        busy = f"Another supervisor already works in {self.state}. Stop that one first."
        try:
            with hold(self.state / "supervisor.lock", busy), _signals_blocked():
                return self._run()
        except BusyError as error:
            self.tell(str(error))
        return Exit.BUSY

    def _run(self) -> Exit:
        self._record = Record(self.state)
        if left := self._record.left_overs():
            self.tell(f"ending {len(left)} processes left over from an earlier run …")
            end(left)
        self._children = [_Child(process) for process in self.table]
        try:
            self._start_all()
            self._watch()
        except _StopAskedError:
            self.tell("stopping …")
            return Exit.STOPPED
        except _FailedError as failure:
            self.tell(str(failure))
            return failure.code
        finally:
            self._stop_all()

    # Starting

    def _start_all(self) -> None:
        for child in self._children:
            self.tell(f"{child.process.name}: starting …")
            begun = time.monotonic()
            self._start(child)
            while not self._has_come_up(child):
                self._pause(POLL)
                self._look_after_all()
            if child.process.behind:
                continue
            word = "done" if child.process.once else "ready"
            self.tell(f"{child.process.name}: {word} after {time.monotonic() - begun:.1f} s")
        if welcome := self.welcome():
            self.tell(welcome)

    def _start(self, child: _Child) -> None:
        process = child.process
        environment = os.environ if process.env is None else process.env
        try:
            process.before()
            with _output(self.log_of(process)) as output:
                child.running = spawn(
                    process.argv,
                    env={**environment, **self._record.environment},
                    user=process.user,
                    cwd=process.cwd,
                    output=output,
                    death_signal=process.death_signal,
                )
        except OSError as error:
            why = f"{process.name} cannot be started: {error}"
            raise _FailedError(Exit.NOT_READY, why) from error
        child.started, child.is_ready = time.monotonic(), False
        self._record.write(c.running.pid for c in self._children if c.running is not None)

    def _has_come_up(self, child: _Child) -> bool:
        """Whether the process has come up in its first start; raises when it never will."""
        process, running = child.process, child.running
        if process.behind:
            return True
        if running is None:
            return child.is_ready
        if exited(running):
            status = reap(running)
            if process.once and status == 0:
                child.running, child.is_ready = None, True
                return True
            raise self._not_ready(process, how_it_ended(status))
        if not process.once and process.ready(running.pid):
            child.is_ready = True
        elif time.monotonic() - child.started > process.start_timeout:
            raise self._not_ready(process, f"not ready after {process.start_timeout:.0f} s")
        return child.is_ready

    def _not_ready(self, process: Process, why: str) -> _FailedError:
        log = self.log_of(process)
        shown = "".join(f"\n    {line}" for line in last_lines(log)) if log else ""
        where = f" The end of {log}:{shown}" if shown else ""
        return _FailedError(Exit.NOT_READY, f"{process.name} did not start: {why}.{where}")

    # Watching

    def _watch(self) -> NoReturn:
        while True:
            self._look_after_all()
            self._pause(self._until_next_look())

    def _look_after_all(self) -> None:
        """Bury and restart whatever was ready once and has died since; keep the logs small."""
        for child in self._children:
            if child.process.behind:
                self._look_after_task(child)
            if child.process.once or not (child.is_ready or child.deaths):
                continue
            if child.running is None:
                if time.monotonic() >= child.again_at:
                    self._start_again(child)
            elif exited(child.running):
                self._bury(child, how_it_ended(reap(child.running)))
            elif not child.is_ready:
                self._check_restarted(child, child.running)
        if time.monotonic() >= self._logs_due:
            self._logs_due = time.monotonic() + LOG_CHECK
            for process in self.table:
                rotate(self.log_of(process))

    def _look_after_task(self, child: _Child) -> None:
        """One that nobody waits for: its end is told, and that is all."""
        if child.running is not None and exited(child.running):
            status = reap(child.running)
            child.running, child.is_ready = None, True
            name, log = child.process.name, self.log_of(child.process)
            self.tell(
                f"{name}: done after {time.monotonic() - child.started:.1f} s"
                if status == 0
                else f"{name}: failed ({how_it_ended(status)}); see {log}"
            )

    def _start_again(self, child: _Child) -> None:
        try:
            self._start(child)
        except _FailedError as failure:
            self._bury(child, str(failure))

    def _bury(self, child: _Child, why: str) -> None:
        name = child.process.name
        if not child.process.restart:
            raise _FailedError(Exit.ENDED, f"{name} has ended ({why}), so everything is stopped.")
        now = time.monotonic()
        if child.is_ready and now - child.started >= self.patience.steady:
            child.deaths = 0
        pause = min(self.patience.first * 2**child.deaths, self.patience.most)
        child.running, child.is_ready = None, False
        child.deaths = min(child.deaths + 1, 30)  # 2**deaths stays a small number
        child.again_at = now + pause
        self.tell(f"{name}: died ({why}); starting again in {pause:.1f} s")

    def _check_restarted(self, child: _Child, running: subprocess.Popen[bytes]) -> None:
        if child.process.ready(running.pid):
            child.is_ready = True
            self.tell(f"{child.process.name}: ready again")
        elif time.monotonic() - child.started > child.process.start_timeout:
            reap(running)
            self._bury(child, f"not ready after {child.process.start_timeout:.0f} s")

    def _until_next_look(self) -> float:
        """Seconds; the end of a child (SIGCHLD) wakes us earlier."""
        now = time.monotonic()
        times = [self._logs_due - now]
        for child in self._children:
            if child.deaths and child.running is None:
                times.append(child.again_at - now)
            elif child.running is not None and not (child.is_ready or child.process.behind):
                times.append(POLL)
        return max(0.0, min(times))

    # Stopping

    def _stop_all(self) -> None:
        for child in reversed(self._children):
            if child.running is not None:
                self._stop(child.process, child.running)
        # Those that left their group; what they were doing is lost in a stop by kill -9 as well.
        left = self._record.end_strays()
        self._record.clear()
        self.tell(f"stopped, but {len(left)} processes do not go" if left else "stopped")

    def _stop(self, process: Process, running: subprocess.Popen[bytes]) -> None:
        if not exited(running):
            running.send_signal(process.stop_signal)
            running.send_signal(signal.SIGCONT)  # a stopped process would not hear it
        deadline = time.monotonic() + process.stop_timeout
        while not exited(running):
            seconds = deadline - time.monotonic()
            if seconds <= 0 or self._hurry:
                self.tell(f"{process.name}: does not stop; killed")
                break
            try:
                self._pause(seconds)
            except _StopAskedError:
                self._hurry = True
        reap(running)

    # What the parts above rest on

    def _pause(self, seconds: float) -> None:
        """Wait for a child to end, at most so many seconds. Raises when a signal asks to stop."""
        received = signal.sigtimedwait(_signals(), seconds)
        if received is None or received.si_signo == signal.SIGCHLD:
            return
        now = time.monotonic()
        first, at = self._asked = self._asked or (received.si_pid, now)
        if received.si_pid == first or now - at > ECHO:
            raise _StopAskedError

    def log_of(self, process: Process) -> Path | None:
        return self.state / "log" / f"{process.name}.log" if process.log else None


@contextmanager
def _output(log: Path | None) -> Iterator[IO[bytes] | None]:
    if log is None:
        yield None
        return
    with open_log(log) as file:
        yield file


def _signals() -> set[signal.Signals]:
    signals = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored: that is how nohup asks
        signals.add(signal.SIGHUP)
    return signals


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Let our signals wait until they are fetched; those left at the end are dropped."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _signals())
    try:
        yield
    finally:
        while signal.sigtimedwait(_signals(), 0) is not None:
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
