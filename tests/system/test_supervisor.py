"""The supervisor with real processes: small programs that write down what happens to them."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.demo.leftovers import MARK, Record
from portal.demo.processes import end
from portal.demo.supervisor import Exit
from tests.support.runs import Run, eventually, gone

# What every driver and every child starts with. A child writes "NAME up PID" and "NAME down".
DRIVER = """
import signal, sys
from pathlib import Path
from portal.demo.supervisor import *
signal.signal(signal.SIGHUP, signal.SIG_DFL)
state = Path(sys.argv[1])
story = state / "story"
CHILD = '''
import os, signal, sys, time
def write(*words):
    with open(sys.argv[1], "a") as file: print(*words, file=file)
def quit(*_):
    write(name, "down")
    sys.exit(0)
name = sys.argv[2]
signal.signal(signal.SIGTERM, quit)
'''
UP = "write(name, 'up', os.getpid())\\nsignal.pause()"
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\\n" + UP + "\\nsignal.pause()"
def told(name):
    return lambda pid: story.exists() and f"{name} up {pid}\\n" in story.read_text()
def child(name, code=UP, **more):
    argv = (sys.executable, "-S", "-c", CHILD + code, str(story), name)
    return Process(name, argv, **{"ready": told(name), **more})
def run(*table):
    patience = Patience(first=0.05, most=0.2)
    sys.exit(Supervisor(state, table, patience=patience, welcome=lambda: "WELCOME").run())
"""
TWO = DRIVER + "run(child('database'), child('web'))"
# A grandchild in a session of its own.
STRAY = """
RUNAWAY = '''
if os.fork() == 0:
    os.setsid()
    write("stray up", os.getpid())
    while True: signal.pause()
'''
"""

Starter = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Start a driver in the state folder; at the end nothing of it is left."""
    runs: list[Run] = []

    def start(source: str, before: tuple[str, ...] = ()) -> Run:
        runs.append(Run(source, tmp_path, before=before))
        return runs[-1]

    yield start
    for run in runs:
        run.close()
    end(Record(tmp_path).left_overs(), ((signal.SIGKILL, 5.0),))


def story(state: Path) -> list[str]:
    path = state / "story"
    return path.read_text().splitlines() if path.exists() else []


def pid_of(state: Path, name: str) -> int:
    """The newest process of this name."""
    return int([line for line in story(state) if line.startswith(f"{name} up")][-1].split()[-1])


