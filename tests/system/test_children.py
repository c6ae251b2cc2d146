"""The processes of a demo, with small programs that write down what happens to them."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.demo.children import Children
from tests.support.processes import Run, eventually, gone

# A child writes "NAME up PID" and "NAME down"; the driver ends on SIGTERM as the demo does.
DRIVER = """
import os, signal, sys
from pathlib import Path
from portal.demo.children import Children, say
from portal.demo.state_folder import DemoError
state = Path(sys.argv[1])
story = state / "story"
CHILD = '''
import os, signal, sys
def write(*words):
    with open(sys.argv[1], "a") as file: print(*words, file=file)
def quit(*_):
    write(name, "down")
    sys.exit(0)
name = sys.argv[2]
signal.signal(signal.SIGTERM, quit)
'''
UP = "write(name, 'up', os.getpid())\\nwhile True: signal.pause()"
def argv(name, code=UP):
    return [sys.executable, "-S", "-c", CHILD + code, str(story), name]
def is_up(name):
    return lambda: story.exists() and f"{name} up" in story.read_text()
signal.signal(signal.SIGTERM, signal.default_int_handler)
children = Children(state, {"PATH": os.environ["PATH"]}, state)
children.end_left_overs()
try:
BODY
    say("READY")
    children.watch_forever()
except KeyboardInterrupt:
    pass
except DemoError as error:
    sys.exit(str(error))
finally:
    children.stop()
"""
# A grandchild in a session of its own, which our signals do not reach.
RUNAWAY = """
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write("runaway up", os.getpid())
    while True: signal.pause()
"""
TWO = """
for name in ("worker", "web"):
    children.wait_until(children.start(name, argv(name)), is_up(name), 20.0)
"""

Starter = Callable[[str], Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Start a driver in the state folder; at the end nothing of it is left."""
    runs: list[Run] = []

    def start(body: str) -> Run:
        lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
        runs.append(Run(DRIVER.replace("BODY\n", lines), tmp_path))
        return runs[-1]

    yield start
    for run in runs:
        run.close()
    Children(tmp_path, {}, tmp_path).end_left_overs()


def story(state: Path) -> list[str]:
    return (state / "story").read_text().splitlines()


def pid_of(state: Path, name: str) -> int:
    """The newest process of this name."""
    return int([line for line in story(state) if line.startswith(f"{name} up")][-1].split()[-1])


def test_a_signal_ends_all_children(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("READY")
    run.send(signal.SIGTERM)
    assert run.end() == 0
    assert {line for line in story(tmp_path) if "down" in line} == {"worker down", "web down"}
    assert all(gone(pid_of(tmp_path, name)) for name in ("worker", "web"))


def test_a_child_that_exits_ends_the_demo_with_a_message(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("READY")
    os.kill(pid_of(tmp_path, "worker"), signal.SIGKILL)
    assert run.end() == 1
    assert "worker has ended (killed by SIGKILL), so everything is stopped." in run.output
    assert gone(pid_of(tmp_path, "web"))


def test_a_task_may_end_and_may_fail(start: Starter) -> None:
    run = start(
        """
        for code in ("0", "3"):
            children.start(f"task-{code}", argv("task", f"sys.exit({code})"), is_task=True)
    """.replace("\n        ", "\n")
    )
    run.until("task-0: done after")
    run.until("task-3: failed (exit code 3); see")
    run.send(signal.SIGTERM)
    assert run.end() == 0


def test_a_preparation_that_fails_ends_the_start(start: Starter) -> None:
    run = start(TWO + "children.run('preparation', argv('x', 'sys.exit(\"no such table\")'))")
    assert run.end() == 1
    assert "no such table" in run.output
    assert "preparation failed: exit code 1." in run.output
    assert "READY" not in run.output


def test_a_child_that_is_not_ready_in_time_ends_the_start_with_its_log(start: Starter) -> None:
    code = "print('bad configuration', flush=True)\\n"
    run = start(f"""
child = children.start('web', argv('web', "{code}" + UP))
children.wait_until(child, lambda: "bad" in child.log.read_text(), 20.0)
children.wait_until(child, lambda: False, 1.0)
""")
    assert run.end() == 1
    assert "web is not ready after 1 s.\n    bad configuration" in run.output


def test_a_stopped_child_is_stopped_too(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("READY")
    os.kill(pid_of(tmp_path, "web"), signal.SIGSTOP)
    run.send(signal.SIGTERM)
    assert run.end() == 0
    assert "web down" in story(tmp_path)


def test_a_grandchild_with_a_session_of_its_own_does_not_survive_the_stop(
    start: Starter, tmp_path: Path
) -> None:
    run = start(f"children.start('web', argv('web', {RUNAWAY!r} + UP))")
    run.until("READY")
    eventually(lambda: (tmp_path / "story").exists() and "runaway" in str(story(tmp_path)), "it")
    run.send(signal.SIGTERM)
    assert run.end() == 0
    assert gone(pid_of(tmp_path, "runaway"))


def test_the_children_die_with_a_demo_that_is_killed(start: Starter, tmp_path: Path) -> None:
    run = start(TWO)
    run.until("READY")
    run.kill()
    pids = [pid_of(tmp_path, name) for name in ("worker", "web")]
    eventually(lambda: all(map(gone, pids)), "both end")


def test_the_next_start_ends_what_survived_the_death_of_the_demo(
    start: Starter, tmp_path: Path
) -> None:
    run = start(f"children.start('web', argv('web', {RUNAWAY!r} + UP))")
    run.until("READY")
    eventually(lambda: (tmp_path / "story").exists() and "runaway" in str(story(tmp_path)), "it")
    run.kill()
    runaway = pid_of(tmp_path, "runaway")
    assert not gone(runaway)
    again = start(TWO)
    again.until("READY")
    assert "processes left over from an earlier run" in again.output
    assert gone(runaway)


def test_a_closed_terminal_does_not_stop_the_start(start: Starter, tmp_path: Path) -> None:
    run = start("say('begun')\n" + TWO)
    run.until("begun")
    run.stop_listening()
    eventually(lambda: (tmp_path / "story").exists() and "web up" in str(story(tmp_path)), "it")
