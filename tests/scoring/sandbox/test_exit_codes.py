"""Every way a run in the box can fail has its code, and leaves nothing behind."""

import io
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scoring.sandbox.exit_codes import ENDINGS, ending
from scoring.sandbox.run import Boxes, BoxResult, Level, read_in_box, score_in_box
from scoring.sandbox.worker.job import BoxLimits, Exit
from tests.support.paths import ROOT
from tests.support.sandbox import (
    QUICK,
    boxes,
    descendants,
    files_in,
    is_locked,
    label_files,
    once,
    open_files,
    scorers,
    small_world,
)
from tests.support.worlds import write_rows

LEVELS = pytest.mark.parametrize("level", Level)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return small_world(tmp_path)


@pytest.fixture
def silence() -> Iterator[io.BufferedReader]:
    """An input that never arrives, so that a scorer waits in its box until it is ended."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "wb"):
        yield reader


def fails(result: BoxResult, code: str) -> None:
    """Check the code, that nothing came out, and that the message reveals no internals."""
    with result:
        assert result.code == code, result.details
        assert result.outputs == {}
        assert result.ending is ENDINGS[code]


@pytest.fixture
def others() -> set[int]:
    """Processes that belong to other tests, such as the database that serves them all."""
    return descendants(os.getpid())


def left_over(others: set[int]) -> set[int]:
    """The processes that this test has started, without those of others."""
    theirs = others.union(*map(descendants, others))
    return descendants(os.getpid()) - theirs


@LEVELS
def test_without_memory_the_scorer_says_so(world: Path, level: Level) -> None:
    made = boxes(level, BoxLimits(memory=1 << 20, wall=20.0))
    fails(read_in_box(made, files_in(world / "preds")), "scorer_memory")


@LEVELS
def test_a_result_that_is_too_large_is_not_written(world: Path, level: Level) -> None:
    made = boxes(level, BoxLimits(output=100, wall=20.0))
    fails(read_in_box(made, files_in(world / "preds")), "scorer_output")


def test_work_without_end_is_stopped_by_its_processor_time(tmp_path: Path) -> None:
    words = " ".join(str(number % 3_000) for number in range(13_000))
    rows = [{"id": key, "prediction": words} for key in range(100)]
    write_rows(tmp_path / "preds" / "preds_longbook_sum_eng.jsonl", rows)
    labels = [{"id": key, "answer": [words]} for key in range(100)]
    write_rows(tmp_path / "gold" / "longbook_sum_eng.jsonl", labels)
    made = boxes(Level.LOCKDOWN, BoxLimits(cpu=1, wall=60.0))
    with read_in_box(boxes(Level.LOCKDOWN), files_in(tmp_path / "preds")) as read:
        result = score_in_box(made, read.outputs["predictions"], label_files(tmp_path / "gold"))
    fails(result, "scorer_time")
    assert result.exit_code == -signal.SIGXCPU


@LEVELS
def test_a_scorer_that_only_waits_is_stopped_by_the_clock(
    silence: io.BufferedReader, level: Level, others: set[int]
) -> None:
    made = boxes(level, BoxLimits(wall=0.3))
    fails(score_in_box(made, silence, []), "scorer_time")
    assert left_over(others) == set()


@LEVELS
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGKILL, "scorer_killed"),
        (signal.SIGTERM, "scorer_killed"),
        (signal.SIGSEGV, "scorer_crashed"),
    ],
)
def test_a_scorer_that_is_killed_gets_a_code(
    silence: io.BufferedReader, level: Level, number: signal.Signals, code: str, others: set[int]
) -> None:
    def kill() -> bool:
        found = scorers(os.getpid())
        for pid in found:
            os.kill(pid, number)
        return bool(found)

    made = boxes(level, QUICK, watch=once(kill), interval=0.01)
    fails(score_in_box(made, silence, []), code)
    assert left_over(others) == set()


@LEVELS
def test_an_exception_of_the_watch_ends_the_box_and_propagates(
    silence: io.BufferedReader, tmp_path: Path, level: Level, others: set[int]
) -> None:
    def lose() -> None:
        raise InterruptedError("the lease is lost")

    made = boxes(level, QUICK, watch=lose, interval=0.01, scratch=tmp_path)
    with pytest.raises(InterruptedError, match="lease"):
        score_in_box(made, silence, [])
    assert left_over(others) == set()
    assert list(tmp_path.iterdir()) == []


_PARENT = """\
import os, sys
from scoring.sandbox.run import Boxes, Level, score_in_box
reading, writing = os.pipe()
report = lambda: print(flush=True)
score_in_box(Boxes(Level(sys.argv[1]), watch=report, interval=0.05), os.fdopen(reading, "rb"), [])
"""


@LEVELS
def test_no_scorer_outlives_a_worker_that_is_killed(level: Level) -> None:
    boxes(level)
    command = [sys.executable, "-c", _PARENT, level]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        while not (found := scorers(worker.pid)):
            assert worker.stdout.readline(), "the worker ended before its scorer was seen"
        ends = [os.pidfd_open(pid) for pid in found]
        worker.kill()
    for end in ends:
        assert select.select([end], [], [], 10)[0], "the scorer is still there"
        os.close(end)


def test_a_full_disk_gets_a_code(world: Path) -> None:
    disk = world / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("NO SMALL DISK: only root may mount one")
    try:
        rows = [{"id": key, "prediction": "x" * 1_000} for key in range(100)]
        write_rows(world / "preds" / "preds_passkey.jsonl", rows)
        made = boxes(Level.LOCKDOWN, scratch=disk)
        fails(read_in_box(made, files_in(world / "preds")), "scorer_disk")
        (disk / "full").write_bytes(b"x" * 16_384)
        fails(read_in_box(made, files_in(world / "preds")), "scorer_disk")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("wrong", [b"", b"{}\n", b'{"canonical":1,"digest":"x"}\n', b"\0" * 99])
def test_the_second_stage_refuses_rows_that_are_not_canonical(world: Path, wrong: bytes) -> None:
    (world / "forged").write_bytes(wrong)
    made = boxes(Level.LOCKDOWN)
    fails(score_in_box(made, world / "forged", label_files(world / "gold")), "output_invalid")


def test_invalid_labels_get_a_code(world: Path) -> None:
    (world / "gold" / "passkey.jsonl").write_text('{"id": 0}\n')
    made = boxes(Level.LOCKDOWN)
    with read_in_box(made, files_in(world / "preds")) as read:
        result = score_in_box(made, read.outputs["predictions"], label_files(world / "gold"))
    fails(result, "labels_invalid")


def test_an_input_is_no_link_no_pipe_and_there(world: Path) -> None:
    (world / "link").symlink_to(world / "preds" / "preds_passkey.jsonl")
    os.mkfifo(world / "pipe")
    for name in ("link", "pipe", "absent", "gold"):
        fails(read_in_box(boxes(Level.LOCKDOWN), {"p": world / name}), "scorer_unavailable")


def test_more_inputs_than_can_be_open_are_refused(world: Path) -> None:
    file = world / "preds" / "preds_passkey.jsonl"
    many = {f"{number}.jsonl": file for number in range(300)}
    fails(read_in_box(boxes(Level.LOCKDOWN), many), "scorer_unavailable")


def test_no_box_is_made_at_a_lower_level_than_asked_for(world: Path) -> None:
    for bwrap in ("there-is-no-such-program", "false", "true"):
        made = Boxes(Level.STRONG, bwrap=bwrap)
        fails(read_in_box(made, files_in(world / "preds")), "scorer_unavailable")


@pytest.mark.parametrize(
    ("exit_code", "locked", "code"),
    [
        (0, True, "done"),
        (0, False, "scorer_unavailable"),  # bubblewrap or Python failed differently
        (1, False, "scorer_unavailable"),
        (1, True, "scorer_crashed"),
        (Exit.CRASHED, True, "scorer_crashed"),
        (Exit.NOT_LOCKED, False, "scorer_unavailable"),
        (-signal.SIGXCPU, True, "scorer_time"),
        (128 + signal.SIGXCPU, True, "scorer_time"),  # as bubblewrap reports it
        (128 + signal.SIGKILL, True, "scorer_killed"),
        (-signal.SIGSEGV, True, "scorer_crashed"),
    ],
)
def test_an_exit_code_has_one_meaning(exit_code: int, locked: bool, code: str) -> None:
    assert ending(exit_code, locked=locked) == code


@LEVELS
def test_nothing_is_left_behind(world: Path, level: Level) -> None:
    scratch = world / "scratch"
    scratch.mkdir()
    made = boxes(level, scratch=scratch)
    with read_in_box(made, files_in(world / "preds")) as read:
        assert list(scratch.iterdir()) == []
        assert read.ok
    short = replace(made, limits=BoxLimits(memory=1 << 20))
    fails(read_in_box(short, files_in(world / "preds")), "scorer_memory")
    assert list(scratch.iterdir()) == []


@LEVELS
def test_the_box_has_only_its_inputs_to_read_and_nameless_files_to_write(
    silence: io.BufferedReader, level: Level
) -> None:
    found: list[tuple[str, int]] = []

    def look() -> bool:
        locked = [pid for pid in scorers(os.getpid()) if is_locked(pid)]
        for pid in locked:
            found.extend(open_files(pid))
            os.kill(pid, signal.SIGKILL)
        return bool(locked)

    if os.geteuid():
        pytest.skip("NOT ROOT: only root may see the open files of a scorer")
    fails(score_in_box(boxes(level, watch=once(look), interval=0.01), silence, []), "scorer_killed")
    files = sorted((how, link.endswith("(deleted)")) for link, how in found if link[0] == "/")
    pipes = sorted(how for link, how in found if link.startswith("pipe:"))
    assert files == [(os.O_WRONLY, True), (os.O_WRONLY, True)]  # the report, the examples
    assert pipes == [os.O_RDONLY, os.O_WRONLY, os.O_WRONLY]  # the input, and its two outputs
    assert len(found) == len(files) + len(pipes)
