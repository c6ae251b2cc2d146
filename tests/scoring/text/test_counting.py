"""Tokens are counted by other processes, which are gone when whoever asked them is."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scoring.text.counting import LENGTH, CountError, Counters
from scoring.text.tokens import count_tokens, estimate_tokens
from tests.conftest import ROOT
from tests.support.runs import eventually

TEXTS = ["Hello, world.", "中文也算 tokens。\n" * 300, "x", "The grass is green. " * 5_000]


def is_alive(pid: int) -> bool:
    """Whether it runs; one that has ended and waits to be asked how does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_counts_are_those_of_this_process_in_any_number_of_threads() -> None:
    with Counters(2) as counters, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(counters.count, [text.encode() for text in TEXTS * 3]))
        assert len(counters.pids) == 2
    for text, counted in zip(TEXTS * 3, found, strict=True):
        expected = count_tokens(text)
        assert (counted.size.tokens, counted.size.estimated) == (expected.value, expected.estimated)
        assert (counted.size.characters, counted.size.size) == (len(text), len(text.encode()))


def test_nothing_is_started_before_it_is_needed_and_nothing_stays() -> None:
    with Counters(2) as counters:
        assert counters.pids == []
        counters.count(b"one")
        [pid] = counters.pids
        assert is_alive(pid)
    assert not is_alive(pid)


def test_a_process_that_was_killed_is_told_of_and_replaced() -> None:
    with Counters(1) as counters:
        counters.count(b"one")
        os.kill(counters.pids[0], signal.SIGKILL)
        with pytest.raises(CountError, match="has ended: code -9"):
            counters.count(b"two")
        assert counters.count(b"three").size.characters == 5


def test_half_an_answer_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = tmp_path / "ends"
    ends.write_text(f"#!{sys.executable}\nimport os\nos.write(1, {LENGTH.pack(100)!r} + b'half')\n")
    ends.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(ends))
    with Counters(1) as counters, pytest.raises(CountError, match="has ended: code 0"):
        counters.count(b"one")


def test_they_end_when_the_process_that_asks_is_killed() -> None:
    program = (
        "from scoring.text.counting import Counters\n"
        "with Counters(1) as counters:\n"
        "    counters.count(b'one')\n"
        "    print(counters.pids[0], flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as asking:
        assert asking.stdout
        pid = int(asking.stdout.readline())
        assert is_alive(pid)
        asking.kill()
    eventually(lambda: not is_alive(pid), "the end of the process that counts")


def test_without_a_vocabulary_the_count_is_an_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_VOCABULARY", "1")
    with Counters(1) as counters:
        size = counters.count(TEXTS[1].encode()).size
    assert (size.tokens, size.estimated) == (estimate_tokens(TEXTS[1]), True)
