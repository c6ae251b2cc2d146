"""One process of the box: its output, and that it ends along with everything it has started."""

import os
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.sandbox.process import Finished, start_process, wait_for


def run(
    program: str,
    *descriptors: int,
    seconds: float = 20.0,
    watch: Callable[[], None] = lambda: None,
) -> Finished:
    with tempfile.TemporaryFile() as stdin:
        process = start_process(
            [sys.executable, "-c", program], {"ONLY": "this"}, stdin, descriptors
        )
    return wait_for(process, seconds=seconds, watch=watch, interval=0.01)


def test_the_output_and_the_exit_code_are_returned() -> None:
    assert run("print('hello'); raise SystemExit(7)") == Finished(7, b"hello\n")


def test_errors_are_heard_as_well() -> None:
    assert b"ZeroDivisionError" in run("1 / 0").output


def test_a_process_with_too_much_output_is_stopped_and_its_output_cut() -> None:
    finished = run("while True: print('x' * 100_000)")
    assert finished.stopped == "scorer_crashed"
    assert finished.exit_code == -signal.SIGKILL
    assert finished.output == b"x" * 16_384


def test_a_process_that_closes_its_output_is_still_stopped_in_time() -> None:
    watched: list[None] = []
    program = "import os, signal; os.close(1); os.close(2); signal.pause()"
    finished = run(program, seconds=0.2, watch=lambda: watched.append(None))
    assert finished.stopped == "scorer_time"
    assert len(watched) <= 20  # once in 0.01 seconds


def test_a_process_that_closes_its_output_and_ends_is_finished() -> None:
    assert run("import os; os.close(1); os.close(2); os._exit(3)").exit_code == 3


def test_processes_that_it_started_end_with_it() -> None:
    program = "import os, signal; os.fork() or print(os.getpid(), flush=True); signal.pause()"
    with tempfile.TemporaryFile() as stdin:
        process = start_process([sys.executable, "-c", program], {}, stdin, ())
    assert process.stdout
    child = os.pidfd_open(int(os.read(process.stdout.fileno(), 100)))
    assert wait_for(process, seconds=0.1, watch=lambda: None, interval=1.0).stopped == "scorer_time"
    assert select.select([child], [], [], 10)[0], "the child is still there"
    os.close(child)


def test_only_the_given_descriptors_are_open() -> None:
    program = """\
import os
def is_open(fd):
    try:
        return bool(os.fstat(fd))
    except OSError:
        return False
print([fd for fd in range(256) if is_open(fd)])
"""
    null = Path(os.devnull)
    with null.open() as given, null.open() as leaked:
        os.set_inheritable(leaked.fileno(), True)
        assert eval(run(program, given.fileno()).output) == [0, 1, 2, given.fileno()]


def test_only_the_given_variables_are_set() -> None:
    said = run("import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))").output
    assert said == b"['ONLY']\n"


def test_an_exception_of_the_watch_propagates() -> None:
    def lose() -> None:
        raise OSError("the lease is lost")

    with pytest.raises(OSError, match="lease"):
        run("import signal; signal.pause()", watch=lose)


def test_a_program_that_is_not_there_is_an_error_at_the_start() -> None:
    with tempfile.TemporaryFile() as stdin, pytest.raises(FileNotFoundError):
        start_process(["/no/such/program"], {}, stdin, ())
