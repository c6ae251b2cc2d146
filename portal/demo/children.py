"""The processes of a demo: started in order, watched, and all ended, even after kill -9."""

import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from portal.demo.processes import (
    Identity,
    end,
    exited,
    how_it_ended,
    kill_group,
    spawn,
    wait_until_exited,
    with_variable,
)
from portal.demo.state_folder import DemoError, last_lines, open_log, read_text, write_private

_MARK = "INFINITEBENCH_DEMO_RUN"
_POLL = 0.1  # seconds
_STOP_TIMEOUT = 15.0  # seconds


def say(line: str) -> None:
    """A line for the person at the terminal, who may have closed it."""
    with suppress(OSError):
        print(line, flush=True)


@dataclass(slots=True)
class Child:
    name: str
    process: subprocess.Popen[bytes]
    log: Path
    begun: float = field(default_factory=time.monotonic)
    is_task: bool = False  # ends by itself; its failure does not end the demo


@dataclass(slots=True)
class Children:
    """Every child has the token of the state folder in its environment, and its own children
    inherit it: so the next start recognises processes that outlived this one."""

    state: Path
    environment: dict[str, str]
    cwd: Path
    _all: list[Child] = field(default_factory=list)

    def left_overs(self) -> set[Identity]:
        """The running processes of this folder's demo, of this and earlier runs."""
        return with_variable(f"{_MARK}={self._token}")

    def end_left_overs(self) -> None:
        """Call it only while no other demo can run in the folder."""
        if left := self.left_overs():
            say(f"ending {len(left)} processes left over from an earlier run …")
            end(left)

    def watch(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        """Watch a process that the caller has started, and will stop."""
        self._all.append(Child(name, process, log))

    def start(
        self,
        name: str,
        argv: Sequence[str],
        *,
        is_task: bool = False,
        death_signal: signal.Signals = signal.SIGTERM,
    ) -> Child:
        log = self.state / "log" / f"{name}.log"
        with open_log(log) as output:
            process = self._spawn(argv, output=output.fileno(), death_signal=death_signal)
        child = Child(name, process, log, is_task=is_task)
        self._all.append(child)
        return child

    def run(self, name: str, argv: Sequence[str]) -> None:
        """Run a program that writes to the terminal, to its end. Raises ``DemoError``."""
        say(f"{name}: starting …")
        begun = time.monotonic()
        process = self._spawn(argv)
        try:
            while not exited(process):
                self.check()
                time.sleep(_POLL)
        finally:
            if not exited(process):
                process.terminate()
                wait_until_exited([process], _STOP_TIMEOUT)
            status = kill_group(process)
        if status != 0:
            raise DemoError(f"{name} failed: {how_it_ended(status)}.")
        say(f"{name}: done after {time.monotonic() - begun:.1f} s")

    def wait_until(self, child: Child, ready: Callable[[], bool], seconds: float) -> None:
        """Raises ``DemoError`` if the child is not ready in time."""
        while not ready():
            self.check()
            if time.monotonic() > child.begun + seconds:
                end_of_log = last_lines(child.log)
                raise DemoError(f"{child.name} is not ready after {seconds:.0f} s.{end_of_log}")
            time.sleep(_POLL)
        say(f"{child.name}: ready after {time.monotonic() - child.begun:.1f} s")

    def check(self) -> None:
        """Raises ``DemoError`` if a child has ended that should not; reports how tasks ended."""
        for child in self._all[:]:
            if not exited(child.process):
                continue
            how = how_it_ended(kill_group(child.process))
            if not child.is_task:
                raise DemoError(
                    f"{child.name} has ended ({how}), so everything is stopped. The end of "
                    f"{child.log}:{last_lines(child.log)}"
                )
            self._all.remove(child)
            if child.process.returncode:
                say(f"{child.name}: failed ({how}); see {child.log}")
            else:
                say(f"{child.name}: done after {time.monotonic() - child.begun:.1f} s")

    def watch_forever(self) -> None:
        while True:
            self.check()
            time.sleep(_POLL)

    def stop(self, *, but: subprocess.Popen[bytes] | None = None) -> None:
        """Ask all to end, then kill them; the caller ends ``but`` itself."""
        running = [child.process for child in self._all if child.process is not but]
        for process in running:
            if not exited(process):
                process.terminate()
                process.send_signal(signal.SIGCONT)  # a stopped process would not notice
        wait_until_exited(running, _STOP_TIMEOUT)
        for process in running:
            kill_group(process)
        end(self.left_overs(), signal.SIGKILL)  # those that have left their group

    def _spawn(
        self,
        argv: Sequence[str],
        output: int | None = None,
        death_signal: signal.Signals = signal.SIGTERM,
    ) -> subprocess.Popen[bytes]:
        environment = {**self.environment, _MARK: self._token}
        return spawn(argv, env=environment, cwd=self.cwd, output=output, death_signal=death_signal)

    @property
    def _token(self) -> str:
        file = self.state / "run-token"
        if not file.exists():
            write_private(file, secrets.token_hex(16))
        return read_text(file)
