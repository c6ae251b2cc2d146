"""Tokens are counted by other processes, which end together with the process that uses them."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path

import pytest

from scoring.text.counting import CountError, CountingPool
from scoring.text.text_index import build_index, size_of
from scoring.text.tokens import count_tokens, estimate_tokens, token_lengths
from tests.support.paths import ROOT
from tests.support.processes import eventually

TEXTS = ["Hello, world.", "中文也算 tokens。\n" * 300, "x", "The grass is green. " * 5_000]


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_counts_are_those_of_this_process_in_any_number_of_threads() -> None:
    with CountingPool(2) as counting, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(counting.index, [text.encode() for text in TEXTS * 3]))
        assert len(active_children()) == 2
    for text, index in zip(TEXTS * 3, found, strict=True):
        size, expected = size_of(index), count_tokens(text)
        assert (size.tokens, size.estimated) == (expected.value, expected.estimated)
        assert (size.characters, size.size) == (len(text), len(text.encode()))
        assert index == build_index(text, expected.value, token_lengths(text))


def test_processes_start_on_demand_and_end() -> None:
    with CountingPool(2) as counting:
        assert active_children() == []
        counting.index(b"one")
        [process] = active_children()
        assert process.is_alive()
    assert active_children() == []


def test_a_process_that_was_killed_is_an_error() -> None:
    with CountingPool(1) as counting:
        counting.index(b"one")
        [process] = active_children()
        process.kill()
        with pytest.raises(CountError, match="has ended"):
            counting.index(b"two")
    assert active_children() == []
    with CountingPool(1) as counting:
        assert size_of(counting.index(b"three")).characters == 5


@pytest.mark.parametrize("in_thread", [False, True])
def test_they_end_when_their_parent_is_killed(in_thread: bool) -> None:
    ask = "Thread(target=counting.index, args=[b'one'])" if in_thread else "Thread()"
    program = (
        "from multiprocessing import active_children\n"
        "from threading import Thread\n"
        "from scoring.text.counting import CountingPool\n"
        "with CountingPool(1) as counting:\n"
        f"    thread = {ask}\n"
        "    thread.start()\n"
        "    thread.join()\n"
        "    counting.index(b'two')\n"  # works after the thread that started the process has ended
        "    print(active_children()[0].pid, flush=True)\n"
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


def test_an_interrupt_of_the_terminal_does_not_end_a_count() -> None:
    with CountingPool(1) as counting:
        counting.index(b"one")
        [process] = active_children()
        assert process.pid
        os.kill(process.pid, signal.SIGINT)
        assert size_of(counting.index(b"two")).characters == 3


def test_without_a_vocabulary_the_count_is_an_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_VOCABULARY", "1")
    with CountingPool(1) as counting:
        size = size_of(counting.index(TEXTS[1].encode()))
    assert (size.tokens, size.estimated) == (estimate_tokens(TEXTS[1]), True)