def names(state: Path) -> list[str]:
    return [" ".join(line.split()[:2]) for line in story(state)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_in_reverse_order(
    start: Starter, tmp_path: Path, number: signal.Signals
) -> None:
    run = start(TWO)
    run.until("WELCOME")
    run.send(number)
    assert run.end() == Exit.STOPPED
    assert names(tmp_path) == ["database up", "web up", "web down", "database down"]
    assert all(gone(pid_of(tmp_path, name)) for name in ("database", "web"))


def test_every_step_has_a_line(start: Starter) -> None:
    lines = start(TWO).until("WELCOME").splitlines()
    assert [line.split(" after")[0] for line in lines] == [
        "database: starting …",
        "database: ready",
        "web: starting …",
        "web: ready",
        "WELCOME",
    ]


def test_under_nohup_the_end_of_the_terminal_is_not_the_end(start: Starter, tmp_path: Path) -> None:
    run = start(DRIVER + "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nrun(child('web'))")
    run.until("WELCOME")
    run.send(signal.SIGHUP)
    os.kill(pid_of(tmp_path, "web"), signal.SIGKILL)
    run.until("web: ready again")


def test_a_task_ends_before_the_next_process_starts(start: Starter, tmp_path: Path) -> None:
    task = "child('migrate', 'write(name, 1)\\nwrite(name, 2)', once=True)"
    run = start(DRIVER + f"run({task}, child('web'))")
    run.until("WELCOME")
    assert names(tmp_path) == ["migrate 1", "migrate 2", "web up"]


def test_a_task_that_fails_ends_the_start_with_its_last_words(
    start: Starter, tmp_path: Path
) -> None:
    task = "child('migrate', 'sys.exit(\"no such table\")', once=True)"
    run = start(DRIVER + f"run(child('database'), {task}, child('web'))")
    assert run.end() == Exit.NOT_READY
    assert "migrate did not start: exit code 1" in run.output
    assert "    no such table\n" in run.output
    assert names(tmp_path) == ["database up", "database down"]


def test_a_process_that_never_becomes_ready_ends_the_start(start: Starter) -> None:
    run = start(DRIVER + "run(child('web', ready=lambda pid: False, start_timeout=0.1))")
    assert run.end() == Exit.NOT_READY
    assert "web did not start: not ready after" in run.output


def test_a_program_that_is_not_there_ends_the_start_with_a_sentence(start: Starter) -> None:
    run = start(DRIVER + "run(Process('web', ('/nonexistent/program',)))")
    assert run.end() == Exit.NOT_READY
    assert "web cannot be started: [Errno 2]" in run.output


def test_a_killed_process_is_started_again_and_again(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("WELCOME")
    for times in (1, 2, 3):
        os.kill(pid_of(tmp_path, "database"), signal.SIGKILL)
        run.until("database: ready again", times)
    pauses = [line.split()[-2] for line in run.output.splitlines() if "died" in line]
    assert pauses == ["0.1", "0.1", "0.2"]  # 0.05, 0.1, 0.2 and never more
    assert "killed by SIGKILL" in run.output
    assert names(tmp_path).count("web up") == 1


def test_a_process_that_dies_while_another_starts_is_started_again(
    start: Starter, tmp_path: Path
) -> None:
    slow = "ready=lambda pid: names().count('database up') == 2"
    run = start(
        DRIVER
        + "def names(): return [' '.join(l.split()[:2]) for l in story.read_text().splitlines()]\n"
        + f"run(child('database'), child('web', {slow}))"
    )
    run.until("web: starting")
    os.kill(pid_of(tmp_path, "database"), signal.SIGKILL)
    run.until("WELCOME")
    assert names(tmp_path).count("database up") == 2


def test_a_process_that_is_not_to_be_restarted_ends_everything(
    start: Starter, tmp_path: Path
) -> None:
    run = start(DRIVER + "run(child('database'), child('web', restart=False))")
    run.until("WELCOME")
    os.kill(pid_of(tmp_path, "web"), signal.SIGKILL)
    assert run.end() == Exit.ENDED
    assert "web has ended (killed by SIGKILL), so everything is stopped." in run.output
    assert gone(pid_of(tmp_path, "database"))


def test_a_deaf_process_is_killed_when_its_time_is_up(start: Starter, tmp_path: Path) -> None:
    run = start(DRIVER + "run(child('web', DEAF, stop_timeout=0.1))")
    run.until("WELCOME")
    run.send(signal.SIGTERM)
    assert run.end() == Exit.STOPPED
    assert "web: does not stop; killed" in run.output
    assert gone(pid_of(tmp_path, "web"))


def test_a_second_signal_waits_for_nobody(start: Starter, tmp_path: Path) -> None:
    run = start(DRIVER + "run(child('web', DEAF, stop_timeout=1000.0))")
    run.until("WELCOME")
    run.send(signal.SIGINT)
    eventually(lambda: not run_has_pending(run.pid, signal.SIGINT), "the first signal is taken")
    run.send(signal.SIGINT)
    assert run.end() == Exit.STOPPED
    assert gone(pid_of(tmp_path, "web"))


def test_the_echo_of_a_signal_by_another_process_is_not_a_second_one(
    start: Starter, tmp_path: Path
) -> None:
    """As when a whole group is ended: by whoever does it, and once more by `make` in it."""
    slow = "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.3), quit()))\n"
    run = start(DRIVER + f"run(child('web', {slow!r} + UP))")
    run.until("WELCOME")
    run.send(signal.SIGTERM)
    eventually(lambda: not run_has_pending(run.pid, signal.SIGTERM), "the first signal is taken")
    subprocess.run(["/bin/sh", "-c", f"kill -TERM {run.pid}"], check=True)
    assert run.end() == Exit.STOPPED
    assert names(tmp_path) == ["web up", "web down"]


def run_has_pending(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    masks = [int(line.split()[1], 16) for line in status.splitlines() if "Pnd:" in line]
    return any(mask >> (number - 1) & 1 for mask in masks)


def test_a_stopped_process_is_stopped_too(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("WELCOME")
    os.kill(pid_of(tmp_path, "web"), signal.SIGSTOP)
    run.send(signal.SIGTERM)
    assert run.end() == Exit.STOPPED
    assert "killed" not in run.output


def test_a_grandchild_with_a_session_of_its_own_does_not_survive_the_stop(
    start: Starter, tmp_path: Path
) -> None:
    run = start(DRIVER + STRAY + "run(child('web', RUNAWAY + UP))")
    run.until("WELCOME")
    eventually(lambda: "stray up" in names(tmp_path), "the grandchild runs")
    run.send(signal.SIGTERM)
    assert run.end() == Exit.STOPPED
    assert gone(pid_of(tmp_path, "stray"))


def test_the_children_die_with_a_supervisor_that_is_killed(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("WELCOME")
    run.kill()
    pids = [pid_of(tmp_path, name) for name in ("database", "web")]
    eventually(lambda: all(map(gone, pids)), "both end")


def test_the_next_start_ends_what_survived_the_death_of_the_supervisor(
    start: Starter, tmp_path: Path
) -> None:
    run = start(DRIVER + STRAY + "run(child('web', RUNAWAY + UP, death_signal=signal.SIGCONT))")
    run.until("WELCOME")
    eventually(lambda: "stray up" in names(tmp_path), "the grandchild runs")
    run.kill()
    survivors = [pid_of(tmp_path, "web"), pid_of(tmp_path, "stray")]
    assert not any(gone(pid) for pid in survivors)
    again = start(TWO)
    again.until("WELCOME")
    assert "ending 2 processes left over from an earlier run" in again.output
    assert all(gone(pid) for pid in survivors)


def test_a_start_from_within_an_earlier_run_ends_neither_itself_nor_its_parents(
    start: Starter, tmp_path: Path
) -> None:
    entry = f"{MARK}={Record(tmp_path).environment[MARK]}"
    shell = '"$@"; echo "the shell lives"'
    run = start(TWO, ("/usr/bin/env", entry, "/bin/sh", "-c", shell, "sh"))
    run.until("WELCOME")
    supervisor = int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text())
    os.kill(supervisor, signal.SIGTERM)
    run.until("the shell lives")


def test_a_second_supervisor_is_sent_away_with_a_sentence(start: Starter, tmp_path: Path) -> None:
    start(TWO).until("WELCOME")
    second = start(TWO)
    assert second.end() == Exit.BUSY
    assert second.output == (
        f"Another supervisor already works in {tmp_path}. Stop that one first.\n"
    )


def test_output_goes_to_the_log_or_through(start: Starter, tmp_path: Path) -> None:
    talk = "\"print('hello from', name)\", once=True"
    run = start(DRIVER + f"run(child('kept', {talk}), child('shown', {talk}, log=False))")
    run.until("WELCOME")
    assert "hello from shown" in run.output
    assert "hello from kept" not in run.output
    assert (tmp_path / "log" / "kept.log").read_text() == "hello from kept\n"


def test_a_child_gets_the_environment_of_its_row(start: Starter, tmp_path: Path) -> None:
    code = "write(*sorted(set(os.environ) - {'LC_CTYPE'}))"
    run = start(DRIVER + f"run(child('web', {code!r}, once=True, env={{'ONLY': 'this'}}))")
    run.until("WELCOME")
    assert story(tmp_path) == [f"{MARK} ONLY"]


def test_a_reader_who_has_left_does_not_stop_the_supervisor(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("database: starting")
    run.stop_listening()
    eventually(lambda: "web up" in names(tmp_path), "the start goes on")
