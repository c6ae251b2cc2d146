"""Count the tokens of many texts in processes of their own: neither memory nor time is ours."""

import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import NamedTuple, Self

from scoring.text.text_index import TextSize, size_of

PROCESSES = 2

LENGTH = struct.Struct(
    "<Q"
)  # before each text for ``scoring.text.counter``, and each index from it

_ROOT = Path(__file__).parents[2]


class CountError(Exception):
    """A process that counts has ended; the message says how."""


class Counted(NamedTuple):
    size: TextSize
    index_file: bytes  # of ``scoring.text.text_index``


class Counters:
    """Up to so many processes, each started when it is first needed, and ended with the block."""

    def __init__(self, processes: int = PROCESSES) -> None:
        self._most = processes
        self._running: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._starting = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._running]

    def count(self, data: bytes) -> Counted:
        """The tokens of a text in UTF-8, and its index; from any number of threads at once.

        Waits for a process that has nothing to do. Raises ``CountError``.
        """
        process = self._free_process()
        try:
            index = _ask(process, data)
        except CountError:
            self._running.remove(process)
            raise
        self._idle.put(process)
        return Counted(size_of(index), index)

    def _free_process(self) -> "subprocess.Popen[bytes]":
        with self._starting:
            if self._idle.empty() and len(self._running) < self._most:
                self._running.append(_start())
                return self._running[-1]
        return self._idle.get()


def _start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "scoring.text.counter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=_ROOT,
    )


def _ask(process: "subprocess.Popen[bytes]", data: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise CountError("The process that counts tokens cannot be asked.")
    with suppress(BrokenPipeError):
        process.stdin.write(LENGTH.pack(len(data)))
        process.stdin.write(data)
        process.stdin.flush()
    head = process.stdout.read(LENGTH.size)
    if len(head) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        index = process.stdout.read(length)
        if len(index) == length:  # else it has ended on the way
            return index
    process.communicate()
    raise CountError(f"The process that counts tokens has ended: code {process.returncode}.")
