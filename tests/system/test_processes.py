"""Processes that are recognised without fail, and logs that stay small."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from portal.demo.processes import Identity, alive, end, identity, spawn, with_variable
from portal.demo.state_folder import last_lines, open_log
from tests.support.paths import ROOT
from tests.support.processes import Run, eventually, gone


@pytest.fixture
def other_process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"])
    yield process
    process.kill()
    process.wait()


def test_another_process_with_a_reused_pid_is_not_signalled(
    other_process: subprocess.Popen[bytes],
) -> None:
    identified = identity(other_process.pid)
    assert identified
    reused = Identity(other_process.pid, identified.started - 1, identified.boot)
    assert end([reused], signal.SIGKILL) == []
    assert alive(identified)


def test_processes_are_identified_by_an_inherited_variable() -> None:
    entry = f"INFINITEBENCH_TEST={uuid4()}"
    code = "import os, signal; os.fork() or os.setsid(); signal.pause()"
    leader = spawn((sys.executable, "-S", "-c", code), env=dict([entry.split("=")]))
    try:
        eventually(lambda: len(with_variable(entry)) == 2, "both are found")
    finally:
        assert end(with_variable(entry)) == []
        leader.wait()


def test_a_process_that_ignores_signals_is_killed(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)"
    deaf = Run(code + "; signal.pause()")
    deaf.until("1")
    who = identity(deaf.pid)
    assert who
    assert end([who], patience=0.5) == []
    deaf.close()


def test_a_zombie_does_not_count_as_running() -> None:
    process = spawn((sys.executable, "-S", "-c", ""))
    eventually(lambda: gone(process.pid), "it ends")
    assert process.wait() == 0


def test_a_child_whose_parent_dies_during_start_ends() -> None:
    code = "import os; from portal.demo.processes import die_with_parent\n"
    code += "parents = iter((2, 1)); os.getppid = lambda: next(parents)\n"
    done = subprocess.run([sys.executable, "-c", code + "die_with_parent()"], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGTERM


# Logs


def test_a_log_above_its_cap_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.demo.state_folder._LOG_CAP", 100)
    log = tmp_path / "log" / "web.log"
    for text in (b"x" * 101, b"after"):
        with open_log(log) as file:
            file.write(text)
    assert log.read_bytes() == b"after"
    assert log.with_name("web.log.1").read_bytes() == b"x" * 101
    assert log.stat().st_mode & 0o777 == 0o600


def test_only_the_last_lines_of_a_log_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("".join(f"{number}\n" for number in range(100_000)))
    assert last_lines(log, 2) == "\n    99998\n    99999"
